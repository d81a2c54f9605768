import FoundationEssentials
import OpenMarket
import OpenMarketManifest

/// The market of a manifest, for commands that care for nothing else of it.
///
/// Faults of products do not stop a nightly export; faults of the `market:` section do.
struct MarketOnlyManifest {
    let settings: MarketSettings
    /// The files read; empty where flags and environment said everything.
    let files: [String]

    /// - Throws: ``CommandFailure`` with exit 4 when the market's section has faults.
    init(files: [String], url: String?, api: ProfileOption?, settings: Settings) throws {
        let options = ManifestOptions(
            environment: settings.environment,
            urlOverride: try settings.text(url, "url"),
            profileOverride: try settings.value(api, "api") { ProfileOption(argument: $0) }?.profile
        )
        let named = settings.list(files, "file")
        let isNamed = !named.isEmpty
        guard isNamed || FileManager.default.fileExists(atPath: "openmarket.yaml") else {
            // Without any manifest the flags and the environment have to say where the market is.
            let empty = ManifestLoader(options: options).decode(Array("products: []".utf8))
            self.settings = empty.manifest?.market ?? MarketSettings()
            self.files = []
            return
        }
        let loaded = ManifestLoader(options: options).load(isNamed ? named : ["openmarket.yaml"])
        let faults = loaded.diagnostics.filter {
            $0.severity == .error && ($0.path.isEmpty || $0.path.hasPrefix("market"))
        }
        if let fault = faults.first {
            throw CommandFailure(.invalidInput, DiagnosticRenderer(style: .plain).render(fault))
        }
        guard let manifest = loaded.manifest else {
            throw CommandFailure(.invalidInput, loaded.diagnostics.first?.message ?? "the manifest cannot be read")
        }
        self.settings = manifest.market
        self.files = manifest.files
    }
}
