import OpenMarket

/// Renders a plan for a pull request's comment: never longer than the places that take it allow, deletes never cut.
struct PlanMarkdownRenderer {
    /// The longest comment that the usual places take, in characters.
    static let limit = 65_536

    func render(_ plan: Plan) -> String {
        guard !plan.isEmpty else { return "## No changes.\n" }
        let head = "## Plan: \(PlanTextRenderer.counts(plan.summary))\n"
        let isRemoval = { (action: PlannedOperation.Action) in
            action == .delete || action == .replace || action == .forget
        }
        let removals = plan.operations.filter { isRemoval($0.action) }
        let others = plan.operations.filter { !isRemoval($0.action) }

        var text = head
        if !removals.isEmpty {
            text += "\n### Deleted or replaced\n\n" + removals.map(line).joined()
        }
        // What has to stay whole stands first; the rest takes what room there is left for it.
        let closing = { (missing: Int) in "\n… and \(counted(missing, "more operation")), not shown for their length.\n"
        }
        var sections = ""
        var shown = 0
        let candidates = removals.filter { !$0.changes.isEmpty } + others
        for operation in candidates {
            let section = self.section(operation)
            let room = Self.limit - text.count - sections.count - closing(candidates.count).count
            guard section.count <= room else { break }
            sections += section
            shown += 1
        }
        text += sections
        if shown < candidates.count { text += closing(candidates.count - shown) }
        return text
    }

    private func line(_ operation: PlannedOperation) -> String {
        let name = operation.name.map { " \"\(escaped($0.abbreviated(to: 60)))\"" } ?? ""
        let id = operation.id.map { " (\($0))" } ?? ""
        return "- `\(operation.action.symbol)` \(code(operation.key))\(id)\(name)\n"
    }

    private func section(_ operation: PlannedOperation) -> String {
        let values = FieldValueText(pictures: operation.pictures, limit: 200)
        let id = operation.id.map { " (\($0))" } ?? ""
        let source = operation.source.map { ", \(escaped($0.description))" } ?? ""
        var text =
            "\n**`\(operation.action.symbol)` \(code(operation.key))**\(id): \(escaped(operation.reason))\(source)\n"
        guard !operation.changes.isEmpty else { return text }
        text += "\n| field | live | manifest | |\n| --- | --- | --- | --- |\n"
        for change in operation.changes {
            let remarks = [change.kind == .change ? nil : change.kind.rawValue, FieldValueText.likeness(change)]
            let remark = remarks.compactMap(\.self).joined(separator: "; ")
            text +=
                "| \(change.field.rawValue) | \(escaped(values.text(change.live)))"
                + " | \(escaped(values.text(change.manifest))) | \(remark) |\n"
        }
        return text
    }

    /// A key between back-ticks that it cannot break out of.
    private func code(_ text: String) -> String {
        var result = ""
        for scalar in text.terminalSafe.unicodeScalars { result.unicodeScalars.append(scalar == "`" ? "'" : scalar) }
        return "`\(result)`"
    }

    /// Text in which Markdown and HTML see nothing to obey.
    private func escaped(_ text: String) -> String {
        var result = ""
        // By scalars, as a reader of Markdown does: a mark behind a sign makes one character of the two.
        for scalar in text.terminalSafe.unicodeScalars {
            switch scalar {
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "&": result += "&amp;"
            case "\\", "`", "*", "_", "[", "]", "|", "#", "@": result += "\\\(scalar)"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
