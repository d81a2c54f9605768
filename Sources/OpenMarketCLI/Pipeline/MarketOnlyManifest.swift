import OpenMarket
import OpenMarketManifest
import OpenMarketReview

extension MarketOnlyManifest {
    /// Reads the manifest whose market arguments mean.
    ///
    /// - Throws: ``CommandFailure`` with exit 4 when the market's section has faults.
    init(_ selection: MarketManifestArguments, _ market: MarketArguments, _ context: CommandContext) throws {
        let options = try ManifestOptions(context.environment, url: market.url, api: market.api)
        try self.init(files: selection.paths, options, console: context.console)
    }

    /// What options and environment say of a market, without any manifest.
    ///
    /// - Throws: ``CommandFailure`` with exit 4 where that is faulty.
    init(onCommandLine options: ManifestOptions, console: Console) throws {
        try self.init(reading: [], options, console: console)
    }

    /// Reads it, and says what is wrong with it.
    ///
    /// - Throws: ``CommandFailure`` with exit 4 when the market's section has faults.
    init(files: [String], _ options: ManifestOptions, console: Console) throws {
        try self.init(reading: ManifestSelection.filesOfMarket(named: files), options, console: console)
    }

    private init(reading files: [String], _ options: ManifestOptions, console: Console) throws {
        do throws(Faults) {
            try self.init(files: files, options: options)
        } catch {
            console.report(error.diagnostics)
            let count = DiagnosticRenderer.count(error.diagnostics)
            throw CommandFailure(.invalidInput, "the manifest's market is not valid: \(count)")
        }
        console.hide(credentials)
    }
}
