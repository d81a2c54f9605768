import OpenMarket

/// Renders a plan for the comment of a pull request: what is risky first and open, the rest folded, never longer than
/// the places that take it allow.
package struct PlanMarkdownRenderer {
    /// The longest comment that the usual places take, in bytes of UTF-8, so that it fits in characters as well.
    package static let limit = 65_536

    /// How many price moves stand open; further ones are folded.
    private static let openMoves = 50

    /// What a section is cut to when the room gets short.
    private let limit: Int

    package init(limit: Int = Self.limit) {
        self.limit = limit
    }

    /// The whole comment.
    package func render(_ reviewed: ReviewedPlan) -> String {
        let review = reviewed.review
        let plan = review.plan
        guard plan.hasChanges || !plan.isSound else { return "## No changes.\n" }
        var page = MarkdownPage(limit: limit)
        page.write("## Plan: \(PlanTextRenderer.counts(plan.summary))\n")
        if plan.unselected > 0 { page.write("\n\(counted(plan.unselected, "product")) not selected.\n") }
        let impact = ImpactText.rows(review.impact, reviewed.effort)
        if !impact.isEmpty {
            page.write("\n| | |\n| --- | --- |\n")
            for row in impact { page.write("| \(row.title) | \(row.text.markdownEscaped) |\n") }
        }
        for section in sections(review) { page.write(section) }
        return page.finish()
    }

    private func sections(_ review: PlanReview) -> [MarkdownSection] {
        [refusals(review.plan), warnings(review.plan), findings(review)] + prices(review) + [
            texts(review),
            fields(review, "Pictures", [.images, .thumbnail]),
            fields(review, "Other fields", [.name, .stock, .currency]),
            added(review),
            adopted(review),
        ]
    }

    // MARK: - What to look at

    private func refusals(_ plan: Plan) -> MarkdownSection {
        let errors = plan.diagnostics.filter { $0.severity == .error }
        return MarkdownSection(
            title: "Refused",
            noun: "reason",
            rows: errors.map { "- \(place($0.location))\($0.message.markdownEscaped)\n" }
                + plan.refusals.map { refusal in
                    let override = refusal.override.map { " (\($0.description.markdownEscaped))" } ?? ""
                    return "- \(place(refusal.source))\(refusal.message.markdownEscaped)\(override)\n"
                }
        )
    }

    /// What the planner is not sure of: a rename that looks like a delete, a row that could not be read.
    private func warnings(_ plan: Plan) -> MarkdownSection {
        MarkdownSection(
            title: "Warnings",
            noun: "warning",
            rows: plan.diagnostics.filter { $0.severity == .warning }.map { warning in
                let help = warning.help.map { " (\($0.markdownEscaped))" } ?? ""
                return "- \(place(warning.location))\(warning.message.markdownEscaped)\(help)\n"
            }
        )
    }

    private func place(_ location: SourceLocation?) -> String {
        location.map { link($0) + ": " } ?? ""
    }

    private func findings(_ review: PlanReview) -> MarkdownSection {
        var section = MarkdownSection(
            title: "Look at these",
            noun: "finding",
            header: ["why", "product", "change", "where"]
        )
        for (finding, items) in review.findings {
            // The largest price moves have a table of their own, which begins with them.
            guard finding != .price else { continue }
            for item in items {
                let why = item.findings.map(\.phrase).joined(separator: ", ")
                section.rows.append(row([why, product(item), moves(item), link(item.operation.source)]))
                section.shortRows.append(row([why, code(item.operation.key), "", ""]))
            }
        }
        return section
    }

    /// The fields of a finding, short values in full.
    private func moves(_ item: PlanReview.Item) -> String {
        let operation = item.operation
        let values = FieldValueText(pictures: operation.pictures, limit: 40)
        return operation.changes.map { change in
            let percent = operation.move(of: change)?.percent.map { " (\($0))" } ?? ""
            return "\(change.field.rawValue) \(values.move(change).markdownEscaped)\(percent)"
        }
        .joined(separator: "<br>")
    }

    // MARK: - By kind

    private func prices(_ review: PlanReview) -> [MarkdownSection] {
        let items = review.items.filter { $0.move != nil }.sorted { left, right in
            (left.move?.magnitude ?? 0, right.index) > (right.move?.magnitude ?? 0, left.index)
        }
        let rows = items.map { item in
            let (old, new) = (item.move?.old.description ?? "", item.move?.new.description ?? "")
            return row([
                name(item), code(item.operation.key), old, new, item.move?.percent ?? "", link(item.operation.source),
            ])
        }
        let header = ["product", "key", "old", "new", "%", "where"]
        let title = "Prices: what buyers pay"
        return [
            MarkdownSection(
                title: "\(title) (\(rows.count))",
                noun: "price move",
                header: header,
                rows: Array(rows.prefix(Self.openMoves))
            ),
            MarkdownSection(
                title: "\(counted(max(rows.count - Self.openMoves, 0), "smaller price move"))",
                noun: "price move",
                header: header,
                rows: Array(rows.dropFirst(Self.openMoves)),
                isFolded: true
            ),
        ]
    }

    private func texts(_ review: PlanReview) -> MarkdownSection {
        var section = MarkdownSection(title: "Texts", noun: "text", isFolded: true)
        for item in review.items where item.operation.action != .create {
            for change in item.operation.changes {
                guard case (.text(let old)?, .text(let new)?) = (change.live, change.manifest),
                    change.field == .description || change.field == .name, old != new
                else { continue }
                let diff = WordDiff(from: old, to: new).focused(context: 40)
                section.rows.append("\n**\(product(item))** \(change.field.rawValue): \(markdown(diff))\n")
            }
        }
        section.title = counted(section.rows.count, "text")
        return section
    }

    private func markdown(_ diff: WordDiff) -> String {
        var text = ""
        for part in diff.parts {
            switch part {
            case .same(let words): text += words.markdownEscaped
            case .omitted: text += "…"
            case .removed(let words): text += "<del>\(words.abbreviated(to: 400).markdownEscaped)</del>"
            case .added(let words): text += "<ins>\(words.abbreviated(to: 400).markdownEscaped)</ins>"
            }
        }
        return text
    }

    private func fields(_ review: PlanReview, _ noun: String, _ fields: Set<ProductField>) -> MarkdownSection {
        var section = MarkdownSection(
            title: noun,
            noun: "change",
            header: ["product", "field", "old", "new", "where"],
            isFolded: true
        )
        for item in review.items where item.operation.action == .update || item.operation.action == .replace {
            let values = FieldValueText(pictures: item.operation.pictures, limit: 100)
            for change in item.operation.changes where fields.contains(change.field) {
                if case (.text(let old)?, .text(let new)?) = (change.live, change.manifest), change.field == .name,
                    old != new
                {
                    continue
                }
                section.rows.append(
                    row([
                        product(item), change.field.rawValue, values.text(change.live).markdownEscaped,
                        values.text(change.manifest).markdownEscaped
                            + (FieldValueText.likeness(change).map { " (\($0))" } ?? ""),
                        link(item.operation.source),
                    ])
                )
            }
        }
        section.title = "\(noun): \(counted(section.rows.count, "change"))"
        return section
    }

    private func added(_ review: PlanReview) -> MarkdownSection {
        let items = review.items.filter { $0.operation.action == .create }
        return MarkdownSection(
            title: "\(counted(items.count, "product")) to add",
            noun: "product to add",
            nouns: "products to add",
            header: ["product", "key", "price", "sale", "stock", "pictures", "where"],
            rows: items.map { item in
                let values = item.operation.newProduct?.values
                return row([
                    name(item), code(item.operation.key), values?.price?.description ?? "",
                    values?.sale?.salePrice?.description ?? "", values?.stock.map(String.init) ?? "",
                    "\(item.operation.pictures.count)", link(item.operation.source),
                ])
            },
            isFolded: true
        )
    }

    private func adopted(_ review: PlanReview) -> MarkdownSection {
        let items = review.items.filter { $0.operation.action == .adopt }
        return MarkdownSection(
            title: "\(counted(items.count, "product")) to adopt",
            noun: "product to adopt",
            nouns: "products to adopt",
            header: ["product", "why", "where"],
            rows: items.map { item in
                row([product(item), item.operation.reason.markdownEscaped, link(item.operation.source)])
            },
            isFolded: true
        )
    }

    // MARK: - Cells

    private func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |\n" }

    private func name(_ item: PlanReview.Item) -> String {
        item.operation.name.map { $0.abbreviated(to: 60).markdownEscaped } ?? ""
    }

    /// The name, the key and the number.
    private func product(_ item: PlanReview.Item) -> String {
        let name = name(item)
        let id = item.operation.id.map { " (\($0))" } ?? ""
        return (name.isEmpty ? "" : name + " ") + code(item.operation.key) + id
    }

    private func link(_ location: SourceLocation?) -> String {
        guard let location else { return "" }
        let line = location.position.map { "#L\($0.line)" } ?? ""
        let text = location.position.map { "\(location.file):\($0.line)" } ?? location.file
        return "[\(text.markdownEscaped)](<\(location.file.linkEscaped)\(line)>)"
    }

    /// A key between back-ticks that it cannot break out of.
    private func code(_ text: String) -> String {
        var result = ""
        for scalar in text.terminalSafe.abbreviated(to: 120).unicodeScalars {
            switch scalar {
            case "`": result += "'"
            // Ends a table's cell even there.
            case "|": result += "\\|"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return "`\(result)`"
    }
}
