package import OpenMarket

/// Work on one market with one state: settle what earlier runs left, plan, apply, export.
///
/// Knows neither terminal nor file, neither HTTP nor SQLite: market and state are ports, and what goes on is reported
/// as ``SessionEvent``s. The order of the steps is in `Session+Pipeline.swift`.
package struct Session: Sendable {
    /// The market.
    var market: any Market
    /// What earlier runs knew and did.
    let state: any StateReader
    /// The same, where it is held to be changed.
    private let held: (any StateSession)?
    /// The description that whoever runs the program accepts, beside what the state remembers.
    private let accepted: ContentDigest?
    /// How runs behave.
    let configuration: ExecutorConfiguration
    /// The version of the tool, for documents and the journal.
    let tool: String

    let environment: ExecutionEnvironment
    let onEvent: @Sendable (SessionEvent) -> Void

    /// A session that only looks: it previews, plans and exports.
    ///
    /// - Parameters:
    ///   - market: The market.
    ///   - state: What earlier runs knew and did; says which market it is, and as which vendor.
    ///   - configuration: How runs behave.
    ///   - tool: The version of the tool, for documents and the journal.
    ///   - environment: Clock, date and random numbers.
    ///   - onEvent: Called with each event, from any thread; must not block.
    init(
        market: any Market,
        reading state: any StateReader,
        configuration: ExecutorConfiguration = ExecutorConfiguration(),
        tool: String,
        environment: ExecutionEnvironment = .machine,
        onEvent: @escaping @Sendable (SessionEvent) -> Void = { _ in }
    ) {
        self.init(market, state, nil, accepting: nil, configuration, tool, environment, onEvent)
    }

    /// A session that may also settle and apply.
    ///
    /// To a market that a file describes nothing is sent but reads, until the description was accepted: by
    /// `acceptedDescription`, or earlier, as the state remembers.
    ///
    /// - Parameters:
    ///   - market: The market.
    ///   - state: What earlier runs knew and did, held; says which market it is, and as which vendor.
    ///   - acceptedDescription: The SHA-256 of the description that whoever runs this has looked at and accepts.
    ///   - configuration: How runs behave.
    ///   - tool: The version of the tool, for documents and the journal.
    ///   - environment: Clock, date and random numbers.
    ///   - onEvent: Called with what goes on, from any thread; must not block.
    init(
        market: any Market,
        holding state: any StateSession,
        acceptedDescription: ContentDigest? = nil,
        configuration: ExecutorConfiguration = ExecutorConfiguration(),
        tool: String,
        environment: ExecutionEnvironment = .machine,
        onEvent: @escaping @Sendable (SessionEvent) -> Void = { _ in }
    ) {
        self.init(
            market,
            state,
            state,
            accepting: acceptedDescription,
            configuration,
            tool,
            environment,
            onEvent
        )
    }

    private init(
        _ market: any Market,
        _ state: any StateReader,
        _ held: (any StateSession)?,
        accepting accepted: ContentDigest?,
        _ configuration: ExecutorConfiguration,
        _ tool: String,
        _ environment: ExecutionEnvironment,
        _ onEvent: @escaping @Sendable (SessionEvent) -> Void
    ) {
        self.market = market
        self.state = state
        self.held = held
        self.accepted = accepted
        self.configuration = configuration
        self.tool = tool
        self.environment = environment
        self.onEvent = onEvent
    }

    /// Which market, as which vendor.
    var scope: MarketScope { state.scope }

    /// The state, to be changed.
    ///
    /// - Throws: `StateError`, `readOnly` where the session only looks.
    func requireHeld() throws -> any StateSession {
        guard let held else {
            throw StateError(.readOnly, "the state \(state.location) was opened for reading only")
        }
        return held
    }

    /// Makes sure that what is planned can be carried out: all planning, settling and applying begins with it.
    ///
    /// - Throws: ``SessionError/readOnlyMarket(_:reasons:)``.
    func requireWritable() throws(SessionError) { try market.profile.requireWritable() }

    /// Makes sure that single products can be asked for.
    ///
    /// - Throws: ``SessionError/noDetails(_:for:)``.
    func requireDetails(for use: DetailUse) throws(SessionError) {
        guard capabilities.showsDetails else { throw .noDetails(market.profile.name, for: use) }
    }

    /// Makes sure that what is sent to a described market was accepted, and remembers it: all that sends begins with it.
    ///
    /// - Throws: ``SessionError/unacceptedMarket(_:digest:)``, and what the state throws.
    func requireAccepted() async throws {
        let profile = market.profile
        guard !profile.isBuiltIn else { return }
        let remembered = try await state.acceptedDescription()
        guard remembered != profile.digest else { return }
        guard accepted == profile.digest else {
            throw SessionError.unacceptedMarket(profile.name, digest: profile.digest)
        }
        try await requireHeld().accept(profile.digest)
    }

    /// What the market can do.
    var capabilities: MarketCapabilities { market.profile.capabilities }
}

extension MarketProfile {
    /// Makes sure that what is planned for the market can be carried out.
    ///
    /// - Throws: ``SessionError/readOnlyMarket(_:reasons:)``.
    package func requireWritable() throws(SessionError) {
        guard !capabilities.canWrite else { return }
        throw .readOnlyMarket(name, reasons: capabilities.writingObstacles)
    }
}
