import OpenMarket

/// Renders a plan for a terminal or a review, in Terraform's format.
struct PlanTextRenderer {
    let style: Style

    /// The whole plan; ends with the line that counts.
    func render(_ plan: Plan) -> String {
        var text = ""
        render(plan) { text += $0 }
        return text
    }

    /// The whole plan in pieces, so that a long one is never in memory as text.
    func render<Failure: Error>(_ plan: Plan, to write: (String) throws(Failure) -> Void) throws(Failure) {
        var piece = ""
        for operation in plan.operations {
            for line in render(operation) {
                piece += line
                piece += "\n"
            }
            piece += "\n"
            guard piece.utf8.count >= Self.pieceSize else { continue }
            try write(piece)
            piece = ""
        }
        try write(piece + closing(plan) + "\n")
    }

    private static let pieceSize = 64 << 10

    /// The line that counts: `Plan: 1 to add, …`, or `No changes.` where there is nothing to do.
    func closing(_ plan: Plan) -> String {
        // A plan that is refused or faulty has something to do, or it would be neither.
        let isSound = plan.refusals.isEmpty && !plan.diagnostics.contains { $0.severity == .error }
        guard !plan.isEmpty || !isSound else { return style(.boldGreen, "No changes.") }
        return style(.bold, "Plan: ") + Self.counts(plan.summary) + "."
    }

    /// `1 to add, 2 to change, 1 to replace, 0 to destroy, 45 unchanged`; rare parts appear when they are not zero.
    static func counts(_ summary: PlanSummary) -> String {
        var parts = [
            "\(summary.add) to add", "\(summary.change) to change", "\(summary.replace) to replace",
            "\(summary.delete) to destroy",
        ]
        if summary.adopt > 0 { parts.append("\(summary.adopt) to adopt") }
        if summary.forget > 0 { parts.append("\(summary.forget) to forget") }
        parts.append("\(summary.unchanged) unchanged")
        return parts.joined(separator: ", ")
    }

    private func render(_ operation: PlannedOperation) -> [String] {
        var head = head(operation.action, operation.key)
        if let id = operation.id { head += " (\(id))" }
        if operation.action == .delete, let name = operation.name {
            head += " \"\(name.terminalSafe.abbreviated(to: 60))\""
        }
        head += style(.dim, "  # \(operation.reason.terminalSafe)")
        if let source = operation.source { head += style(.dim, ", \(source.description.terminalSafe)") }
        return [head] + operation.changes.map { line($0, of: operation) }
    }

    /// Begins the line of an operation: its symbol and its key.
    func head(_ action: PlannedOperation.Action, _ key: String) -> String {
        "  \(symbol(action)) " + style(.bold, key.terminalSafe)
    }

    private func line(_ change: FieldChange, of operation: PlannedOperation) -> String {
        let values = FieldValueText(pictures: operation.pictures)
        let name = change.field.rawValue.padded(to: 12)
        guard operation.action != .create else { return "      \(name) \(values.text(change.manifest))" }
        let remark =
            switch change.kind {
            case .change: ""
            case .drift: style(.yellow, "  (drift: changed on the market)")
            case .conflict:
                style(.yellow, "  (conflict: changed on both sides, was \(values.text(change.base)))")
            }
        return "      \(name) \(values.move(change))\(remark)"
    }

    private func symbol(_ action: PlannedOperation.Action) -> String {
        let symbol = action.symbol.padded(to: 3)
        return switch action {
        case .create: style(.green, symbol)
        case .update: style(.yellow, symbol)
        case .replace, .delete, .forget: style(.red, symbol)
        case .adopt: style(.cyan, symbol)
        }
    }
}
