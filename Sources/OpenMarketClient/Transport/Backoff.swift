/// How long to wait before another attempt: capped exponential back-off with full jitter.
package struct Backoff: Sendable {
    /// The longest first wait.
    var base: Duration = .milliseconds(250)
    /// The longest wait of all.
    var cap: Duration = .seconds(8)
    /// What the jitter comes from: numbers from 0 to 1.
    package var random: @Sendable () -> Double = { Double.random(in: 0...1) }

    /// The wait before an attempt.
    ///
    /// - Parameters:
    ///   - attempt: how many attempts have failed, from 1.
    ///   - asked: what the market asked for; never less is waited, but no more than five minutes.
    /// - Returns: the wait.
    func wait(after attempt: Int, asked: Duration?) -> Duration {
        let ceiling = min(base * (1 << min(attempt - 1, 20)), cap)
        let jittered = ceiling * random()
        guard let asked else { return jittered }
        return min(asked, .seconds(300)) + jittered
    }
}
