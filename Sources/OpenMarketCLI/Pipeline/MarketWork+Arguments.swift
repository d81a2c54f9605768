import OpenMarket
import OpenMarketClient
import OpenMarketWorkflow

extension MarketWork<ClientConfiguration> {
    /// The market of a manifest, and the state beside it, as arguments say.
    ///
    /// - Parameters:
    ///   - settings: what is known of the market.
    ///   - manifestFiles: the manifests.
    ///   - market: which market, and how to talk to it.
    ///   - state: where the state is.
    ///   - keptRuns: of how many runs the journal keeps the operations.
    ///   - reporter: reports what goes on; for people unless specified.
    ///   - context: the command's.
    /// - Throws: `MarketTargetError`, `StateChoiceError`, and ``CommandFailure``.
    init(
        _ settings: MarketSettings,
        manifestFiles: [String],
        _ market: MarketArguments,
        _ state: StateArguments,
        keptRuns: Int = StatePlace.standardKeptRuns,
        reporter: SessionReporter? = nil,
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
            reporter: reporter ?? SessionReporter(isJSON: false, console: context.console)
        )
    }

    /// Market and state, and what reports the work on them.
    init(target: MarketTarget, client: ClientConfiguration, state: StatePlace, reporter: SessionReporter) {
        self.init(target: target, client: client, state: state, tool: toolVersion, onEvent: reporter.handle)
    }
}
