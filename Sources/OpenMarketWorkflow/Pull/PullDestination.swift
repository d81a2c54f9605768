import OpenMarket
package import OpenMarketManifest

/// The market that a pull writes a manifest for, where that is another than the one it reads.
package struct PullDestination: Sendable {
    /// What its manifest says of it.
    let manifest: MarketOnlyManifest

    /// How its manifest is read: the file alone says which market it is, whatever the environment says of the other one.
    package static func options(in environment: [String: String]) -> ManifestOptions {
        var options = ManifestOptions(
            environment: environment.filter { !ManifestOptions.marketVariables.contains($0.key) }
        )
        options.toleratesUnset = .market
        return options
    }

    /// - Parameters:
    ///   - path: its manifest, as it was named.
    ///   - manifest: what that says.
    /// - Throws: ``PullError/destinationUnnamed(_:)``.
    package init(_ path: String, _ manifest: MarketOnlyManifest) throws(PullError) {
        guard manifest.settings.profile != nil else { throw .destinationUnnamed(path) }
        self.manifest = manifest
    }
}
