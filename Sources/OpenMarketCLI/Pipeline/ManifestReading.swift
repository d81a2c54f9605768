import FoundationEssentials
import OpenMarket
import OpenMarketManifest
import OpenMarketReview

extension ManifestArguments {
    /// The manifest where none is named.
    private static let standard = "openmarket.yaml"

    /// The manifests to read: as named, else `openmarket.yaml` in the current folder.
    var paths: [String] {
        let named = files + manifests
        guard !named.isEmpty else { return [Self.standard] }
        // A table says what products should be, and not where.
        let needsMarket = named.allSatisfy(ManifestLoader.isTable)
        return needsMarket && FileManager.default.fileExists(atPath: Self.standard) ? [Self.standard] + named : named
    }

    /// Reads the manifests; what is wrong with them is in the answer.
    ///
    /// - Parameters:
    ///   - url: the market's URL from the command line.
    ///   - api: the profile from the command line.
    ///   - toleratesUnset: which unset variables are not a fault.
    ///   - context: the command's.
    /// - Returns: the manifest and what is wrong with it.
    func load(
        url: String?,
        api: ProfileOption?,
        toleratesUnset: ManifestOptions.Unset,
        _ context: CommandContext
    ) async -> LoadedManifest {
        var options = ManifestOptions(context.environment, url: url, api: api, toleratesUnset: toleratesUnset)
        options.allowOutside = allowOutside
        return await ManifestLoader(options: options).load(paths)
    }

    /// Reads the manifests and says what is wrong with them.
    ///
    /// - Parameters:
    ///   - planning: what is planned with them.
    ///   - market: which market is meant.
    ///   - toleratesUnset: which unset variables are not a fault.
    ///   - context: the command's.
    /// - Returns: the manifest.
    /// - Throws: ``CommandFailure`` with exit 4 when anything is: nothing may be sent then.
    func loadValid(
        for planning: PlanningArguments,
        at market: MarketArguments,
        toleratesUnset: ManifestOptions.Unset,
        _ context: CommandContext
    ) async throws -> Manifest {
        try planning.requireOwnInput(beside: paths)
        let loaded = await load(url: market.url, api: market.api, toleratesUnset: toleratesUnset, context)
        context.console.hide(loaded.manifest?.credentials ?? [])
        context.console.report(loaded.diagnostics, all: all)
        guard !loaded.hasErrors, var manifest = loaded.manifest else {
            throw CommandFailure(
                .invalidInput,
                "the manifest is not valid: \(DiagnosticRenderer.count(loaded.diagnostics)); nothing was sent"
            )
        }
        if planning.complete { manifest.isComplete = true }
        return manifest
    }
}

extension MarketManifestArguments {
    /// The manifests that are named.
    var paths: [String] { files + manifests }
}

extension ManifestOptions {
    /// How a command reads manifests.
    init(
        _ environment: [String: String],
        url: String?,
        api: ProfileOption?,
        toleratesUnset: ManifestOptions.Unset = .secrets
    ) {
        self.init(environment: environment, urlOverride: url, profileOverride: api?.profile)
        self.toleratesUnset = toleratesUnset
        names = .onCommandLine
    }
}

extension ManifestOptions.Names {
    /// The options by their flags.
    static var onCommandLine: ManifestOptions.Names {
        var names = ManifestOptions.Names()
        names.url = Setting.url.flag
        names.firstManifest = waysToManifest
        names.allowingOutside = "allow it with \(Setting.allowOutside.flag)"
        return names
    }

    /// How to come to a manifest, where there is none.
    static let waysToManifest =
        "`openmarket demo` shows one at work, `openmarket init` writes a first one, `openmarket pull` writes one of the "
        + "products that a shop has, and `openmarket convert` makes one of another shop's table"
}
