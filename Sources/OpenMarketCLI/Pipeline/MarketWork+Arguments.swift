import OpenMarket
import OpenMarketClient
import OpenMarketWorkflow

extension MarketWork<ClientConfiguration> {
    /// The market of a manifest and the state next to it, as the arguments select them.
    ///
    /// Throws ``CommandFailure``.
    init(
        _ settings: MarketSettings,
        manifestFiles: [String],
        _ market: MarketArguments,
        _ state: StateArguments,
        keptRuns: Int = OpenedState.standardKeptRuns,
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

    /// Market and state for applying a manifest, with the passwords of its products.
    ///
    /// Throws ``CommandFailure``.
    init(
        carryingOut manifest: Manifest,
        _ market: MarketArguments,
        _ state: StateArguments,
        keptRuns: Int = OpenedState.standardKeptRuns,
        at pace: PaceArguments,
        reporter: SessionReporter,
        _ context: CommandContext
    ) async throws {
        try await self.init(
            manifest.market,
            manifestFiles: manifest.files,
            market,
            state,
            keptRuns: keptRuns,
            reporter: reporter,
            context
        )
        client.credentials.itemSecrets = try await SecretLookup(environment: context.environment)
            .itemSecrets(of: manifest, at: target, rememberedBy: self.state.backend)
        configuration = pace.configuration(parallelism: client.parallelism)
    }

    init(target: MarketTarget, client: ClientConfiguration, state: OpenedState, reporter: SessionReporter) {
        self.init(target: target, client: client, state: state, tool: toolVersion, onEvent: reporter.handle)
    }
}
