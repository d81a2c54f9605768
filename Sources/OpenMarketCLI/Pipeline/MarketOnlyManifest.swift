import FoundationEssentials
import OpenMarket
import OpenMarketManifest
import OpenMarketWorkflow

/// The market of a manifest, for commands that care for nothing else of it.
///
/// Faults of products do not stop a nightly export; faults of the `market:` section do.
struct MarketOnlyManifest {
    var settings: MarketSettings
    /// The files read; empty where flags and environment said everything.
    let files: [String]
    /// Whether they say more than which market it is: they have products.
    let hasProducts: Bool
    /// The credentials of the market that are known.
    let credentials: Set<Secret>

    /// Reads the manifest whose market arguments mean.
    ///
    /// - Throws: ``CommandFailure`` with exit 4 when the market's section has faults.
    init(_ selection: MarketManifestArguments, _ market: MarketArguments, _ context: CommandContext) throws {
        let options = ManifestOptions(context.environment, url: market.url, api: market.api)
        try self.init(files: selection.files + selection.manifests, options, console: context.console)
    }

    /// Reads it, and says what is wrong with it.
    ///
    /// - Throws: ``CommandFailure`` with exit 4 when the market's section has faults.
    init(files: [String], _ options: ManifestOptions, console: Console) throws {
        var options = options
        options.readsPictures = false
        guard !files.isEmpty || FileManager.default.fileExists(atPath: "openmarket.yaml") else {
            // Without any manifest the flags and the environment have to say where the market is.
            let empty = ManifestLoader(options: options).decode(Array("products: []".utf8))
            credentials = empty.manifest?.credentials ?? []
            console.hide(credentials)
            self.settings = empty.manifest?.market ?? MarketSettings()
            self.files = []
            self.hasProducts = false
            return
        }
        let loaded = ManifestLoader(options: options).load(files.isEmpty ? ["openmarket.yaml"] : files)
        let faults = loaded.diagnostics.filter {
            $0.severity == .error && ($0.path.isEmpty || $0.path.hasPrefix("market"))
        }
        console.report(faults)
        guard faults.isEmpty, let manifest = loaded.manifest else {
            let count = DiagnosticRenderer.count(faults)
            throw CommandFailure(.invalidInput, "the manifest's market is not valid: \(count)")
        }
        credentials = manifest.credentials
        console.hide(credentials)
        self.settings = manifest.market
        self.files = manifest.files
        self.hasProducts = !manifest.listings.isEmpty
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
