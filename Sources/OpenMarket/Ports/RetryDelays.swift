/// How long to wait before a request is sent again: capped exponential back-off with full jitter.
///
/// Full jitter spreads the retries of many operations over the whole interval, so that they do not come back at once.
package struct RetryDelays: Hashable, Sendable {
    /// The upper end of the first delay.
    var base: Duration
    /// The upper end of every delay.
    var cap: Duration

    /// Delays; by default half a second, doubled up to half a minute.
    package init(base: Duration = .milliseconds(500), cap: Duration = .seconds(30)) {
        self.base = base
        self.cap = cap
    }

    /// The delay before a retry.
    ///
    /// - Parameters:
    ///   - attempt: Which retry, from 1.
    ///   - jitter: A random number in 0..<1.
    ///   - retryAfter: What the market asked for; never undercut.
    /// - Returns: The delay.
    package func delay(attempt: Int, jitter: Double, retryAfter: Duration? = nil) -> Duration {
        var ceiling = base
        for _ in 1..<max(attempt, 1) where ceiling < cap { ceiling *= 2 }
        let delay = min(ceiling, cap) * jitter
        guard let retryAfter else { return delay }
        // A little later than asked, and not all at the same moment.
        return retryAfter + min(base, cap) * jitter
    }
}
