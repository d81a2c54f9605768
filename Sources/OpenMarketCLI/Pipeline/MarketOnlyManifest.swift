import OpenMarket
import OpenMarketManifest
import OpenMarketWorkflow

extension MarketOnlyManifest {
    /// Reads the manifest that the arguments select for its market.
    ///
    /// Throws ``CommandFailure`` with exit 4 if the market's section has faults.
    init(_ selection: MarketManifestArguments, _ market: MarketArguments, _ context: CommandContext) throws {
        let options = try ManifestOptions(context.environment, url: market.url, api: market.api)
        try self.init(files: selection.paths, options)
    }

    /// Throws ``CommandFailure`` with exit 4 if the market's section has faults, and with exit 64 for a table.
    init(files: [String], _ options: ManifestOptions) throws {
        if let table = files.first(where: ManifestLoader.isTable) {
            throw CommandFailure(.usage, "\(table.terminalSafe) is a table and has no market: name a manifest in YAML")
        }
        try self.init(reading: ManifestSelection.filesOfMarket(named: files), options)
    }

    /// Reads these files; without any, the options and the environment replace the manifest.
    ///
    /// Throws ``CommandFailure`` with exit 4 if there are faults.
    init(reading files: [String], _ options: ManifestOptions) throws {
        do throws(Faults) {
            try self.init(files: files, options: options)
        } catch {
            let what = "the manifest's market is not valid: \(error.diagnostics.counted)"
            throw CommandFailure(.invalidInput, what, faults: error.diagnostics)
        }
    }
}
