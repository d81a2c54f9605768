import ArgumentParser
import FoundationEssentials
import OpenMarket
import OpenMarketClient
import OpenMarketManifest
import OpenMarketWorkflow

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes the full live catalog as CSV, TSV, JSON Lines, SQLite or a manifest.",
        discussion: """
            Columns: \(CatalogColumn.allCases.map(\.rawValue).joined(separator: ",")). An unset value is an empty \
            field, an empty text is "". FILE.gz is compressed. A file is written atomically, with its certificate: \
            FILE.certificate.json has rows, pages, SHA-256, start, end, and whether the catalog moved.

            --since compares the market with an earlier export, and writes new, changed and deleted products instead; \
            --verify compares a file with its certificate.

            Exit 0: complete. 1: not complete, and no file is written; or --verify --online finds changes. 3: \
            complete, but pictures are missing. 4: --verify finds another file than the certificate's. 5: the export \
            would lose products, fields or edits of the earlier file, or the market's description lacks what --details \
            or --images need. 8: credentials rejected. 9: the market cannot be reached. 10: written, but the catalog \
            changed during the reading, rows could not be read, or it cannot be proved complete.

            Examples:
              openmarket export -o catalog.csv
              openmarket export -o catalog.csv.gz --excel --columns id,name,price,stock
              openmarket export -o 'catalog-{date}.csv' --keep 30
              openmarket export --since yesterday.csv --format markdown
              openmarket export --verify catalog.csv
            """,
        aliases: ["dump"]
    )

    @OptionGroup(title: "Manifest") var selection: MarketManifestArguments
    @Option(name: .shortAndLong, help: "The file to write; - is stdout. (default: -)", as: .file())
    var out: String?
    @Option(
        help: ArgumentHelp(
            "csv, tsv, jsonl, sqlite or manifest; with --since also text, markdown and json. (default: by the file's name, else csv, or text)",
            valueName: "format"
        )
    )
    var format: ExportFormat?
    @Option(help: "The columns, in order, separated by commas. (default: all)", as: .columns)
    var columns: [CatalogColumn]?
    @Flag(help: "Write CSV for Excel: marked as UTF-8, and texts that would be run as formulas begin with '.")
    var excel = false
    @Option(help: "The separator of CSV values: comma or semicolon. (default: comma)", as: .separator)
    var separator: UInt8?
    @Flag(help: "Read every product's details for fields that the list lacks: description, images, vendor.")
    var details = false
    @Option(help: "Also keep the pictures in this folder; implies --details if the list lacks pictures.", as: .folder)
    var images: String?
    @Flag(help: "Write an export without products even if the state or the earlier file has some.")
    var allowEmpty = false
    @Flag(help: "Overwrite an earlier export that was edited since.")
    var discardEdits = false
    @Option(
        help:
            "Write an export although all products now lack these fields of the earlier file; separated by commas.",
        as: .columns
    )
    var allowMissing: [CatalogColumn]?
    @Flag(help: "Read everything again instead of resuming an interrupted export.")
    var noResume = false
    @Option(
        help: "With {date} or {date:utc} in the name of --out: keep the newest n, remove the others.",
        as: .number(from: 1)
    )
    var keep: Int?
    @Option(help: "How long to wait for a market that does not answer. (default: some seconds)", as: .duration)
    var wait: Duration?
    @Option(help: "Run this in a shell when the export is complete (exit 0 and 10).", as: .text("command"))
    var onSuccess: String?
    @Option(help: "Run this in a shell when the export is not complete.", as: .text("command"))
    var onFailure: String?
    @Option(help: "Write what changed since this earlier export, of any format but a manifest.", as: .file())
    var since: String?
    @Option(help: "Only compare this export with its certificate.", as: .file())
    var verify: String?
    @Flag(help: "With --verify: also compare it with the market.")
    var online = false
    @OptionGroup(title: "Market") var market: MarketArguments
    @OptionGroup(title: "State") var state: StateArguments
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() async throws {
        try await output.run(reader: .streaming) { context in
            do {
                try await withCancellation { try await export(context) }
            } catch {
                // A person who interrupts it, or closes its output, is there to see it.
                if let failure = CommandFailure(error), failure.status != .interrupted, failure.status != .success {
                    await runCommand(after: error, context)
                }
                throw error
            }
            await runCommand(after: nil, context)
        }
    }

    private func export(_ context: CommandContext) async throws {
        try Self.check(Invocation.current, verifies: verify != nil, compares: since != nil)
        if let verify {
            try await check(verify, context)
        } else if let since {
            try await compare(since: since, context)
        } else {
            try await exportCatalog(context)
        }
    }

    /// Checks that the options fit the use of the command.
    static func check(_ invocation: Invocation, verifies: Bool, compares: Bool) throws(CommandFailure) {
        let onlyExport = ["--excel", "--separator", "--images", "--keep", "--no-resume"]
        if verifies {
            try invocation.refuse(
                ["--out", "--since", "--format", "--discard-edits"] + onlyExport,
                "does not go with --verify"
            )
        } else {
            try invocation.refuse(["--online"], "needs --verify FILE")
            if compares { try invocation.refuse(onlyExport, "does not go with --since") }
        }
    }

    /// The market, the state, and the manifest's market settings.
    ///
    /// Outputs are declared as soon as the state is chosen.
    func work(
        reporter: SessionReporter,
        _ context: CommandContext,
        declaring declare: (MarketOnlyManifest) throws -> Void = { _ in }
    ) async throws -> (MarketWork<ClientConfiguration>, MarketOnlyManifest) {
        let console = context.console
        let manifest = try MarketOnlyManifest(selection, market, context)
        let target = try MarketTarget(manifest)
        let place = try await state.place(manifestFiles: manifest.files, market: manifest.settings, console: console)
        try declare(manifest)
        var client = try market.clientConfiguration(target, console: console)
        client.patience = wait ?? .zero
        return (MarketWork(target: target, client: client, state: place, reporter: reporter), manifest)
    }
}
