import FoundationEssentials
import OpenMarket
import OpenMarketManifest

extension ManifestArguments {
    /// The manifest where none is named.
    private static let standard = "openmarket.yaml"

    /// The manifests to read: as named, else from `OPENMARKET_FILE`, else `openmarket.yaml` in the current folder.
    func paths(settings: Settings) throws -> [String] {
        let named = settings.list(files + manifests, .file)
        guard !named.isEmpty else { return [Self.standard] }
        // A table says what products should be, and not where.
        let needsMarket = named.allSatisfy(ManifestLoader.isTable)
        return needsMarket && FileManager.default.fileExists(atPath: Self.standard) ? [Self.standard] + named : named
    }

    /// Reads the manifests; what is wrong with them is in the answer.
    ///
    /// - Parameters:
    ///   - settings: what the environment says.
    ///   - url: the market's URL from the command line.
    ///   - api: the profile from the command line.
    ///   - toleratesUnset: which unset variables are not a fault.
    /// - Returns: the manifest and what is wrong with it.
    /// - Throws: ``CommandFailure`` for a variable that cannot be understood.
    func load(
        settings: Settings,
        url: String?,
        api: ProfileOption?,
        toleratesUnset: ManifestOptions.Unset
    ) async throws -> LoadedManifest {
        var options = ManifestOptions(
            environment: settings.environment,
            allowOutside: try settings.isOn(allowOutside, .allowOutside),
            urlOverride: try settings.text(url, .url),
            profileOverride: try settings.value(api, .api)?.profile
        )
        options.toleratesUnset = toleratesUnset
        options.names = .onCommandLine
        return try await ManifestLoader(options: options).load(paths(settings: settings))
    }

    /// Reads the manifests and says what is wrong with them.
    ///
    /// - Parameters:
    ///   - planning: what is planned with them.
    ///   - market: which market is meant.
    ///   - toleratesUnset: which unset variables are not a fault.
    ///   - settings: what the environment says.
    ///   - console: where to say it.
    /// - Returns: the manifest.
    /// - Throws: ``CommandFailure`` with exit 4 when anything is: nothing may be sent then.
    func loadValid(
        for planning: PlanningArguments,
        at market: MarketArguments,
        toleratesUnset: ManifestOptions.Unset,
        settings: Settings,
        console: Console
    ) async throws -> Manifest {
        try planning.requireOwnInput(beside: paths(settings: settings), settings)
        let loaded = try await load(
            settings: settings,
            url: market.url,
            api: market.api,
            toleratesUnset: toleratesUnset
        )
        console.hide(loaded.manifest?.credentials ?? [])
        console.report(loaded.diagnostics, all: try settings.isOn(all, .all))
        guard !loaded.hasErrors, var manifest = loaded.manifest else {
            throw CommandFailure(
                .invalidInput,
                "the manifest is not valid: \(DiagnosticRenderer.count(loaded.diagnostics)); nothing was sent"
            )
        }
        if try settings.isOn(planning.complete, .complete) { manifest.isComplete = true }
        return manifest
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
