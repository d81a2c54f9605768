import ArgumentParser
import Logging
import OpenMarket
import OpenMarketReview
import OpenMarketWorkflow

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes the full live catalog as CSV, TSV, JSON Lines or SQLite.",
        discussion: """
            Columns: \(CatalogColumn.allCases.map(\.rawValue).joined(separator: ",")). An unset value is an empty \
            field, an empty text is "". FILE.gz is compressed. A file is written whole or not at all, with a certificate beside it \
            (FILE.certificate.json: rows, pages, SHA-256, start, end, and whether the catalog moved).

            Exit 0: complete. 1: not complete, no file was written. 5: the list is empty, and products of the state or of \
            the earlier file are not confirmed to be gone. 9: the market cannot be reached. 10: complete, but \
            the catalog changed while it was read.
            """,
        aliases: ["dump"]
    )

    @OptionGroup var selection: MarketManifestArguments
    @Option(
        name: .setting(.out, short: "o"),
        help: ArgumentHelp("Where to write; - is stdout. (default: -)", valueName: "file"),
        completion: .file()
    )
    var out: String?
    @Option(name: .setting(.format), help: "csv, tsv, jsonl or sqlite. (default: by the file's name, else csv)")
    var format: ExportFormat?
    @Option(
        name: .setting(.columns),
        help: ArgumentHelp("Which columns, in order, separated by commas. (default: all)", valueName: "names")
    )
    var columns: String?
    @Flag(
        name: .setting(.excel),
        help: "Write CSV for Excel: marked as UTF-8, and texts that would be run as formulas begin with '."
    )
    var excel = false
    @Option(
        name: .setting(.separator),
        help: ArgumentHelp("What separates the values of CSV: comma or semicolon. (default: comma)", valueName: "name")
    )
    var separator: SeparatorOption?
    @Flag(
        name: .setting(.details),
        help: "Read every product's details for what the list lacks: description, images, vendor."
    )
    var details = false
    @Flag(
        name: .setting(.allowEmpty),
        help: "Write an export without products, whatever the state or the earlier file had."
    )
    var allowEmpty = false
    @OptionGroup var market: MarketArguments
    @OptionGroup var state: StateArguments
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let settings = Settings.current
        let console = try output.console(settings: settings)
        try await withLogger(output.logger("openmarket", settings: settings, standard: .warning)) { _ in
            try await withCancellation { try await run(settings: settings, console: console) }
        }
    }

    private func run(settings: Settings, console: Console) async throws {
        let path = try settings.text(out, .out) ?? "-"
        let isJSON = try output.isJSON(settings)
        let work = try await work(writingTo: path, settings: settings, console: console)
        guard !isJSON || path != "-" else {
            throw CommandFailure(
                .usage,
                "\(Setting.json.flag) and the export cannot both go to stdout",
                help: "use -o FILE"
            )
        }
        let form = try form(path, settings: settings)
        let believesEmpty = try settings.isOn(allowEmpty, .allowEmpty)
        var file = try ExportFile(path: path, encoding: form.encoding, console: console)
        let certificate = try await explainingMoves(file.remains) {
            try await work.reading { session, client in
                let keys = try await session.state.keys()
                return try await session.export(form.request, as: form.writer, keys: keys, into: &file) {
                    guard !believesEmpty else { return }
                    try await EmptyExport(path: path, managed: keys.newest(EmptyExport.sample)).confirm(by: client)
                }
            }
        }
        try file.commit(certificate: certificate)
        if isJSON {
            try console.write(certificate.document.bytes() + Array("\n".utf8))
        } else if path != "-" {
            console.note("Exported \(counted(certificate.summary.rows, "product")) to \(path.terminalSafe)")
        }
        if certificate.summary.catalogMoved {
            throw CommandFailure(.catalogMoved, "complete, but the catalog changed while it was read")
        }
    }

    /// The market and the state, none of whose files the export replaces.
    private func work(writingTo path: String, settings: Settings, console: Console) async throws -> MarketWork {
        let manifest = try MarketOnlyManifest(
            files: selection.files + selection.manifests,
            url: market.url,
            api: market.api,
            settings: settings,
            console: console
        )
        let target = try MarketTarget(manifest.settings)
        let place = try await state.place(
            settings,
            manifestFiles: manifest.files,
            market: manifest.settings,
            console: console
        )
        let places = OutputPlaces(manifests: manifest.files, named: manifest.inputs, state: place)
        try places.check(path, Setting.out.flag, allowsStdout: true)
        if path != "-" { try places.check(ExportFile.certificate(of: path), "the certificate of \(Setting.out.flag)") }
        return MarketWork(
            target: target,
            client: try market.clientConfiguration(target, settings: settings),
            state: place,
            reporter: SessionReporter(isJSON: false, console: console)
        )
    }

    private func form(_ path: String, settings: Settings) throws -> ExportForm {
        try ExportForm(
            path: path,
            format: settings.value(format, .format),
            columns: settings.text(columns, .columns).map(Self.parse) ?? CatalogColumn.allCases,
            details: settings.isOn(details, .details),
            separator: settings.value(separator, .separator),
            isForSpreadsheets: settings.isOn(excel, .excel)
        )
    }

    /// Says what an export that the market would not hold still for leaves behind.
    private func explainingMoves<Result>(
        _ remains: String,
        _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch SessionError.incompleteExport(let passes) {
            throw CommandFailure(
                .failure,
                "the catalog changed faster than it could be read (\(passes) times); \(remains)",
                help: "try again when less is going on"
            )
        }
    }

    private static func parse(_ names: String) throws -> [CatalogColumn] {
        let columns = try names.split(separator: ",").map { name in
            guard let column = CatalogColumn(rawValue: name.filter { $0 != " " }) else {
                let known = CatalogColumn.allCases.map(\.rawValue).joined(separator: ", ")
                throw CommandFailure(
                    .usage,
                    "\(Setting.columns.flag): there is no column '\(name)'; there are \(known)"
                )
            }
            return column
        }
        guard !columns.isEmpty, Set(columns).count == columns.count else {
            throw CommandFailure(.usage, "\(Setting.columns.flag): name at least one column, and each once")
        }
        return columns
    }
}
