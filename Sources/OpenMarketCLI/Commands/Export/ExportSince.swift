import OpenMarket
import OpenMarketCatalogFiles
import OpenMarketClient
import OpenMarketFiles
import OpenMarketReview
import OpenMarketWorkflow

/// `export --since`: what changed since an earlier export.
struct ExportSince {
    let earlier: String
    let options: ExportCommand
    let context: CommandContext

    private var console: Console { context.console }

    func run() async throws {
        let path = try ExportTarget(options.out ?? "-").path
        let named = options.format ?? (context.isJSON ? .json : nil)
        guard !context.isJSON || named == .json else {
            throw CommandFailure(
                .usage,
                "\(Setting.json.flag) does not go with \(Setting.format.flag) \(options.format?.rawValue ?? "")"
            )
        }
        let format = try CatalogOutput(ofChangesAt: path, named: named)
        let certified = try? CertifiedExport(path: earlier)
        if let certified, try !certified.isWhole() {
            console.note(
                "warning: \(earlier.terminalSafe) does not match its certificate: what it lacks counts as new"
            )
        }
        let (work, _) = try await options.work(writingTo: path, as: format, earlier: earlier, context)
        if let certified { options.warn(of: certified, beside: work, console) }
        let difference = try await options.difference(from: earlier, in: work, console)
        let document = ChangeDocument(difference, since: earlier)
        if path == "-" {
            let bytes = document.bytes(as: format, style: console.outputStyle, hiding: console.mask)
            try format == .text || format == .json ? console.write(data: bytes) : console.write(catalog: bytes)
        } else {
            let bytes = document.bytes(as: format, hiding: console.mask)
            try AtomicFile.write(
                ExportFormat.isCompressed(fileName: path) ? GzipWriter.compressed(bytes) : bytes,
                to: path,
                permissions: AtomicFile.readableByAll
            )
            console.note("Wrote \(counted(difference.changes.changes.count, "change")) to \(path.terminalSafe)")
        }
        if let gap = CatalogGap(difference.reading) { throw gap }
    }
}

/// `export --verify`: whether an export is what its certificate says, and with `--online` whether the market still is.
struct ExportVerify {
    let path: String
    let options: ExportCommand
    let context: CommandContext

    private var console: Console { context.console }

    func run() async throws {
        let export: CertifiedExport
        do {
            export = try CertifiedExport(path: path)
            try export.check(by: CatalogLibraries())
        } catch {
            if context.isJSON { try console.write(document: ReadCertificate.refusal(of: path, because: error)) }
            throw error
        }
        let isOnline = options.online
        if !context.isJSON || !isOnline {
            try context.write(export.certificate.verification(of: path, online: nil)) {
                CertifiedExportText(style: $0).render(export, named: path)
            }
        }
        guard isOnline else { return }
        let (work, _) = try await options.work(writingTo: "-", earlier: path, context)
        options.warn(of: export, beside: work, console)
        let difference = try await options.difference(from: path, in: work, console)
        let moved = difference.reading.summary.catalogMoved
        let changes = difference.changes
        let document = export.certificate.verification(
            of: path,
            online: changes.document(since: path, catalogMoved: moved)
        )
        try context.write(document) { CatalogChangesTextRenderer(style: $0).render(changes) }
        guard changes.changes.isEmpty else {
            throw CommandFailure(
                .failure,
                "\(path.terminalSafe) is whole, but the market shows something else by now",
                help: "export again"
            )
        }
        if let gap = CatalogGap(difference.reading) { throw gap }
    }
}

extension ExportCommand {
    /// What the market shows otherwise than an earlier export.
    fileprivate func difference(
        from earlier: String,
        in work: MarketWork<ClientConfiguration>,
        _ console: Console
    ) async throws -> CatalogDifference {
        let request = ExportRequest(columns: columns ?? CatalogColumn.allCases, details: details)
        let difference = try await Self.explaining(earlier, "nothing was compared") {
            try await work.reading { session, _ in
                try await session.compare(request, with: earlier, allowsEmpty: allowEmpty, access: CatalogLibraries())
            }
        }
        if !difference.uncompared.isEmpty {
            let names = difference.uncompared.map(\.rawValue).joined(separator: ", ")
            console.note(
                "Not compared, because the market's list does not show it: \(names) (\(Setting.details.flag) does)"
            )
        }
        return difference
    }

    /// Warns of an export of another market.
    fileprivate func warn(of earlier: CertifiedExport, beside work: MarketWork<ClientConfiguration>, _ console: Console)
    {
        guard let market = earlier.certificate.market, market != work.target.scope.url else { return }
        console.note(
            "warning: \(earlier.path) was exported from \(market), and is compared with \(work.target.scope.url)"
                .terminalSafe
        )
    }
}
