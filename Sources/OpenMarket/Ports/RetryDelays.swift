/// The delays before a request is sent again: capped exponential back-off with full jitter.
///
/// Full jitter spreads the retries of many operations over the whole interval, so that they do not arrive together.
package struct RetryDelays: Hashable, Sendable {
    /// The longest pause that a market may request; a run of apply ends if it requests more.
    package static let longestPause = Duration.seconds(300)

    /// The upper bound of the first delay.
    var base: Duration
    /// The upper bound of every delay.
    var cap: Duration

    package init(base: Duration = .milliseconds(500), cap: Duration = .seconds(30)) {
        self.base = base
        self.cap = cap
    }

    /// The delay before a retry.
    ///
    /// `attempt` counts retries from 1, and `jitter` is a random number in 0..<1. The delay is never shorter than
    /// `retryAfter`, the time that the market requested, up to ``longestPause``.
    package func delay(attempt: Int, jitter: Double, retryAfter: Duration? = nil) -> Duration {
        var ceiling = base
        for _ in 1..<max(attempt, 1) where ceiling < cap { ceiling *= 2 }
        let delay = min(ceiling, cap) * jitter
        guard let retryAfter else { return delay }
        // A little later than requested, and not all at the same time.
        return min(retryAfter, Self.longestPause) + min(base, cap) * jitter
    }
}
