import OpenMarket
import OpenMarketCatalogFiles
import OpenMarketClient
import OpenMarketReview
import OpenMarketWorkflow

/// `export --since`: what changed since an earlier export.
struct ExportSince {
    let earlier: String
    let options: ExportCommand
    let context: CommandContext

    private var console: Console { context.console }

    func run() async throws {
        let path = options.out ?? "-"
        let isJSON = context.isJSON
        let report = try ChangeReport(path: path, format: isJSON && options.format == nil ? .json : options.format)
        let certified = try? CertifiedExport(path: earlier)
        if let certified, try !certified.isWhole() {
            console.note(
                "warning: \(earlier.terminalSafe) does not match its certificate: what it lacks counts as new"
            )
        }
        let (work, _) = try await options.work(writingTo: path, as: report.format, earlier: earlier, context)
        if let certified { options.warn(of: certified, beside: work, console) }
        let difference = try await options.difference(from: earlier, in: work, console)
        try report.write(difference, since: earlier, to: console)
        if path != "-" {
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
        let export = try CertifiedExport(path: path)
        try export.check(by: CatalogLibraries())
        let isJSON = context.isJSON
        if !isJSON { try console.write(CertifiedExportText(style: console.outputStyle).render(export, named: path)) }
        guard options.online else {
            if isJSON { try write(export.certificate, online: nil) }
            return
        }
        let (work, _) = try await options.work(writingTo: "-", earlier: path, context)
        options.warn(of: export, beside: work, console)
        let difference = try await options.difference(from: path, in: work, console)
        let moved = difference.reading.summary.catalogMoved
        if isJSON {
            try write(export.certificate, online: difference.changes.document(since: path, catalogMoved: moved))
        } else {
            try console.write(CatalogChangesTextRenderer(style: console.outputStyle).render(difference.changes))
        }
        guard difference.changes.changes.isEmpty else {
            throw CommandFailure(
                .failure,
                "\(path.terminalSafe) is whole, but the market shows something else by now",
                help: "export again"
            )
        }
        if let gap = CatalogGap(difference.reading) { throw gap }
    }

    private func write(_ certificate: ReadCertificate, online: JSONValue?) throws {
        try console.write(document: certificate.verification(of: path, online: online))
    }
}

extension ExportCommand {
    /// What the market shows otherwise than an earlier export.
    fileprivate func difference(
        from earlier: String,
        in work: MarketWork<ClientConfiguration>,
        _ console: Console
    ) async throws -> CatalogDifference {
        let request = ExportRequest(columns: try namedColumns() ?? CatalogColumn.allCases, details: details)
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
