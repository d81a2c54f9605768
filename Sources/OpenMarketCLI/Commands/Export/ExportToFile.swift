import OpenMarket
import OpenMarketCatalogFiles
import OpenMarketClient
import OpenMarketFiles
import OpenMarketManifest
import OpenMarketReview
import OpenMarketWorkflow

/// `export` into a file, or to stdout.
struct ExportToFile {
    let options: ExportCommand
    let context: CommandContext

    private var console: Console { context.console }

    func run() async throws {
        let target = try target()
        let isJSON = context.isJSON
        let reporter = context.reporter()
        var (work, manifest) = try await options.work(
            writingTo: target.path,
            as: options.format ?? CatalogOutput(ExportFormat(fileName: target.path)),
            isCertified: true,
            reporter: reporter,
            context
        )
        guard !isJSON || !target.isStandardOutput else {
            throw CommandFailure(
                .usage,
                "\(Setting.json.flag) and the export cannot both go to stdout",
                help: "use -o FILE"
            )
        }
        let form = try form(target.path, of: manifest)
        try declare(target)
        let checkpoint = checkpoint(target, form, work)
        work.client.replyLog = checkpoint
        work.client.onTotal = { reporter.expect($0) }
        let remains = target.isStandardOutput ? "what was written is not the whole catalog" : "nothing was written"
        let outcome = try await ExportCommand.explaining(target.path, remains) {
            try await work.reading { session, _ in
                try await session.export(
                    to: target,
                    as: form,
                    images: options.images,
                    allowsEmpty: options.allowEmpty,
                    checkpoint: checkpoint,
                    access: CatalogLibraries(),
                    standardOutput: console.write(catalog:)
                ) { name, reason in
                    console.note("warning: \(name.terminalSafe) is missing: \(reason.terminalSafe)")
                }
            }
        }
        let text = ExportOutcomeText()
        if let manifest = form.manifest { for line in text.omissions(manifest) { console.note(line) } }
        for line in text.warnings(outcome) { console.complain(line) }
        reporter.end(outcome.certificate)
        if !isJSON, !target.isStandardOutput { console.note(text.result(outcome, at: target.path)) }
        try requireWhole(outcome)
    }

    private func target() throws -> ExportTarget {
        let out = options.out ?? "-"
        // A variable counts where it has something to say.
        let keeps = DatedFiles.hasPlaceholder(out) || Invocation.current.given.contains(.keep)
        return try ExportTarget(out, keeping: keeps ? options.keep : nil)
    }

    private func form(_ path: String, of manifest: MarketOnlyManifest) throws -> ExportForm {
        if let format = options.format, format.export == nil {
            throw CommandFailure(
                .usage,
                "\(Setting.format.flag) \(format.rawValue) is for \(Setting.since.flag)",
                help: "an export is csv, tsv, jsonl, sqlite or manifest"
            )
        }
        return try ExportForm(
            fileName: path == "-" ? nil : path,
            isRegular: FileSystem.mayBecomeRegular(path),
            format: options.format?.export,
            columns: options.columns,
            details: options.details,
            keepsPictures: options.images != nil,
            delimiter: options.separator,
            isForSpreadsheets: options.excel,
            market: manifest.settings,
            credentials: manifest.credentials
        )
    }

    /// Declares what is written beside the export and its certificate, before anything is.
    private func declare(_ target: ExportTarget) throws {
        if let folder = options.images { PictureLibrary.note(folder) }
        if !target.isStandardOutput {
            let kept = ExportCheckpoint.path(of: target.template)
            try FileRegister.current.declare(
                kept,
                named: "the replies that \(Setting.out.flag) keeps",
                as: .checkedByReader
            )
        }
        try FileRegister.current.check()
    }

    private func checkpoint(_ target: ExportTarget, _ form: ExportForm, _ work: MarketWork<ClientConfiguration>)
        -> ExportCheckpoint?
    {
        guard target.isRegular else { return nil }
        let path = ExportCheckpoint.path(of: target.template)
        return ExportCheckpoint(
            output: target.template,
            scope: work.target.scope,
            description: work.client.profile.digest,
            details: form.request.details,
            parallelism: work.client.parallelism,
            restarts: options.noResume,
            tool: toolVersion
        ) { [console] in console.note($0.words(path: path).terminalSafe) }
    }

    /// Fails with its own exit code where pictures or rows are missing, or the catalog changed meanwhile.
    ///
    /// Of two reasons one decides the exit code, and both are reported.
    private func requireWhole(_ outcome: ExportOutcome) throws {
        let gap = CatalogGap(outcome.certificate)
        if let pictures = outcome.pictures {
            if pictures.missing > 0, let gap { console.complain("warning: \(gap)") }
            console.note(ExportOutcomeText().kept(pictures))
            guard pictures.missing == 0 else {
                throw CommandFailure(
                    .partialFailure,
                    "the catalog is complete, and \(counted(pictures.missing, "picture")) could not be downloaded",
                    help: "run it again; only what is missing is fetched"
                )
            }
        }
        if let gap { throw gap }
    }
}
