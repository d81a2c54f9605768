package import OpenMarket

/// The market settings of manifests, for commands that need only those.
///
/// Faults of products do not stop a nightly export; faults of the `market:` section do.
package struct MarketOnlyManifest: Sendable {
    package var settings: MarketSettings
    /// The files read; empty if options and environment suffice.
    package let files: [String]
    package let hasProducts: Bool

    /// Whether the one file that is read has products: a pull to another path then writes a separate manifest.
    package var isWhole: Bool { hasProducts && files.count == 1 }

    package struct Faults: Error {
        package let diagnostics: [Diagnostic]
    }

    init(_ settings: MarketSettings, files: [String] = [], hasProducts: Bool = false) {
        self.settings = settings
        self.files = files
        self.hasProducts = hasProducts
    }

    /// Reads files; without any, options and environment must give the market's location.
    package init(files: [String], options: ManifestOptions) throws(Faults) {
        var options = options
        options.readsPictures = false
        let loader = ManifestLoader(options: options)
        let loaded = files.isEmpty ? loader.decode(Array("products: []".utf8)) : loader.load(files)
        let faults = loaded.diagnostics.filter {
            $0.severity == .error
                && ($0.path.isEmpty || $0.path.hasPrefix("market") || $0.code.isOfDescription)
        }
        guard faults.isEmpty, let manifest = loaded.manifest else { throw Faults(diagnostics: faults) }
        let read = files.isEmpty ? [] : manifest.files
        self.init(manifest.market, files: read, hasProducts: !manifest.listings.isEmpty)
    }
}
