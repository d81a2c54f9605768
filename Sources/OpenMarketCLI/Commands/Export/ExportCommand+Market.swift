import OpenMarketClient
import OpenMarketManifest
import OpenMarketWorkflow

extension ExportCommand {
    /// The market, the state, and the manifest's market settings.
    ///
    /// Outputs are declared as soon as the state is known.
    func work(
        reporter: SessionReporter,
        _ context: CommandContext,
        declaring declare: () throws -> Void = {}
    ) async throws -> (MarketWork<ClientConfiguration>, MarketOnlyManifest) {
        let console = context.console
        let manifest = try MarketOnlyManifest(selection, market, context)
        let target = try MarketTarget(manifest)
        let place = try await state.place(manifestFiles: manifest.files, market: manifest.settings, console: console)
        try declare()
        var client = try market.clientConfiguration(target, console: console)
        client.patience = wait ?? .zero
        return (MarketWork(target: target, client: client, state: place, reporter: reporter), manifest)
    }
}
