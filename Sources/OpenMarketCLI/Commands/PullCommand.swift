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
            For a shop that exists: afterwards `plan` says that there are no changes. Nothing is sent that writes. What a \
            manifest cannot say is left out, named, and so stays as the market has it.

            With --for it writes the products for the market of another manifest: without ids, only what that market takes, and without \
            managing them.

            With --drift it writes what was changed on the market into the manifests that exist, at the lines that \
            say it, and nothing else. What cannot be placed is named and left alone.

            Exit 0: done. 1: a file cannot be written. 3: some pictures could not be downloaded, or some of the drift not be written. 4: it is not known which products are ours, or with --drift which side changed. \
            5: a file is in the way; the market shows no products, or its description was not accepted. 7: another run holds the lock. 9: the market cannot be reached. 10: done, but the catalog changed while it \
            was read.

            Examples:
              openmarket pull
              openmarket pull -o shop.yaml --images pictures
              openmarket pull -o products.yaml --for new.yaml
              openmarket pull --drift --write diff=drift.patch
            """
    )

    @OptionGroup(title: "Manifest") var selection: MarketManifestArguments
    @Option(name: .shortAndLong, help: "The manifest to write. (default: openmarket.yaml)", as: .file("yaml", "yml"))
    var out: String?
    @Option(help: "Where the pictures go. (default: images beside the manifest)", as: .folder)
    var images: String?
    @Option(
        help:
            "Where the manifest's folder is served, for a market that fetches pictures itself. Written as market.pictures_url.",
        as: .text("url")
    )
    var picturesURL: String?
    @Flag(help: "Write the products of an existing manifest again.")
    var replace = false
    @Flag(help: "With --replace: drop what cannot be kept of that manifest.")
    var discard = false
    @Flag(
        help:
            "Write the files, and leave the state alone: the products are not managed. What can only be read is pulled so."
    )
    var writeOnly = false
    @Option(
        name: .customLong("for"),
        help:
            "Write the products for the market of this manifest: no ids, and only what it takes. Implies --write-only.",
        as: .file(named: "manifest", "yaml", "yml")
    )
    var destination: String?
    @Flag(help: "You confirm that the market's products are yours.")
    var adopt = false
    @Option(help: "Only this product; repeatable.", as: .text("id"))
    var id: [String] = []
    @Option(help: "Our number on the market (v2).", as: .number(called: "number"))
    var vendorID: Int64?
    @Flag(help: "Write what was changed on the market into the existing manifests.")
    var drift = false
    @Option(help: "With --drift: a patch instead of the edits.", as: .output())
    var write: [OutputOption<DriftFormat>] = []
    @Flag(help: "With --drift: allow pictures, !file and included files outside the manifest's folder.")
    var allowOutside = false
    @OptionGroup(title: "Market") var market: MarketArguments
    @OptionGroup(title: "Market") var accepting: AcceptanceArguments
    @OptionGroup(title: "State") var state: StateArguments
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() async throws {
        try await output.runCancellable { try await drift ? pullDrift($0) : pullShop($0) }
    }

    private func pullShop(_ context: CommandContext) async throws {
        try Invocation.current.refuse(["--write", "--allow-outside"], "needs --drift")
        if !replace { try Invocation.current.refuse(["--discard"], "needs --replace") }
        if let out, StandardStreams.isOutput(out) {
            throw CommandFailure(.usage, "--out takes the name of a file, and not -")
        }
        guard destination == nil || picturesURL == nil else {
            throw CommandFailure(.usage, "--pictures-url does not go with --for")
        }
        let manifest = try MarketOnlyManifest(selection, market, context)
        let pull = try PullRun(
            path: out,
            from: try MarketTarget(manifest),
            manifest,
            for: try destination.map { path in
                var options = PullDestination.options(in: context.environment)
                options.names = .onCommandLine
                return try PullDestination(path, MarketOnlyManifest(files: [path], options, console: context.console))
            },
            images: images,
            picturesURL: try normalizedURL(picturesURL, of: "--pictures-url"),
            ids: id,
            vendorID: vendorID,
            adopts: adopt,
            replaces: replace,
            discards: discard,
            managesProducts: !writeOnly,
            options: try options(context)
        )
        let work = try await MarketWork(manifest.settings, manifestFiles: pull.manifestFiles, market, state, context)
        try pull.declare(named: "--out")
        let pulled = try await pull.run(with: work, accepting: accepting.acceptance(context))
        if !context.isJSON { for line in pulled.remarks { context.console.note(line) } }
        try context.write(pulled.document, pretty: false) { _ in pulled.text }
        try pulled.requireWhole()
    }

    // MARK: Drift

    private func pullDrift(_ context: CommandContext) async throws {
        let others = [
            "--out", "--images", "--pictures-url", "--replace", "--discard", "--write-only", "--for", "--adopt", "--id",
            "--vendor-id", "--accept-market",
        ]
        try Invocation.current.refuse(others, "does not go with --drift")
        let paths = ManifestSelection.files(named: selection.paths)
        var options = try options(context)
        options.allowOutside = allowOutside
        let manifest = try await EditRun.load(paths, options, adjusts: true, context)
        var drift = try DriftRun(manifest, options: options)
        let work = try await MarketWork(manifest.market, manifestFiles: manifest.files, market, state, context)
        drift.patches = try write.declared().map(\.file)
        let edits = try await context.console.reportingFaults { try await drift.run(with: work) }
        try report(edits, isPatch: !drift.patches.isEmpty, context)
        guard edits.isComplete else { throw CommandFailure(.partialFailure) }
    }

    private func report(_ edits: DriftEdits, isPatch: Bool, _ context: CommandContext) throws {
        let console = context.console
        let planned = edits.planned
        guard !context.isJSON else {
            return try console.write(document: planned.document(written: edits.edit), pretty: false)
        }
        guard !planned.items.isEmpty else { return try console.write("No drift.\n") }
        for line in planned.leftAlone(console.errorStyle) { console.printError(line) }
        try console.write(planned.text(console.outputStyle))
        if isPatch || edits.edit != nil { try console.write(planned.outcome(written: edits.edit)) }
        // Until the state is updated, values that manifest and market share count as changed on both sides.
        if isPatch { console.note("Once it is applied, `openmarket pull --drift` records that in the state.") }
    }

    private func options(_ context: CommandContext) throws -> ManifestOptions {
        try ManifestOptions(context.environment, url: market.url, api: market.api)
    }
}
