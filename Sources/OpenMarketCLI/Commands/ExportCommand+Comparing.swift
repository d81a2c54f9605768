import OpenMarket
import OpenMarketFiles
import OpenMarketReview
import OpenMarketWorkflow

/// What looks at exports that were written earlier: `--since` and `--verify`.
extension ExportCommand {
    /// Writes what changed since an earlier export.
    func compare(with earlier: String, settings: Settings, console: Console) async throws {
        let path = try settings.text(out, .out) ?? "-"
        guard !online, try !settings.isOn(excel, .excel), try settings.value(separator, .separator) == nil else {
            throw CommandFailure(
                .usage,
                "\(Setting.since.flag) takes no \(Setting.online.flag), \(Setting.excel.flag) or \(Setting.separator.flag)"
            )
        }
        let flag = try settings.value(format, .format)
        let report = try ChangeReport(path: path, format: output.isJSON(settings) && flag == nil ? .json : flag)
        if let certified = try? ExportVerification(path: earlier), try !certified.isWhole() {
            console.note(
                "warning: \(earlier.terminalSafe) does not match its certificate: what it lacks counts as new"
            )
        }
        let (work, _) = try await work(writingTo: path, earlier: earlier, settings: settings, console: console)
        if let certified = try? ExportVerification(path: earlier) { warn(of: certified, beside: work, console) }
        let difference = try await difference(from: earlier, in: work, settings: settings, console: console)
        try report.write(difference, since: earlier, to: console)
        if path != "-" {
            console.note("Wrote \(counted(difference.changes.changes.count, "change")) to \(path.terminalSafe)")
        }
        try requireWhole(difference.reading.summary, lostRows: difference.reading.lostRows)
    }

    /// Compares an export with its certificate, and with the market where that is asked for.
    func check(_ path: String, settings: Settings, console: Console) async throws {
        guard Invocation.current.given.isDisjoint(with: [.out, .since]) else {
            throw CommandFailure(
                .usage,
                "\(Setting.verify.flag) takes no \(Setting.out.flag) and no \(Setting.since.flag)"
            )
        }
        let verification = try ExportVerification(path: path)
        try verification.check()
        let isJSON = try output.isJSON(settings)
        if !isJSON { try console.write(console.outputStyle(.boldGreen, "✓ valid") + "  \(verification.words)\n") }
        guard try settings.isOn(online, .online) else {
            if isJSON {
                try console.write(
                    json: verification.certificate.verification(of: path, online: nil).bytes(pretty: true)
                        + Array("\n".utf8)
                )
            }
            return
        }
        let (work, _) = try await work(writingTo: "-", earlier: path, settings: settings, console: console)
        warn(of: verification, beside: work, console)
        let difference = try await difference(from: path, in: work, settings: settings, console: console)
        let moved = difference.reading.summary.catalogMoved
        if isJSON {
            let online = difference.changes.document(since: path, catalogMoved: moved)
            try console.write(
                json: verification.certificate.verification(of: path, online: online).bytes(pretty: true)
                    + Array("\n".utf8)
            )
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
        try requireWhole(difference.reading.summary, lostRows: difference.reading.lostRows)
    }

    /// Warns of an export of another market.
    private func warn(of earlier: ExportVerification, beside work: MarketWork, _ console: Console) {
        guard let market = earlier.certificate.market, market != work.target.scope.url else { return }
        console.note(
            "warning: \(earlier.path) was exported from \(market), and is compared with \(work.target.scope.url)"
                .terminalSafe
        )
    }

    private func difference(
        from earlier: String,
        in work: MarketWork,
        settings: Settings,
        console: Console
    ) async throws -> CatalogDifference {
        let file = EarlierExport(path: earlier)
        let request = ExportRequest(
            columns: try settings.text(columns, .columns).map(Self.parse) ?? CatalogColumn.allCases,
            details: try settings.isOn(details, .details)
        )
        let allowsEmpty = try settings.isOn(allowEmpty, .allowEmpty)
        let difference = try await explaining(earlier, "nothing was compared") {
            try await work.reading { session, client in
                let keys = try await session.state.keys()
                return try await session.compare(request, keys: keys, with: file.rows) {
                    if !allowsEmpty { try await confirmEmpty(client, keys, earlier: earlier, as: .earlierExport) }
                }
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
}
