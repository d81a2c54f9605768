import OpenMarket
import OpenMarketApply
import OpenMarketClient
import OpenMarketFiles
import OpenMarketWorkflow

/// Market and state of a command, opened together.
struct MarketWork: Sendable {
    let target: MarketTarget
    var client: ClientConfiguration
    let state: StatePlace
    var configuration: ExecutorConfiguration
    let reporter: SessionReporter

    init(
        target: MarketTarget,
        client: ClientConfiguration,
        state: StatePlace,
        reporter: SessionReporter
    ) {
        self.target = target
        self.client = client
        self.state = state
        configuration = ExecutorConfiguration()
        configuration.parallelism = client.parallelism
        self.reporter = reporter
    }

    /// The market of a manifest, and the state beside it, as arguments say.
    init(
        _ settings: MarketSettings,
        manifestFiles: [String],
        _ market: MarketArguments,
        _ state: StateArguments,
        keptRuns: Int = StatePlace.standardKeptRuns,
        isJSON: Bool = false,
        _ context: CommandContext
    ) async throws {
        let target = try MarketTarget(settings)
        self.init(
            target: target,
            client: try market.clientConfiguration(target, console: context.console),
            state: try await state.place(
                manifestFiles: manifestFiles,
                market: settings,
                keptRuns: keptRuns,
                console: context.console
            ),
            reporter: SessionReporter(isJSON: isJSON, console: context.console)
        )
    }

    /// How runs on this market behave.
    private var sessionConfiguration: ExecutorConfiguration {
        var configuration = configuration
        configuration.sendsKeys = target.sendsKeys
        return configuration
    }

    /// Looks at market and state without writing to either.
    func reading<Result>(_ body: (Session, MarketClient) async throws -> Result) async throws -> Result {
        try FileRegister.current.check()
        return try await state.backend.reading(target.scope) { state in
            if let elsewhere = try await state.movedTo() { throw StateError.moved(state.location, to: elsewhere) }
            return try await withMarketClient(client) { client in
                let session = Session(
                    market: client,
                    reading: state,
                    configuration: sessionConfiguration,
                    tool: toolVersion,
                    onEvent: reporter.handle
                )
                return try await body(session, client)
            }
        }
    }

    /// Takes part in the run that is under way, with other machines.
    ///
    /// - Parameters:
    ///   - manifest: what the run was planned from, as it is here.
    ///   - timeout: how long to wait for a run to begin.
    ///   - body: works in the run.
    /// - Returns: what the body returns; `nil` where the run ended before it could be joined.
    /// - Throws: `JoiningError`, ``SessionError``, and what the state and the body throw.
    func joining<Result>(
        _ manifest: Manifest,
        waiting timeout: Duration,
        _ body: (Session, RunUnderWay) async throws -> Result
    ) async throws -> Result? {
        try FileRegister.current.check()
        try target.profile.requireWritable()
        try target.requireCredentialsToWrite(withoutSecret: manifest.listings.allSatisfy { $0.secret != nil })
        let worker = Worker(in: state.backend, at: target, with: manifest.digest)
        return try await worker.joining(waiting: timeout) { place in
            var client = client
            // The run began as this description says, so that it was accepted.
            client.acceptedDescription = try await place.session.acceptedDescription()
            return try await withMarketClient(client) { client in
                let session = Session(
                    market: client,
                    holding: place.session,
                    configuration: sessionConfiguration,
                    tool: toolVersion,
                    onEvent: reporter.handle
                )
                return try await body(session, place.run)
            }
        }
    }

    /// Works on market and state as the only writer.
    ///
    /// - Parameters:
    ///   - command: what the state is held for.
    ///   - timeout: how long to wait for another holder.
    ///   - acceptance: how a described market is accepted; without, only one is written to that the state remembers.
    ///   - body: what to do.
    /// - Returns: what the body returns.
    /// - Throws: ``SessionError``, `MarketTrustError`, what the state and the body throw, and ``CommandFailure`` where a question
    ///   cannot be asked.
    func holding<Result>(
        for command: String,
        waiting timeout: Duration,
        accepting acceptance: MarketAcceptance? = nil,
        _ body: (Session) async throws -> Result
    ) async throws -> Result {
        try FileRegister.current.check()
        // Holding a state makes it.
        try target.profile.requireWritable()
        let trust = try await state.backend.reading(target.scope) { try await MarketTrust(target, rememberedBy: $0) }
        // Asked before the lock is taken, which no other run waits for meanwhile.
        let accepted = try acceptance.map { try trust.accepted(said: $0.said, asking: $0.ask) } ?? trust.remembered
        var client = client
        client.acceptedDescription = accepted
        let configured = client
        return try await state.backend.holding(target.scope, for: command, waiting: timeout) { held in
            // The answer holds although there may be nothing to send.
            if let accepted, trust.remembered == nil { try await held.accept(accepted) }
            return try await withMarketClient(configured) { client in
                let session = Session(
                    market: client,
                    holding: held,
                    acceptedDescription: accepted,
                    configuration: sessionConfiguration,
                    tool: toolVersion,
                    onEvent: reporter.handle
                )
                return try await body(session)
            }
        }
    }
}
