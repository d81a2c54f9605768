import ArgumentParser
import OpenMarket
import OpenMarketFiles
import OpenMarketManifest
import OpenMarketWorkflow

struct PullCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pull",
        abstract: "Writes the live products of a shop as a manifest with its pictures, and starts to manage them.",
        discussion: """
            For an existing shop: afterwards `plan` finds no changes. The market is only read. Values that a manifest \
            cannot express are printed and omitted, so they stay as they are on the market.

            In a manifest that lists products it is an edit: it adds new products, and updates the lines of values \
            that changed on the market. It shows the edit and asks for confirmation. Values without a place in the \
            manifest are printed and left alone.

            With --for it writes the products for the market of another manifest: without ids, only with fields that \
            the market supports, and unmanaged.

            With --drift it writes only values that changed on the market, without new products, pictures or a question.

            Exit 0: done. 1: a file cannot be written. 3: some pictures could not be downloaded, or something was left \
            alone. 4: the vendor's products, or with --drift the changed side, cannot be identified. 5: a file is in \
            the way, the market's list lacks products of the vendor, or the description was not accepted. 7: another \
            run holds the lock. 9: the market cannot be reached. 10: done, but the catalog changed while it was read. \
            64: neither a terminal nor --yes.

            Examples:
              openmarket pull
              openmarket pull -o shop.yaml --images pictures
              openmarket pull -o products.yaml --for new.yaml
              openmarket pull --drift --write diff=drift.patch
            """
    )

    @OptionGroup(title: "Manifest") var selection: MarketManifestArguments
    @Option(
        name: .shortAndLong,
        help: "The manifest to write; of several manifests, the one for new products. (default: openmarket.yaml)",
        as: .file("yaml", "yml")
    )
    var out: String?
    @Option(help: "The folder for pictures. (default: images next to the manifest)", as: .folder)
    var images: String?
    @Option(
        help:
            "The address of the manifest's folder, for a market that fetches pictures itself. Written as market.pictures_url.",
        as: .text("url")
    )
    var picturesURL: String?
    @Flag(
        help:
            "Write the files but not the state: the products stay unmanaged. Use it for a read-only market."
    )
    var writeOnly = false
    @Option(
        name: .customLong("for"),
        help:
            "Write the products for this manifest's market, without ids and unsupported fields. Implies --write-only.",
        as: .file(named: "manifest", "yaml", "yml")
    )
    var destination: String?
    @Flag(help: "Confirm that the market's products are yours.")
    var adopt = false
    @Option(help: "Only this product; repeatable.", as: .text("id"))
    var id: [String] = []
    @Option(help: "The vendor number on the market (v2).", as: .number(called: "number"))
    var vendorID: Int64?
    @Flag(help: "Write only values that changed on the market into the existing manifests.")
    var drift = false
    @Flag(help: "Allow pictures, !file and included files outside the manifest's folder.")
    var allowOutside = false
    @OptionGroup(title: "Writing") var writing: EditArguments
    @OptionGroup(title: "Market") var market: MarketArguments
    @OptionGroup(title: "Market") var accepting: AcceptanceArguments
    @OptionGroup(title: "State") var state: StateArguments
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() async throws {
        try await output.runCancellable { try await drift ? pullDrift($0) : pullShop($0) }
    }

    private func pullShop(_ context: CommandContext) async throws {
        if let out, StandardStreams.isOutput(out) {
            throw CommandFailure(.usage, "--out takes a file name, and not -")
        }
        guard destination == nil || picturesURL == nil else {
            throw CommandFailure(.usage, "--pictures-url does not go with --for")
        }
        let manifest = try MarketOnlyManifest(selection, market, context)
        let manages = !writeOnly && destination == nil
        let path = out ?? (manages && manifest.hasProducts ? nil : ManifestSelection.standard)
        let pull = try pull(into: path ?? manifest.files.first, from: manifest, context)
        let work = try await MarketWork(manifest.settings, manifestFiles: pull.stateFiles, market, state, context)
        try pull.declare()
        if manages { return try await edit(manifest, and: path, with: work, context) }
        guard writing.write.isEmpty else { throw CommandFailure(.usage, "--write needs a manifest to edit") }
        let pulled = try await pull.run(with: work)
        if !context.isJSON { for line in pulled.remarks { context.console.note(line) } }
        try context.write(pulled.document, pretty: false) { _ in pulled.text }
        try pulled.requireWhole()
    }

    private func pull(
        into path: String?,
        from manifest: MarketOnlyManifest,
        _ context: CommandContext
    ) throws -> PullRun {
        try PullRun(
            path: path,
            from: try MarketTarget(manifest),
            manifest,
            for: try destination.map { path in
                let options = PullRun.destinationOptions(in: context.environment)
                return try MarketOnlyManifest(files: [path], options)
            },
            images: images,
            picturesURL: try normalizedURL(picturesURL, of: "--pictures-url"),
            ids: id,
            vendorID: vendorID,
            adopts: adopt,
            managesProducts: !writeOnly,
            options: try options(context)
        )
    }

    // MARK: Edits

    /// Pulls into a managed manifest; `path` is one more file of it, which may be missing.
    private func edit(
        _ market: MarketOnlyManifest,
        and path: String?,
        with work: MarketWork<some MarketConnection>,
        _ context: CommandContext
    ) async throws {
        let console = context.console
        try FileRegister.current.check()
        var files = ManifestSelection.filesOfMarket(named: selection.paths)
        if let path {
            if market.isWhole, !market.files.contains(where: { FileSystem.areSame($0, path) }) { files = [] }
            files.append(path)
        }
        let created = path.flatMap { FileSystem.isMissing($0) ? $0 : nil }
        let (manifest, options) = try await load(files, created: created, context)
        let destination = manifest.destination(path)
        let pull = try pull(into: destination ?? manifest.files.first, from: market, context)
        var run = try DriftRun(manifest, options: options, patches: writing.write.declared().map(\.file))
        run.add(pull, into: destination)
        // A manifest without products is written without a question, like a missing one.
        let asks = !manifest.listings.isEmpty && run.patches.isEmpty
        let edits = try await run.run(with: work, accepting: accepting.acceptance(context)) { edits in
            guard asks else { return }
            for line in run.edits.heading { console.note(line) }
            try writing.show(edits.planned, context)
            guard !edits.planned.isEmpty else { return }
            try writing.requireTerminal(context)
            try writing.confirm(edits.planned.question, context)
        }
        for line in edits.shop?.remarks ?? [] { console.note(line) }
        if let shop = edits.shop, manifest.listings.isEmpty, run.patches.isEmpty {
            for line in edits.planned.leftAlone(console.errorStyle) { console.printError(line) }
            try context.write(shop.document, pretty: false) { _ in shop.text }
        } else {
            if !asks { try writing.show(edits.planned, context) }
            try finish(edits, context)
        }
        guard edits.isComplete else { throw CommandFailure(.partialFailure) }
        try edits.shop?.requireWhole()
    }

    // MARK: Drift

    private func pullDrift(_ context: CommandContext) async throws {
        let others = [
            "--out", "--images", "--pictures-url", "--write-only", "--for", "--adopt", "--id", "--vendor-id",
            "--accept-market",
        ]
        try Invocation.current.refuse(others, "does not go with --drift")
        let (manifest, options) = try await load(ManifestSelection.files(named: selection.paths), context)
        let drift = try DriftRun(manifest, options: options, patches: writing.write.declared().map(\.file))
        let work = try await MarketWork(manifest.market, manifestFiles: manifest.files, market, state, context)
        let edits = try await drift.run(with: work)
        if edits.planned.items.isEmpty, !context.isJSON { return try context.console.write("No drift.\n") }
        for line in drift.edits.heading { context.console.note(line) }
        try writing.show(edits.planned, context)
        try finish(edits, context)
        guard edits.isComplete else { throw CommandFailure(.partialFailure) }
    }

    private func finish(_ edits: DriftEdits, _ context: CommandContext) throws {
        try writing.report(edits.planned, written: edits.edit, context)
        // Until the state is updated, values that manifest and market share count as changed on both sides.
        if !writing.write.isEmpty, !context.isJSON {
            let command = "openmarket pull\(drift ? " --drift" : "")"
            context.console.note("Once it is applied, `\(command)` records that in the state.")
        }
    }

    /// Reads the manifest as the market has it, with the options for reading it again.
    private func load(
        _ paths: [String],
        created: String? = nil,
        _ context: CommandContext
    ) async throws -> (Manifest, ManifestOptions) {
        var options = try options(context)
        options.allowOutside = allowOutside
        return (try await EditRun.load(paths, options, adjusts: true, created: created, context), options)
    }

    private func options(_ context: CommandContext) throws -> ManifestOptions {
        try ManifestOptions(context.environment, url: market.url, api: market.api)
    }
}
