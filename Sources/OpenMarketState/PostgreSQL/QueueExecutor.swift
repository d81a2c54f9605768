import Dispatch

/// Runs an actor's jobs on a queue of its own: whoever waits for a server must not hold one of the threads that all tasks
/// share.
final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(_ label: String) {
        queue = DispatchQueue(label: label)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

    /// Does something on the queue in a while, also when all threads that tasks share are busy by then.
    func after(_ duration: Duration, _ body: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(duration / .milliseconds(1))), execute: body)
    }
}
