import Synchronization

/// The signal to start nothing more and to stop waiting.
///
/// Triggered by the first Ctrl-C, or by the run itself when the market is down or rejects the credentials. One for
/// each run.
package final class DrainSignal: Sendable {
    private struct State {
        var reason: StopReason?
        var nextWaiter: UInt64 = 0
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    /// A signal that was not given yet.
    package init() {}

    /// Gives the signal for the user, from any thread; does nothing the second time.
    package func trigger() {
        stop(.interrupted)
    }

    /// Why the run is stopping; `nil` while it is not.
    var reason: StopReason? { state.withLock { $0.reason } }

    /// Gives the signal; the first reason stays.
    func stop(_ reason: StopReason) {
        let waiters = state.withLock { state in
            guard state.reason == nil else { return [CheckedContinuation<Void, Never>]() }
            state.reason = reason
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Sleeps, but no longer than until the signal.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
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

    /// Returns when the signal is given or the task is cancelled.
    func given() async {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    // Cancellation may have come before the continuation: its handler finds nothing to resume then.
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
