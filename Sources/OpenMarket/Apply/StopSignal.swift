import Synchronization

/// The signal to stop starting requests and waiting.
///
/// The first Ctrl-C triggers it, or the run itself if the market is down or rejects the credentials. Each run has one.
package final class StopSignal: Sendable {
    private let stop = Monitor<StopReason?>(nil)
    private let isObeying = Atomic(false)

    package init() {}

    /// Triggers the signal for the user, from any thread; repeated calls have no effect.
    package func trigger() {
        stop(.interrupted)
    }

    /// Whether the current work obeys the signal; other work must be cancelled instead.
    package var isObeyed: Bool { isObeying.load(ordering: .acquiring) }

    /// Performs work that obeys the signal.
    ///
    /// After an error the signal still counts as obeyed, so that the first Ctrl-C does not cancel the release of the
    /// lease.
    package func obeyed<Result>(_ work: () async throws -> Result) async rethrows -> Result {
        isObeying.store(true, ordering: .releasing)
        let result = try await work()
        isObeying.store(false, ordering: .releasing)
        return result
    }

    /// The reason for stopping; `nil` while the run continues.
    var reason: StopReason? { stop.withLock { $0 } }

    /// Triggers the signal; the first reason is kept.
    func stop(_ reason: StopReason) {
        stop.change { $0 = $0 ?? reason }
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
        await stop.wait { $0 != nil || Task.isCancelled ? true : nil }
    }
}
