import Dispatch

/// Runs an actor's jobs on a separate queue, because waiting for a server must not block one of the threads that all
/// tasks share.
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

    /// Runs the body on the queue after a delay, even if all task threads are busy then.
    func after(_ duration: Duration, _ body: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(duration / .milliseconds(1))), execute: body)
    }
}
