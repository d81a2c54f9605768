package import OpenMarket

package struct RunStatusTextRenderer: Sendable {
    private let style: Style
    private let scope: MarketScope

    package init(style: Style = .plain, scope: MarketScope) {
        self.style = style
        self.scope = scope
    }

    package func render(_ status: RunStatus) -> String {
        let lines =
            switch status {
            case .none: ["No run yet."]
            case .underWay(let run, let pace): lines(run, pace)
            case .ended(let run): ["No run is under way. The last one:", head(run)]
            }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The status in one line, for a log.
    package func line(_ status: RunStatus) -> String {
        switch status {
        case .none: "No run yet."
        case .underWay(let run, let pace):
            ([run.now.iso8601ToTheSecond] + progress(run) + self.pace(pace) + [sessions(run)] + stop(run))
                .joined(separator: "  ")
        case .ended(let run): head(run)
        }
    }

    private func head(_ run: RunSummary) -> String { HistoryTextRenderer(style: style).head(run) }

    private func lines(_ run: RunUnderWay, _ pace: RunPace?) -> [String] {
        let id = style(.bold, run.record.id.rawValue.terminalSafe)
        let market = "\(scope.url) (\(scope.name))".terminalSafe
        return ["\(id)  since \(run.startedAt.iso8601ToTheSecond)  \(market)"]
            + ["  " + (progress(run) + self.pace(pace)).joined(separator: "  ")]
            + stop(run).map { "  " + $0 }
            + run.participants.map { "  " + line($0) }
    }

    private func progress(_ run: RunUnderWay) -> [String] {
        var totals = run.totals
        // The outcome of a request under way is also unknown.
        let open = totals.unknown
        totals.unknown = 0
        let parts = ["\(run.totals.done) of \(run.operations) done"] + totals.troubles(style)
        return parts + (open > 0 ? ["\(open) under way or unknown"] : [])
    }

    private func pace(_ pace: RunPace?) -> [String] {
        pace.map { ProgressText.pace($0.perSecond, secondsLeft: $0.left.map { $0 / .seconds(1) }) } ?? []
    }

    private func stop(_ run: RunUnderWay) -> [String] {
        run.stop.map { [style(.yellow, "stopping: \($0.terminalSafe)")] } ?? []
    }

    private func sessions(_ run: RunUnderWay) -> String {
        counted(run.participants.count { $0.endedAt == nil }, "session")
    }

    private func line(_ session: RunUnderWay.Participant) -> String {
        let text = "\(session.text), since \(session.since.iso8601ToTheSecond) (session \(session.session))"
        guard let end = session.endedAt else { return text }
        return style(.dim, "\(text), gone since \(end.iso8601ToTheSecond)")
    }
}
