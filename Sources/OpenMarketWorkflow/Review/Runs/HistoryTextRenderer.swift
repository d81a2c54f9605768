import OpenMarket

/// Renders past runs for a terminal: a line for each run, then a line for each of its operations, failures first.
package struct HistoryTextRenderer {
    private let style: Style
    private let limit: Int

    /// A `nil` limit shows all operations of a run.
    package init(style: Style = .plain, limit: Int? = nil) {
        self.style = style
        self.limit = limit ?? .max
    }

    package func render(_ runs: [RunHistory]) -> String {
        runs.map(render).joined(separator: "\n")
    }

    /// The line of a run: its number, its start, and its result.
    func head(_ run: RunSummary, isUnderWay: Bool = false) -> String {
        let end = isUnderWay ? "is under way: openmarket status" : ending(run)
        return "\(style(.bold, run.record.id.rawValue.terminalSafe))  \(run.startedAt.iso8601ToTheSecond)  \(end)"
    }

    private func render(_ run: RunHistory) -> String {
        let id = run.summary.record.id.rawValue.terminalSafe
        var lines = [head(run.summary, isUnderWay: run.isUnderWay)]
        if let approval = run.summary.record.approval {
            if !approval.policies.isEmpty || approval.reason != nil { lines.append(line(approval)) }
            if let decisions = approval.decisions {
                lines.append(style(.yellow, "  \(decisions.text(besides: run.summary.operations))"))
            }
        }
        if let description = run.summary.record.description {
            lines.append(style(.dim, "  by the market's description sha256:\(description)"))
        }
        let operations = run.operations.sorted { ($0.status.rank, $0.sequence) < ($1.status.rank, $1.sequence) }
        lines += operations.prefix(limit).map { line($0, isUnderWay: run.isUnderWay) }
        if run.summary.operations == 0 { lines.append(style(.dim, "  its operations were removed from the journal")) }
        if run.total > limit {
            lines.append(style(.dim, "  … and \(run.total - limit) more: openmarket history --run \(id)"))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func ending(_ summary: RunSummary) -> String {
        guard summary.finishedAt != nil else {
            let open = summary.unresolved > 0 ? ", \(summary.unresolved) unresolved" : ""
            return style(.yellow, "did not end\(open)")
        }
        let parts = ["\(summary.totals.done) done"] + summary.totals.troubles(style)
        return (summary.interrupted ? parts + [style(.yellow, "interrupted")] : parts).joined(separator: ", ")
    }

    /// The overridden policies, the user and the reason; the time is the run's.
    private func line(_ approval: RunApproval) -> String {
        let policies = approval.policies.joined(separator: ", ")
        let what = policies.isEmpty ? "started by \(approval.user)" : "\(policies) overridden by \(approval.user)"
        return style(.yellow, "  \(what.terminalSafe)") + (approval.reason.map { ": \($0.terminalSafe)" } ?? "")
    }

    private func line(_ journalled: JournalledOperation, isUnderWay: Bool) -> String {
        let operation = journalled.operation
        var head = PlanTextRenderer(style: style).symbolAndKey(operation.action, operation.key)
        if let id = journalled.product ?? operation.id { head += " (\(id))" }
        var parts = [head, subject(operation)]
        if let former = operation.renamedFrom { parts.append(style(.dim, "renamed from '\(former.terminalSafe)'")) }
        if isUnderWay, journalled.isOpen {
            parts.append(style(.dim, "not over yet"))
        } else if let why = journalled.explanation {
            let isDone = journalled.status == .succeeded
            parts.append(style(isDone ? .yellow : .red, "\(journalled.outcome.rawValue): ") + why.terminalSafe)
        }
        return parts.filter { !$0.isEmpty }.joined(separator: "  ")
    }

    /// The fields that were to change, or the name of a created or deleted product.
    private func subject(_ operation: PlannedOperation) -> String {
        let values = FieldValueText(pictures: operation.pictures, limit: 30)
        switch operation.action {
        case .create: return values.text(operation.name.map(FieldValue.text))
        case .delete, .forget, .rename: return operation.name.map { values.text(.text($0)) } ?? ""
        case .update, .replace, .adopt:
            let name = operation.name.map { [values.text(.text($0))] } ?? []
            return (name + operation.changes.map { "\($0.field.rawValue) \(values.move($0))" }).joined(separator: ", ")
        }
    }
}
