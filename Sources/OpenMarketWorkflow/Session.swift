public import OpenMarket
public import OpenMarketApply

/// Work on one market with one state: settle what earlier runs left, plan, apply, export.
///
/// Knows neither terminal nor file, neither HTTP nor SQLite: market and state are ports, and what goes on is reported
/// as ``SessionEvent``s. The order of a run:
///
/// ```swift
/// let recovered = try await session.settle()
/// let planned = try await session.plan(manifest, after: recovered)
/// let result = try await session.apply(planned, manifest: manifest.digest)
/// ```
public struct Session: Sendable {
    /// Which market, as which vendor.
    public let scope: MarketScope
    /// The market.
    public let market: any Market
    /// What earlier runs knew and did.
    public let state: any StateBackend
    /// How runs behave.
    public let configuration: ExecutorConfiguration
    /// The version of the tool, for documents and the journal.
    public let tool: String

    let clock: any Clock<Duration>
    let wallTime: @Sendable () -> Timestamp
    let random: @Sendable () -> Double
    let onEvent: @Sendable (SessionEvent) -> Void

    /// A session.
    ///
    /// - Parameters:
    ///   - scope: Which market, as which vendor.
    ///   - market: The market.
    ///   - state: What earlier runs knew and did; for ``settle(drain:)`` and ``apply(_:manifest:drain:)`` one that may be
    ///     written.
    ///   - configuration: How runs behave.
    ///   - tool: The version of the tool, for documents and the journal.
    ///   - clock: What to wait on.
    ///   - wallTime: The time for journal and documents.
    ///   - random: Random numbers in 0..<1.
    ///   - onEvent: Called with each event, from any thread; must not block.
    public init(
        scope: MarketScope,
        market: any Market,
        state: any StateBackend,
        configuration: ExecutorConfiguration = ExecutorConfiguration(),
        tool: String,
        clock: any Clock<Duration> = ContinuousClock(),
        wallTime: @escaping @Sendable () -> Timestamp = { .now },
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) },
        onEvent: @escaping @Sendable (SessionEvent) -> Void = { _ in }
    ) {
        self.scope = scope
        self.market = market
        self.state = state
        self.configuration = configuration
        self.tool = tool
        self.clock = clock
        self.wallTime = wallTime
        self.random = random
        self.onEvent = onEvent
    }

    /// What the market can do.
    public var capabilities: MarketCapabilities { scope.profile.capabilities }
}
