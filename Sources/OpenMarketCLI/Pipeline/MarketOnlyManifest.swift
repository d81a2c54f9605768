import FoundationEssentials
import OpenMarket
import OpenMarketManifest
import OpenMarketReview
import OpenMarketWorkflow

extension MarketOnlyManifest {
    /// Reads the manifest whose market arguments mean.
    ///
    /// - Throws: ``CommandFailure`` with exit 4 when the market's section has faults.
    init(_ selection: MarketManifestArguments, _ market: MarketArguments, _ context: CommandContext) throws {
        let options = ManifestOptions(context.environment, url: market.url, api: market.api)
        try self.init(files: selection.paths, options, console: context.console)
    }

    /// Reads it, and says what is wrong with it.
    ///
    /// - Throws: ``CommandFailure`` with exit 4 when the market's section has faults.
    init(files: [String], _ options: ManifestOptions, console: Console) throws {
        let standard = FileManager.default.fileExists(atPath: "openmarket.yaml") ? ["openmarket.yaml"] : []
        do throws(Faults) {
            try self.init(files: files.isEmpty ? standard : files, options: options)
        } catch {
            console.report(error.diagnostics)
            let count = DiagnosticRenderer.count(error.diagnostics)
            throw CommandFailure(.invalidInput, "the manifest's market is not valid: \(count)")
        }
        console.hide(credentials)
    }
}

extension MarketTarget {
    /// The market that a manifest, the flags and the environment name, where nothing else of the manifest matters.
    ///
    /// - Throws: ``CommandFailure`` with exit 4 when none of them does.
    init(_ manifest: MarketOnlyManifest) throws {
        guard manifest.settings.url != nil || !manifest.files.isEmpty else {
            throw CommandFailure(
                .invalidInput,
                "there is no openmarket.yaml here, and no market is named",
                help: "name a market with \(Setting.url.flag) or \(Setting.url.variable); or begin with a manifest: "
                    + ManifestOptions.Names.waysToManifest
            )
        }
        try self.init(manifest.settings)
    }
}
