import OpenMarket
import OpenMarketState
import OpenMarketClient
import OpenMarketFiles
import OpenMarketWorkflow

extension ExportCommand {
    /// `export --since`: the changes since an earlier export.
    func compare(since earlier: String, _ context: CommandContext) async throws {
        let console = context.console
        let target = try ExportTarget(out, discardingEdits: discardEdits)
        let format = try ExportFormat(ofChangesTo: target.path, stated: format, isDocument: context.isJSON)
        let reporter = SessionReporter(isJSON: false, console: console)
        let (work, _) = try await work(reporter: reporter, context) { _ in
            try target.declareChanges(since: earlier, as: format, checksName: self.format != nil)
        }
        let difference = try await difference(earlier, in: work, console)
        if target.isStandardOutput {
            let bytes = difference.bytes(since: earlier, as: format, style: console.outputStyle)
            try format == .text || format == .json ? console.write(data: bytes) : console.write(catalog: bytes)
        } else {
            try target.write(difference.bytes(since: earlier, as: format), by: CatalogLibraries())
            let changes = counted(difference.changes.changes.count, "change")
            console.note("Wrote \(changes) to \(target.path.terminalSafe)")
        }
        try difference.requireWhole()
    }

    /// `export --verify`: whether an export matches its certificate, and with `--online` whether the market still does.
    func check(_ path: String, _ context: CommandContext) async throws {
        let export: CertifiedExport
        do {
            export = try CertifiedExport(path: path)
            try export.check(by: CatalogLibraries())
        } catch {
            if context.isJSON {
                try context.console.write(document: ExportCertificate.refusal(of: path, because: error))
            }
            throw error
        }
        if !context.isJSON || !online {
            try context.write(export.certificate.verification(of: path, online: nil)) {
                export.text($0)
            }
        }
        guard online else { return }
        let (work, _) = try await work(reporter: SessionReporter(isJSON: false, console: context.console), context)
        let difference = try await difference(path, isVerified: true, in: work, context.console)
        let changes = difference.changes
        let document = export.certificate.verification(
            of: path,
            online: changes.document(since: path, catalogMoved: difference.reading.summary.catalogMoved)
        )
        try context.write(document) { changes.text($0) }
        try difference.requireUnchanged(since: path)
    }

    private func difference(
        _ earlier: String,
        isVerified: Bool = false,
        in work: MarketWork<ClientConfiguration>,
        _ console: Console
    ) async throws -> CatalogDifference {
        let options = ExportOptions(
            columns: columns,
            details: details,
            allowsEmpty: allowEmpty,
            allowsMissing: Set(allowMissing ?? [])
        )
        let difference = try await work.compare(
            options,
            with: earlier,
            isVerified: isVerified,
            access: CatalogLibraries()
        )
        if !difference.uncompared.isEmpty {
            let names = difference.uncompared.map(\.rawValue).joined(separator: ", ")
            console.note(
                "Not compared, because the market's list does not show it: \(names) (--details does)"
            )
        }
        return difference
    }
}
