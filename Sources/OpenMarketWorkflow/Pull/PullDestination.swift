import OpenMarket
package import OpenMarketManifest

/// The market that a pull writes a manifest for, if it is not the one that is read.
package struct PullDestination: Sendable {
    let manifest: MarketOnlyManifest

    /// The options for reading its manifest.
    ///
    /// Only the file names the market, because the environment may state the other one.
    package static func options(in environment: [String: String]) -> ManifestOptions {
        var options = ManifestOptions(
            environment: environment.filter { !ManifestOptions.marketVariables.contains($0.key) }
        )
        options.toleratesUnset = .market
        return options
    }

    /// `path` is the manifest's path as stated.
    ///
    /// Throws ``PullError/destinationUnnamed(_:)``.
    package init(_ path: String, _ manifest: MarketOnlyManifest) throws(PullError) {
        guard manifest.settings.profile != nil else { throw .destinationUnnamed(path) }
        self.manifest = manifest
    }
}
