package import OpenMarket

/// What manifests say of their market, for commands that care for nothing else of them.
///
/// Faults of products do not stop a nightly export; faults of the `market:` section do.
package struct MarketOnlyManifest: Sendable {
    package var settings: MarketSettings
    /// The files read; empty where options and environment said everything.
    package let files: [String]
    /// Whether they say more than which market it is: they have products.
    package let hasProducts: Bool
    /// The credentials of the market that are known.
    package let credentials: Set<Secret>

    /// What is wrong with the market's section.
    package struct Faults: Error {
        /// Each of them.
        package let diagnostics: [Diagnostic]
    }

    /// What is known of a market.
    init(_ settings: MarketSettings, files: [String] = [], hasProducts: Bool = false, credentials: Set<Secret>) {
        self.settings = settings
        self.files = files
        self.hasProducts = hasProducts
        self.credentials = credentials
    }

    /// Reads files; without any, options and environment have to say where the market is.
    ///
    /// - Throws: ``Faults``.
    package init(files: [String], options: ManifestOptions) throws(Faults) {
        var options = options
        options.readsPictures = false
        let loader = ManifestLoader(options: options)
        guard !files.isEmpty else {
            let empty = loader.decode(Array("products: []".utf8))
            let faults = empty.diagnostics.filter { $0.severity == .error }
            guard faults.isEmpty else { throw Faults(diagnostics: faults) }
            self.init(empty.manifest?.market ?? MarketSettings(), credentials: empty.manifest?.credentials ?? [])
            return
        }
        let loaded = loader.load(files)
        let faults = loaded.diagnostics.filter {
            $0.severity == .error
                && ($0.path.isEmpty || $0.path.hasPrefix("market") || $0.code.isOfDescription)
        }
        guard faults.isEmpty, let manifest = loaded.manifest else { throw Faults(diagnostics: faults) }
        self.init(
            manifest.market,
            files: manifest.files,
            hasProducts: !manifest.listings.isEmpty,
            credentials: manifest.credentials
        )
    }
}
