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

    /// Looks at market and state without writing to either.
    func reading<Result>(_ body: (Session, MarketClient) async throws -> Result) async throws -> Result {
        try FileRegister.current.check()
        return try await state.backend.reading(target.scope) { state in
            try await withMarketClient(client) { client in
                let session = Session(
                    market: client,
                    reading: state,
                    configuration: configuration,
                    tool: toolVersion,
                    onEvent: reporter.handle
                )
                return try await body(session, client)
            }
        }
    }

    /// Works on market and state as the only writer.
    func holding<Result>(
        for command: String,
        waiting timeout: Duration,
        _ body: (Session) async throws -> Result
    ) async throws -> Result {
        try FileRegister.current.check()
        // Holding a state makes it.
        try target.profile.requireWritable()
        return try await state.backend.holding(target.scope, for: command, waiting: timeout) { held in
            try await withMarketClient(client) { client in
                let session = Session(
                    market: client,
                    holding: held,
                    configuration: configuration,
                    tool: toolVersion,
                    onEvent: reporter.handle
                )
                return try await body(session)
            }
        }
    }
}
