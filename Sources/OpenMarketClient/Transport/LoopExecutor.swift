import NIOCore

/// Runs tasks on the thread of an event loop.
///
/// A writing request is about ten short steps that alternate between the network and this program. With both on one
/// thread, no step has to wake another thread.
final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
