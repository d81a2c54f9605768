/// How many requests may be pending, and when the next may be sent.
///
/// The limit adapts: it halves when the market asks for fewer requests, and grows by one for every round of successes.
/// The ``RequestGate`` does the waiting.
package struct Throttle: Hashable, Sendable {
    enum Admission: Hashable, Sendable {
        /// Send now; the ticket is returned to ``Throttle/release(_:overload:retryAfter:at:)``.
        case granted(Int)
        case after(Duration)
        /// Ask again when another request has returned.
        case full
    }

    /// The valid rates: from one request in a quarter of an hour to more than any market accepts.
    package static let rates = 0.001...100_000.0

    let parallelism: Int
    /// How many requests may be pending now.
    var width: Int { Int(limit) }
    private(set) var underWay = 0
    /// The end of the pause, counted from the start of the run.
    private(set) var pausedUntil: Duration = .zero

    /// The number of sessions that share the rate, including this one.
    private var peers = 1
    private let ownInterval: Duration
    /// The minimum time between requests of all sessions together; zero for no limit.
    private var interval: Duration
    private var nextSlot: Duration = .zero
    private var limit: Double
    private var generation = 0

    /// Creates a throttle at full width.
    ///
    /// `rate` is in requests per second, clamped to ``rates``; `nil` sets no limit.
    init(parallelism: Int, rate: Double? = nil) {
        self.parallelism = max(1, parallelism)
        self.ownInterval = rate.map(Self.interval(of:)) ?? .zero
        self.interval = ownInterval
        self.limit = Double(max(1, parallelism))
    }

    mutating func admit(at now: Duration) -> Admission {
        guard now >= pausedUntil else { return .after(pausedUntil - now) }
        guard underWay < width else { return .full }
        if interval > .zero {
            guard now >= nextSlot else { return .after(nextSlot - now) }
            nextSlot = now + interval * peers
        }
        underWay += 1
        return .granted(generation)
    }

    /// Returns a ticket; the result is true if the run became slower.
    ///
    /// Requests sent before the last halving do not halve again, because they report the same overload.
    mutating func release(_ ticket: Int, overload: Bool, retryAfter: Duration?, at now: Duration) -> Bool {
        underWay -= 1
        guard overload else {
            limit = min(Double(parallelism), limit + 1 / limit)
            return false
        }
        if let retryAfter { pause(for: retryAfter, at: now) }
        guard ticket == generation else { return false }
        generation += 1
        limit = max(1, (limit / 2).rounded(.down))
        return true
    }

    mutating func pause(for duration: Duration, at now: Duration) {
        pausedUntil = max(pausedUntil, now + min(duration, RetryDelays.longestPause))
    }

    static func interval(of rate: Double) -> Duration {
        guard rate > 0 else { return .zero }
        return Duration.seconds(1) / min(max(rate, rates.lowerBound), rates.upperBound)
    }

    /// Shares the rate with other sessions; `peers` includes this one.
    ///
    /// The limit of concurrent requests is not shared, because another session exists to send more of them. An
    /// overloaded market asks each session for fewer.
    ///
    /// `interval` is the minimum time between requests of all sessions, as set in another session; zero for no limit.
    mutating func share(among peers: Int, oneRequestIn interval: Duration = .zero) {
        self.peers = max(1, peers)
        self.interval = max(ownInterval, interval)
    }
}
