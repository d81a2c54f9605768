import OpenMarket
import OpenMarketManifest
import OpenMarketWorkflow

extension ManifestArguments {
    /// The manifests to read: those given, or else `openmarket.yaml` in the current folder.
    var paths: [String] { ManifestSelection.files(named: files + manifests) }

    /// Reads the manifests, and standard input unless its bytes are given; the result includes the faults.
    ///
    /// Throws ``CommandFailure`` with exit 4 for a document that is not a manifest, and with exit 64 if the URL is not
    /// the URL of a market.
    func load(
        url: String?,
        api: APIArguments,
        toleratesUnset: ManifestOptions.Unset,
        standardInput: [UInt8]? = nil,
        _ context: CommandContext
    ) async throws -> LoadedManifest {
        if let document = ManifestSelection.document(among: paths) {
            throw CommandFailure(
                .invalidInput,
                "\(document.terminalSafe) is a saved plan or another document of openmarket's, and not a manifest",
                help: "`openmarket show` shows a saved plan, and `openmarket apply` carries it out"
            )
        }
        let options = try options(url: url, api: api, toleratesUnset: toleratesUnset, context)
        let edited = standardInput.map { [ExactText("-"): $0] } ?? [:]
        return await ManifestLoader(options: options, edited: edited).load(paths)
    }

    /// Reads the manifests, and reports their faults.
    ///
    /// Throws ``CommandFailure`` with exit 4 if there are any, because sending is then forbidden, and with exit 64.
    func loadValid(
        at market: MarketArguments,
        toleratesUnset: ManifestOptions.Unset,
        standardInput: [UInt8]? = nil,
        _ context: CommandContext
    ) async throws -> Manifest {
        let loaded = try await load(
            url: market.url,
            api: market.api,
            toleratesUnset: toleratesUnset,
            standardInput: standardInput,
            context
        )
        context.console.report(loaded.diagnostics, all: all)
        let manifest = try loaded.valid(otherwise: "no change was sent")
        try EditRecords(beside: manifest.files).requireWhole()
        return manifest
    }

    /// The manifest to plan, with its faults reported: as the table among the arguments edits it, if there is one.
    ///
    /// Throws ``CommandFailure`` with exit 4 for faults, and with exit 64 for options that need files as they are, or a
    /// table.
    func edited(
        for planning: PlanningArguments,
        at market: MarketArguments,
        in state: StateArguments,
        savesPlan: Bool = false,
        toleratesUnset: ManifestOptions.Unset,
        standardInput: [UInt8]? = nil,
        _ context: CommandContext
    ) async throws -> (manifest: Manifest, edited: EditedManifest?) {
        let named = files + manifests
        let tables = named.filter(ManifestLoader.isTable)
        guard let table = tables.first else {
            try Invocation.current.refuse(CommandOptions(TableArguments.self).options.map(\.flag), "goes with a table")
            try planning.requireOwnInput(beside: paths)
            let manifest = try await loadValid(
                at: market,
                toleratesUnset: toleratesUnset,
                standardInput: standardInput,
                context
            )
            return (manifest, nil)
        }
        guard tables.count == 1 else { throw CommandFailure(.usage, "tables are edits, and are taken one by one") }
        guard !savesPlan, !planning.noDelete, planning.recreate.isEmpty else {
            throw CommandFailure(
                .usage,
                "--out, --no-delete and --recreate need files as they are, and \(table.terminalSafe) is an edit of them",
                help: "openmarket edit \(table.terminalSafe) writes it, then plan again without it"
            )
        }
        let paths = ManifestSelection.files(named: named.filter { !ManifestLoader.isTable($0) })
        try planning.requireOwnInput(beside: paths)
        let options = try options(url: market.url, api: market.api, toleratesUnset: toleratesUnset, context)
        let rules = planning.table.rules(
            maximumDelete: planning.maxDelete,
            allowsNamesakes: planning.allowNamesakes
        )
        let edit = try await TableEdit.load(table, of: paths, options, rules, state: state, context) { manifest in
            try planning.filter(among: manifest.listings)
        }
        let console = context.console
        try console.requireSound(edit.edits)
        let edited = try await EditedManifest(edit)
        console.report(edited.loaded.diagnostics, all: all)
        for line in edited.planned.leftAlone(console.errorStyle) { console.printError(line) }
        return (try edited.loaded.valid(otherwise: "no change was sent"), edited)
    }

    private func options(
        url: String?,
        api: APIArguments,
        toleratesUnset: ManifestOptions.Unset,
        _ context: CommandContext
    ) throws -> ManifestOptions {
        var options = try ManifestOptions(context.environment, url: url, api: api, toleratesUnset: toleratesUnset)
        options.allowOutside = allowOutside
        return options
    }
}

extension EditedManifest {
    /// Fails if the files did not get all that the table has.
    func requireComplete() throws {
        guard planned.isComplete else { throw CommandFailure(.partialFailure) }
    }
}

extension LoadedManifest {
    /// The manifest if it is valid.
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
    }
}
