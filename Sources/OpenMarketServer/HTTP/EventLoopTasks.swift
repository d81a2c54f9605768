import NIOCore
import NIOPosix

/// Runs blocking disk access on a thread that no connection waits for.
func onDisk<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await NIOThreadPool.singleton.runIfActive(body)
}

/// Runs the tasks of connections on the threads of the event loops.
///
/// A connection mostly waits for its own event loop: for the next request, more of a body, or room for the reply. A
/// pool of other threads would be woken for each of these, and would wake the event loop again for each reply.
final class EventLoopTasks: TaskExecutor {
    private let group: any EventLoopGroup

    init(_ group: any EventLoopGroup) {
        self.group = group
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let loop = MultiThreadedEventLoopGroup.currentEventLoop ?? group.next()
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
