/// How many requests may be under way, and when the next may leave.
///
/// Adaptive: halved when the market asks for less, grown back by one for every round of successes. A value: the
/// ``RequestGate`` does the waiting.
package struct Throttle: Hashable, Sendable {
    /// What a request that wants to leave has to do.
    enum Admission: Hashable, Sendable {
        /// Leave now; the number goes back with ``Throttle/release(_:overload:retryAfter:at:)``.
        case granted(Int)
        /// Ask again after this long.
        case after(Duration)
        /// Ask again when another request came back.
        case full
    }

    /// The rates that mean something: from one request in a quarter of an hour to more than any market takes.
    package static let rates = 0.001...100_000.0

    /// The most requests at once.
    let parallelism: Int
    /// How many requests may be under way now.
    var width: Int { Int(limit) }
    /// How many requests are under way.
    private(set) var underWay = 0
    /// Until when nothing leaves, counted from the start of the run.
    private(set) var pausedUntil: Duration = .zero

    /// How many sessions share the rate, this one included.
    private var peers = 1
    private let ownInterval: Duration
    /// In which time all sessions together may begin a request; zero for no limit.
    private var interval: Duration
    private let maximumPause: Duration
    private var nextSlot: Duration = .zero
    private var limit: Double
    private var generation = 0

    /// A throttle, fully open.
    ///
    /// - Parameters:
    ///   - parallelism: The most requests at once.
    ///   - rate: The most requests a second, brought into ``rates``; `nil` sets no limit.
    ///   - maximumPause: The longest pause that the market may ask for.
    init(parallelism: Int, rate: Double? = nil, maximumPause: Duration = .seconds(300)) {
        self.parallelism = max(1, parallelism)
        self.ownInterval = rate.map(Self.interval(of:)) ?? .zero
        self.interval = ownInterval
        self.maximumPause = maximumPause
        self.limit = Double(max(1, parallelism))
    }

    /// Asks for leave to send a request now.
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

    /// Takes a request back.
    ///
    /// - Parameters:
    ///   - ticket: The number it left with. Requests that left before the last halving halve nothing again: they show
    ///     of the same overload.
    ///   - overload: Whether the market asked for less.
    ///   - retryAfter: For how long it asked to be left alone.
    ///   - now: The time.
    /// - Returns: Whether the run became slower.
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

    /// Lets nothing leave for a while.
    mutating func pause(for duration: Duration, at now: Duration) {
        pausedUntil = max(pausedUntil, now + min(duration, maximumPause))
    }

    /// The time between two requests at a rate; zero where it sets no limit.
    static func interval(of rate: Double) -> Duration {
        guard rate > 0 else { return .zero }
        return Duration.seconds(1) / min(max(rate, rates.lowerBound), rates.upperBound)
    }

    /// Shares the rate with other sessions.
    ///
    /// Not the requests at once: another session is there to send more of them. A market that they are too many for asks
    /// each of them for less.
    ///
    /// - Parameters:
    ///   - peers: How many there are, this one included.
    ///   - interval: In which time all together begin at most one request, as another of them was given it; zero for no limit.
    mutating func share(among peers: Int, oneRequestIn interval: Duration = .zero) {
        self.peers = max(1, peers)
        self.interval = max(ownInterval, interval)
    }
}
