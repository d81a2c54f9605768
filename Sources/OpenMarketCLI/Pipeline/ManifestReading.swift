import OpenMarket
import OpenMarketManifest
import OpenMarketWorkflow

extension ManifestArguments {
    /// The manifests to read: those given, or else `openmarket.yaml` in the current folder.
    var paths: [String] { ManifestSelection.files(named: files + manifests) }

    /// Reads the manifests, and standard input unless its bytes are given; the result includes the faults.
    ///
    /// With `foreseesPlan` these include what no plan could execute. Throws ``CommandFailure`` with exit 4 for a
    /// document that is not a manifest, and with exit 64 if the URL is not the URL of a market.
    func load(
        url: String?,
        api: APIArguments,
        toleratesUnset: ManifestOptions.Unset,
        foreseesPlan: Bool = false,
        standardInput: (@Sendable () -> [UInt8])? = nil,
        _ context: CommandContext
    ) async throws -> LoadedManifest {
        if let document = ManifestSelection.document(among: paths) {
            throw CommandFailure(
                .invalidInput,
                "\(document.terminalSafe) is a saved plan or another document of openmarket's, and not a manifest",
                help: "`openmarket show` shows a saved plan, and `openmarket apply` carries it out"
            )
        }
        var options = try ManifestOptions(context.environment, url: url, api: api, toleratesUnset: toleratesUnset)
        options.allowOutside = allowOutside
        options.foreseesPlan = foreseesPlan
        return await ManifestLoader(options: options).load(paths, standardInput: standardInput)
    }

    /// Reads the manifests, for a plan if `planning` is given, and reports their faults.
    ///
    /// Throws ``CommandFailure`` with exit 4 if there are any, because nothing may be sent then, and with exit 64.
    func loadValid(
        for planning: PlanningArguments? = nil,
        at market: MarketArguments,
        toleratesUnset: ManifestOptions.Unset,
        standardInput: (@Sendable () -> [UInt8])? = nil,
        _ context: CommandContext
    ) async throws -> Manifest {
        try planning?.requireOwnInput(beside: paths)
        let loaded = try await load(
            url: market.url,
            api: market.api,
            toleratesUnset: toleratesUnset,
            standardInput: standardInput,
            context
        )
        context.console.report(loaded.diagnostics, all: all)
        var manifest = try loaded.valid(otherwise: "nothing was sent")
        try EditRecords(beside: manifest.files).requireWhole()
        if planning?.complete == true { manifest.isComplete = true }
        return manifest
    }
}

extension LoadedManifest {
    /// The manifest if it has no faults.
    ///
    /// Otherwise throws ``CommandFailure`` with exit 4, whose message states the consequence; the faults are already
    /// reported.
    func valid(otherwise consequence: String) throws -> Manifest {
        if !hasErrors, let manifest { return manifest }
        throw CommandFailure(.invalidInput, "the manifest is not valid: \(diagnostics.counted); \(consequence)")
    }
}

extension MarketManifestArguments {
    var paths: [String] { option.files + manifests }
}

extension ManifestOptions {
    /// The options for reading manifests.
    ///
    /// Throws ``CommandFailure`` with exit 64 if the URL is not the URL of a market.
    init(
        _ environment: [String: String],
        url: String?,
        api: APIArguments,
        toleratesUnset: ManifestOptions.Unset = .secrets
    ) throws {
        let url = try normalizedURL(url, of: "--url")
        self.init(environment: environment, urlOverride: url, marketOverride: api.api)
        parameters = try api.marketParameter.byName()
        self.toleratesUnset = toleratesUnset
        names = .onCommandLine
    }
}

extension ManifestOptions.Names {
    static var onCommandLine: ManifestOptions.Names {
        var names = ManifestOptions.Names()
        names.url = "--url"
        names.firstManifest = waysToManifest
        names.fillingParameters = "fill it in 'market.parameters' or with --market-parameter"
        names.allowingOutside = "allow it with --allow-outside"
        return names
    }

    static let waysToManifest =
        "`openmarket demo` shows one at work, `openmarket init` writes a first one, `openmarket pull` writes one of the "
        + "products that a shop has, and `openmarket convert` creates one from another shop's table"
}
