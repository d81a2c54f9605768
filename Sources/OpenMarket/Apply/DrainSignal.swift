import Synchronization

/// The signal to start nothing new and to stop waiting.
///
/// The first Ctrl-C triggers it, or the run itself if the market is down or rejects the credentials. Each run has one.
package final class DrainSignal: Sendable {
    private struct State {
        var reason: StopReason?
        var nextWaiter: UInt64 = 0
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// Triggers the signal for the user, from any thread; repeated calls do nothing.
    package func trigger() {
        stop(.interrupted)
    }

    /// The reason for stopping; `nil` while the run goes on.
    var reason: StopReason? { state.withLock { $0.reason } }

    /// Triggers the signal; the first reason stays.
    func stop(_ reason: StopReason) {
        let waiters = state.withLock { state in
            guard state.reason == nil else { return [CheckedContinuation<Void, Never>]() }
            state.reason = reason
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Sleeps for a duration or until the signal; throws `CancellationError` if the task is cancelled.
    func pause(for duration: Duration, on clock: any Clock<Duration>) async throws {
        guard reason == nil, duration > .zero else { return try Task.checkCancellation() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await clock.sleep(for: duration) }
            group.addTask { await self.given() }
            await group.next()
            group.cancelAll()
        }
        try Task.checkCancellation()
    }

    /// Returns when the signal is triggered or the task is cancelled.
    func given() async {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    // Cancellation may come before the continuation exists, so its handler finds nothing to resume.
                    guard state.reason == nil, !Task.isCancelled else { return true }
                    state.waiters[id] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.resume()
        }
    }
}
