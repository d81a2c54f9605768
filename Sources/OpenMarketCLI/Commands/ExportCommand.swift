import ArgumentParser
import FoundationEssentials
import Logging
import OpenMarket
import OpenMarketCatalogFiles
import OpenMarketClient
import OpenMarketFiles
import OpenMarketManifest
import OpenMarketReview
import OpenMarketWorkflow

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes the full live catalog as CSV, TSV, JSON Lines, SQLite or a manifest.",
        discussion: """
            Columns: \(CatalogColumn.allCases.map(\.rawValue).joined(separator: ",")). An unset value is an empty \
            field, an empty text is "". FILE.gz is compressed. A file is written whole or not at all, with a certificate beside it \
            (FILE.certificate.json: rows, pages, SHA-256, start, end, and whether the catalog moved).

            --since compares the market with an earlier export, and writes what is new, changed and gone instead; \
            --verify compares a file with its certificate.

            Exit 0: complete. 1: not complete, no file was written; or --verify --online finds changes. 3: complete, but \
            pictures are missing. 4: --verify finds \
            another file than the certificate's. 5: the list is empty, and products of the state or of \
            the earlier file are not confirmed to be gone. 9: the market cannot be reached. 10: written, but \
            the catalog changed while it was read, or rows of it could not be read and are not in the file.

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
    @Option(
        name: .setting(.out, short: "o"),
        help: ArgumentHelp("Where to write; - is stdout. (default: -)", valueName: "file"),
        completion: .file()
    )
    var out: String?
    @Option(
        name: .setting(.format),
        help: ArgumentHelp(
            "csv, tsv, jsonl, sqlite or manifest; text, markdown and json too with \(Setting.since.flag). (default: by the file's name, else csv, "
                + "or text)",
            valueName: "format"
        )
    )
    var format: ExportFormatOption?
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
    @Option(
        name: .setting(.images),
        help: ArgumentHelp("Keep the pictures there, too; implies --details.", valueName: "folder"),
        completion: .directory
    )
    var images: String?
    @Flag(
        name: .setting(.allowEmpty),
        help: "Write an export without products, whatever the state or the earlier file had."
    )
    var allowEmpty = false
    @Flag(
        name: .setting(.noResume),
        help: "Read everything again, whatever an interrupted export has kept."
    )
    var noResume = false
    @Option(
        name: .setting(.keep),
        help: ArgumentHelp(
            "With {date} or {date:utc} in the name of \(Setting.out.flag): keep the newest n, remove the others.",
            valueName: "n"
        )
    )
    var keep: PositiveOption?
    @Option(
        name: .setting(.wait),
        help: ArgumentHelp(
            "How long to wait for a market that does not answer. (default: some seconds)",
            valueName: "time"
        )
    )
    var wait: DurationOption?
    @Option(
        name: .setting(.onSuccess),
        help: ArgumentHelp("Run this in a shell when the export is complete (exit 0 and 10).", valueName: "command")
    )
    var onSuccess: String?
    @Option(
        name: .setting(.onFailure),
        help: ArgumentHelp("Run this in a shell when it is not.", valueName: "command")
    )
    var onFailure: String?
    @Option(
        name: .setting(.since),
        help: ArgumentHelp("Write what changed since this earlier export, of any format.", valueName: "file"),
        completion: .file()
    )
    var since: String?
    @Option(
        name: .setting(.verify),
        help: ArgumentHelp("Compare this export with its certificate; writes no export.", valueName: "file"),
        completion: .file()
    )
    var verify: String?
    @Flag(name: .setting(.online), help: "With \(Setting.verify.flag): compare it with the market, too.")
    var online = false
    @OptionGroup(title: "Market") var market: MarketArguments
    @OptionGroup(title: "State") var state: StateArguments
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() async throws {
        let settings = Settings.current
        let console = try output.console(settings: settings)
        let commands = CompletionCommands(
            onSuccess: try settings.text(onSuccess, .onSuccess),
            onFailure: try settings.text(onFailure, .onFailure),
            console: console
        )
        do {
            try await withLogger(output.logger("openmarket", settings: settings, standard: .warning)) { _ in
                try await withCancellation { try await run(settings: settings, console: console) }
            }
        } catch {
            // Who stops it, or does not read on, is there to see it.
            if let failure = CommandFailure(error), failure.status != .interrupted, failure.status != .success {
                await commands.run(after: failure) { await credentialVariables(settings) }
            }
            throw error
        }
        await commands.run(after: nil) { await credentialVariables(settings) }
    }

    /// The variables that hold credentials, as far as the manifests say so.
    private func credentialVariables(_ settings: Settings) async -> Set<String> {
        var options = ManifestOptions(environment: settings.environment)
        options.readsPictures = false
        let named = settings.list(selection.files + selection.manifests, .file)
        let loaded = await ManifestLoader(options: options).load(named.isEmpty ? ["openmarket.yaml"] : named)
        return loaded.manifest?.credentialVariables ?? ManifestOptions.credentialVariables
    }

    private func run(settings: Settings, console: Console) async throws {
        // What variables say is for the other uses of the command, too.
        let given = Invocation.current.given
        guard !given.contains(.images) || verify == nil && since == nil else {
            let other = verify == nil ? Setting.since.flag : Setting.verify.flag
            throw CommandFailure(.usage, "\(Setting.images.flag) does not go with \(other)")
        }
        if let verify {
            try await check(verify, settings: settings, console: console)
        } else if let since = try settings.text(since, .since) {
            try await compare(with: since, settings: settings, console: console)
        } else {
            try await export(settings: settings, console: console)
        }
    }

    private func export(settings: Settings, console: Console) async throws {
        let out = try settings.text(out, .out) ?? "-"
        let dated = DatedFiles(out)
        let path = dated?.path(at: .now) ?? out
        guard dated != nil || !DatedFiles.hasPlaceholder(out) else {
            throw CommandFailure(
                .usage,
                "\(Setting.out.flag) \(out): \(DatedFiles.placeholder) may occur once, and in the name of the file"
            )
        }
        guard dated != nil || !Invocation.current.isGiven(.keep) else {
            throw CommandFailure(
                .usage,
                "\(Setting.keep.flag) needs to know which files are exports of other days",
                help:
                    "put \(DatedFiles.placeholder) in the file's name: \(Setting.out.flag) 'catalog-\(DatedFiles.placeholder).csv.gz'"
            )
        }
        let isJSON = try output.isJSON(settings)
        guard !Invocation.current.isGiven(.online) else {
            throw CommandFailure(.usage, "\(Setting.online.flag) goes with \(Setting.verify.flag) FILE")
        }
        var (work, manifest) = try await work(
            writingTo: path,
            isCertified: true,
            isJSON: isJSON,
            settings: settings,
            console: console
        )
        guard !isJSON || path != "-" else {
            throw CommandFailure(
                .usage,
                "\(Setting.json.flag) and the export cannot both go to stdout",
                help: "use -o FILE"
            )
        }
        let form = try form(path, of: manifest, settings: settings)
        // A manifest may be edited by hand; tables are written again every night.
        let replaces = form.manifest == nil || FileSystem.isRegular(path)
        if form.manifest != nil { try requireOwn(path) }
        let folder = try settings.text(images, .images)
        if let folder { PictureLibrary.note(folder) }
        let keptPath = ExportCheckpoint.path(of: out)
        if path != "-" { try OutputPlace.declare(keptPath, "the replies that \(Setting.out.flag) keeps", as: nil) }
        try FileRegister.current.check()
        let allowsEmpty = try settings.isOn(allowEmpty, .allowEmpty)
        let earlier = try dated?.newest() ?? path
        var file = try ExportFile(path: path, isCompressed: form.isCompressed, replaces: replaces, console: console)
        let kept =
            try file.isRegular
            ? ExportCheckpoint(
                output: out,
                scope: work.target.scope,
                details: form.request.details,
                parallelism: work.client.parallelism,
                restarts: settings.isOn(noResume, .noResume),
                tool: toolVersion
            ) { console.note($0.words(path: keptPath)) } : nil
        let encoding = try form.encoding { try CatalogDatabase(path: file.place(), columns: $0) }
        work.client.replyLog = kept
        work.client.onTotal = { [reporter = work.reporter] in reporter.expect($0) }
        var (certificate, pictures) = try await explaining(path, file.remains) {
            try await keeping(kept, in: work) { session, client in
                let keys = try await session.state.keys()
                if let manifest = form.manifest { manifest.know(try await session.state.snapshot()) }
                var pictures = try folder.map {
                    try PictureExport(folder: $0, session: session, keys: keys, console: console)
                }
                let certificate = try await session.export(
                    form.request,
                    as: encoding,
                    keys: keys,
                    eachProduct: { try await pictures?.add($0) },
                    into: &file
                ) {
                    if !allowsEmpty { try await confirmEmpty(client, keys, earlier: earlier, as: .ownExport) }
                }
                try await pictures?.finish()
                return (certificate, pictures)
            }
        }
        if let manifest = form.manifest {
            certificate.summary.rows = manifest.count
            note(manifest, console)
        }
        if let start = kept?.resumedStart { certificate.startedAt = start }
        // It may have been edited since.
        if form.manifest != nil { try requireOwn(path) }
        // What is on the disk twice is not needed for the file to be there.
        kept?.remove()
        try file.commit(certificate: certificate)
        let removed = keep.flatMap { dated?.removeOldest(keeping: $0.value, with: path, console: console) } ?? 0
        work.reporter.end(certificate)
        if !isJSON, path != "-" {
            let rest = removed == 0 ? "" : ", and removed \(counted(removed, "older export"))"
            console.note("Exported \(counted(certificate.summary.rows, "product")) to \(path.terminalSafe)" + rest)
        }
        let whole = Result { () throws(CommandFailure) in
            try requireWhole(certificate.summary, lostRows: certificate.lostRows)
        }
        // Of two reasons one decides the exit code, and both are said.
        if case .failure(let failure) = whole, pictures?.missing ?? 0 > 0, let message = failure.message {
            console.complain("warning: " + message)
        }
        try requirePictures(pictures, console)
        try whole.get()
    }

    /// Reads the market, and keeps what was read where that is stopped.
    private func keeping<Result>(
        _ kept: ExportCheckpoint?,
        in work: MarketWork,
        _ body: (Session, MarketClient) async throws -> Result
    ) async throws -> Result {
        do {
            return try await work.reading(body)
        } catch {
            kept?.end(after: error)
            throw error
        }
    }

    /// Makes sure that an empty list is to be believed.
    ///
    /// - Throws: ``CommandFailure`` with exit 5 where it is not, and `MarketError`.
    func confirmEmpty(_ market: MarketClient, _ keys: ProductKeys, earlier path: String, as role: FileRole) async throws
    {
        var earlier: [ProductID]?
        let size = EmptyCatalogGuard.sampleSize
        if path != "-", FileManager.default.fileExists(atPath: path) {
            do {
                let isManifest = ExportFormat(fileName: path) == .manifest
                earlier = try CatalogFile(path, as: role).newestProducts(atMost: size, isManifest: isManifest)
            } catch {
                throw CommandFailure(.invalidInput, "cannot read \(path.terminalSafe): \(error)")
            }
        }
        do {
            try await EmptyCatalogGuard(managed: keys.newest(size), earlier: earlier).confirm(by: market)
        } catch let refusal as EmptyCatalogGuard.Refusal {
            throw CommandFailure(refusal, earlier: path)
        }
    }

    /// Makes sure that a manifest that is written over is an export, to the letter, and was not edited.
    ///
    /// - Throws: ``CommandFailure`` where it is something else.
    private func requireOwn(_ path: String) throws {
        guard FileSystem.isRegular(path), (try? ExportVerification(path: path, as: .ownExport).isWhole()) != true,
            try !isSealedExport(path)
        else { return }
        throw CommandFailure(
            .failure,
            "\(path.terminalSafe) exists, and is not just what an export wrote; it was not changed",
            help: "name another file with \(Setting.out.flag)"
        )
    }

    /// Says what became of the pictures.
    ///
    /// - Throws: ``CommandFailure`` with exit 3 where some are missing.
    private func requirePictures(_ pictures: PictureExport?, _ console: Console) throws {
        guard let pictures else { return }
        console.note("Kept \(pictures.summary)")
        guard pictures.missing == 0 else {
            throw CommandFailure(
                .partialFailure,
                "the catalog is complete, and \(counted(pictures.missing, "picture")) could not be downloaded",
                help: "run it again; only what is missing is fetched"
            )
        }
    }

    /// Says what a manifest lacks.
    private func note(_ manifest: ManifestEncoder, _ console: Console) {
        if manifest.foreign > 0 {
            console.note("Left out \(counted(manifest.foreign, "product")) of other vendors")
        }
        if manifest.omissions > 0 {
            console.note(
                "Left out \(counted(manifest.omissions, "value")) that a manifest cannot say, each with a comment"
            )
        }
    }

    /// Fails with its own exit code where the catalog changed meanwhile, or where rows of it could not be read.
    func requireWhole(_ summary: CatalogSummary, lostRows: Int) throws(CommandFailure) {
        let moved = summary.catalogMoved ? "the catalog changed while it was read" : nil
        guard lostRows == 0 else {
            let rows =
                "\(counted(lostRows, "row")) of the market's list could not be read and \(lostRows == 1 ? "is" : "are") missing"
            throw CommandFailure(
                .catalogMoved,
                "not complete: " + [rows, moved].compactMap(\.self).joined(separator: ", and ")
            )
        }
        if let moved { throw CommandFailure(.catalogMoved, "complete, but \(moved)") }
    }

    /// The market and the state, none of whose files the export replaces.
    ///
    /// - Parameters:
    ///   - path: where the export goes; `-` is stdout.
    ///   - isCertified: whether a certificate is written beside it.
    ///   - earlier: an export that something is compared with.
    ///   - isJSON: whether stdout is NDJSON.
    ///   - settings: what the environment says.
    ///   - console: where to say what is wrong.
    /// - Returns: market and state, and what the manifest says of the market.
    /// - Throws: ``CommandFailure``.
    func work(
        writingTo path: String,
        isCertified: Bool = false,
        earlier: String? = nil,
        isJSON: Bool = false,
        settings: Settings,
        console: Console
    ) async throws -> (MarketWork, MarketOnlyManifest) {
        let manifest = try MarketOnlyManifest(
            files: selection.files + selection.manifests,
            url: market.url,
            api: market.api,
            settings: settings,
            console: console
        )
        let target = try MarketTarget(manifest)
        let place = try await state.place(
            settings,
            manifestFiles: manifest.files,
            market: manifest.settings,
            console: console
        )
        if let earlier {
            for file in [earlier, ExportFile.certificate(of: earlier)] {
                FileRegister.current.note(file, as: .earlierExport)
            }
        }
        let replaceable: FileRole = isCertified ? .ownExport : []
        try OutputPlace.declare(path, Setting.out.flag, as: nil, replacing: replaceable, allowsStdout: true)
        if isCertified, path != "-" {
            let certificate = ExportFile.certificate(of: path)
            try OutputPlace.declare(
                certificate,
                "the certificate of \(Setting.out.flag)",
                as: .json,
                replacing: replaceable
            )
        }
        var client = try market.clientConfiguration(target, settings: settings)
        client.patience = try settings.value(wait, .wait)?.duration ?? .zero
        client.onWaiting = { error in
            console.note("The market does not answer, and is waited for: \(error.message.terminalSafe)")
        }
        let work = MarketWork(
            target: target,
            client: client,
            state: place,
            reporter: SessionReporter(isJSON: isJSON, console: console)
        )
        return (work, manifest)
    }

    private func form(_ path: String, of manifest: MarketOnlyManifest, settings: Settings) throws -> ExportForm {
        let format = try settings.value(format, .format)
        if let format, format.export == nil {
            throw CommandFailure(
                .usage,
                "\(Setting.format.flag) \(format.rawValue) is for \(Setting.since.flag)",
                help: "an export is csv, tsv, jsonl, sqlite or manifest"
            )
        }
        let columns = try settings.text(columns, .columns).map(Self.parse)
        let details = try settings.isOn(details, .details) || settings.text(images, .images) != nil
        let delimiter = try settings.value(separator, .separator)?.byte
        let isForSpreadsheets = try settings.isOn(excel, .excel)
        do throws(ExportFormError) {
            return try ExportForm(
                fileName: path == "-" ? nil : path,
                isRegular: FileSystem.mayBecomeRegular(path),
                format: format?.export,
                columns: columns,
                details: details,
                delimiter: delimiter,
                isForSpreadsheets: isForSpreadsheets,
                market: manifest.settings,
                credentials: manifest.credentials
            )
        } catch {
            throw CommandFailure(error, path: path)
        }
    }

    /// Says what an export leaves behind that could not be completed: the market would not hold still for it, or a
    /// library cannot hold it.
    func explaining<Result>(
        _ path: String,
        _ remains: String,
        _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch SessionError.incompleteExport(let passes) {
            throw CommandFailure(
                .failure,
                "the catalog changed faster than it could be read (\(passes) times); \(remains)",
                help: "try again when the market changes less"
            )
        } catch let error as CatalogFileError {
            throw CommandFailure(.failure, "cannot write \(path.terminalSafe): \(error.message)", help: error.help)
        }
    }

    /// The columns that a list of names says.
    static func parse(_ names: String) throws -> [CatalogColumn] {
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
