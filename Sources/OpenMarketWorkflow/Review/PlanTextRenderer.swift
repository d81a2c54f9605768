import OpenMarket

/// Renders a plan for a terminal or a review, in Terraform's format.
package struct PlanTextRenderer {
    let style: Style
    /// Whether each product has one line, without a line for each field.
    let isSummary: Bool
    /// The terminal's width in columns, if the text goes to one.
    let width: Int

    package init(style: Style, isSummary: Bool = false, width: Int = .max) {
        self.style = style
        self.isSummary = isSummary
        self.width = width
    }

    package func render(_ reviewed: ReviewedPlan) -> String {
        var text = ""
        render(reviewed) { text += $0 }
        return text
    }

    /// Writes the whole plan in pieces, so that memory holds only a part of a long one.
    package func render<Failure: Error>(
        _ reviewed: ReviewedPlan,
        to write: (String) throws(Failure) -> Void
    ) throws(Failure) {
        let review = reviewed.review
        let plan = review.plan
        guard !plan.isEmpty || !plan.isSound else { return try write(closing(reviewed) + "\n") }
        let impact = impact(reviewed)
        let isLong = review.items.count > Self.longPlan
        var piece = subject(reviewed.subject)
        if isLong { piece += impact + closing(reviewed) + "\n\n" }
        for item in review.items {
            for line in render(item) {
                piece += line
                piece += "\n"
            }
            if !isSummary { piece += "\n" }
            guard piece.utf8.count >= Self.pieceSize else { continue }
            try write(piece)
            piece = ""
        }
        if isSummary, !review.items.isEmpty { piece += "\n" }
        if !isLong { piece += impact }
        try write(piece + closing(reviewed) + "\n")
    }

    /// A plan with more changes begins with a summary.
    private static let longPlan = 500

    private static let pieceSize = 64 << 10

    // MARK: - Head and end

    private func subject(_ subject: ReviewSubject) -> String {
        subject.rows.map { style(.dim, "\($0.title):".padded(to: 10)) + "\($0.text.terminalSafe)\n" }.joined() + "\n"
    }

    /// The line of counts: `Plan: 1 to add, …`, or `No changes.` if it is empty.
    private func closing(_ reviewed: ReviewedPlan) -> String {
        let plan = reviewed.plan
        let left = [plan.unselected == 0 ? nil : "\(plan.unselected) not selected", reviewed.waiting].compactMap(\.self)
        let skipped = left.isEmpty ? "" : " (\(left.joined(separator: "; ")))"
        // A refused or faulty plan has something to do.
        guard !plan.isEmpty || !plan.isSound else { return style(.boldGreen, reviewed.idle) + skipped }
        return style(.bold, "Plan: ") + plan.summary.text + "." + skipped
    }

    private func impact(_ reviewed: ReviewedPlan) -> String {
        let rows = reviewed.impact.map { "  \($0.title.padded(to: 10)) \($0.text.terminalSafe)\n" }
        return rows.isEmpty ? "" : style(.bold, "Impact:") + "\n" + rows.joined() + "\n"
    }

    // MARK: - An operation

    private func render(_ item: PlanReview.Item) -> [String] {
        let operation = item.operation
        var name = operation.id.map { " (\($0))" } ?? ""
        // A create has its name among its fields.
        if operation.action != .create || isSummary, let text = operation.name {
            name += " \"\(text.terminalSafe.abbreviated(to: 60))\""
        }
        let head = symbolAndKey(operation.action, operation.key) + name
        guard !isSummary else { return [head + summary(of: item)] }
        let source = operation.source.map { ", \($0.description.terminalSafe)" } ?? ""
        let reason = "# \(operation.reason.terminalSafe)\(source)"
        let isWide = 8 + (operation.key.terminalSafe + name + reason).columns > width
        return [head + (isWide ? "\n      " : "  ") + style(.dim, reason)]
            + operation.changes.map { line($0, of: operation) }
    }

    func symbolAndKey(_ action: PlannedOperation.Action, _ key: String) -> String {
        "  \(symbol(action)) " + style(.bold, key.terminalSafe)
    }

    /// The changes on one line: short values in full, otherwise the name of the field.
    private func summary(of item: PlanReview.Item) -> String {
        let operation = item.operation
        guard operation.action == .update || operation.action == .replace else {
            let price = operation.newProduct?.values.payable.map { ", \($0)" } ?? ""
            return price + style(.dim, "  # \(operation.reason.terminalSafe)")
        }
        let values = FieldValueText(pictures: operation.pictures)
        let parts = operation.changes.map { change in
            let remark = change.kind == .change ? "" : style(.yellow, " (\(change.kind.rawValue))")
            let move = change.field.kind.isShort ? " \(values.move(change))\(percent(change, of: operation))" : ""
            return "\(change.field.rawValue)\(move)\(remark)"
        }
        let isReason = parts.isEmpty || operation.formerKey != nil || operation.renamedFrom != nil
        return (parts.isEmpty ? "" : ": " + parts.joined(separator: ", "))
            + (isReason ? style(.dim, "  # \(operation.reason.terminalSafe)") : "")
    }

    private func line(_ change: FieldChange, of operation: PlannedOperation) -> String {
        let values = FieldValueText(pictures: operation.pictures)
        let name = change.field.rawValue.padded(to: 12)
        let place = operation.adjusted?.location(of: change.field)
        let adjusted = place.map { style(.dim, "  adjusted by \($0.description.terminalSafe)") } ?? ""
        guard operation.action != .create else { return "      \(name) \(values.text(change.manifest))\(adjusted)" }
        let remark =
            switch change.kind {
            case .change: ""
            case .drift: style(.yellow, "  (drift: changed on the market)")
            case .conflict:
                style(.yellow, "  (conflict: changed on both sides, was \(values.text(change.base)))")
            }
        let move = wordDiff(change) ?? values.move(change)
        return "      \(name) \(move)\(percent(change, of: operation))\(remark)\(adjusted)"
    }

    private func percent(_ change: FieldChange, of operation: PlannedOperation) -> String {
        operation.move(of: change).flatMap(\.percent).map { style(.bold, " (\($0))") } ?? ""
    }

    // MARK: - Texts

    /// The number of unchanged characters shown around a change of a text.
    private static let context = 24
    private static let longestDiff = 400

    /// A long text's changes word by word, `[-old-]{+new+}` as git marks them.
    ///
    /// `nil` for a short text, which is shown in full.
    private func wordDiff(_ change: FieldChange) -> String? {
        guard case (.text(let old)?, .text(let new)?) = (change.live, change.manifest),
            max(old.count, new.count) > FieldValueText.shortText, old != new
        else { return nil }
        var text = ""
        var room = Self.longestDiff
        for part in WordDiff(from: old, to: new).focused(context: Self.context).parts {
            guard room > 0 else {
                text += " …"
                break
            }
            switch part {
            case .same(let words):
                text += words.terminalSafe
                room -= words.count
            case .omitted:
                text += "…"
            case .removed(let words):
                text += style(.red, "[-\(words.terminalSafe.abbreviated(to: room))-]")
                room -= words.count
            case .added(let words):
                text += style(.green, "{+\(words.terminalSafe.abbreviated(to: max(room, 40)))+}")
                room -= words.count
            }
        }
        return text
    }

    private func symbol(_ action: PlannedOperation.Action) -> String {
        let symbol = action.symbol.padded(to: 3)
        return switch action {
        case .create: style(.green, symbol)
        case .update: style(.yellow, symbol)
        case .replace, .delete, .forget: style(.red, symbol)
        case .adopt, .rename: style(.cyan, symbol)
        }
    }
}
