import OpenMarket

/// Renders a plan for the comment of a pull request, within the size that code hosts accept.
///
/// Risky operations come first and open, the rest is folded.
struct PlanMarkdownRenderer {
    /// The longest comment that code hosts accept, in bytes of UTF-8, so that it fits if they count characters.
    static let limit = 65_536

    private static let openMoves = 50
    private static let namedMoves = 20

    /// The size limit of the page in bytes; sections are cut to fit.
    var limit = Self.limit
    /// The URL prefix of the repository's files; a comment cannot resolve relative paths.
    var files: String?

    func render(_ reviewed: ReviewedPlan) -> String {
        let review = reviewed.review
        let plan = review.plan
        var page = MarkdownPage(limit: limit)
        let isIdle = plan.isEmpty && plan.isSound
        page.write(isIdle ? "## \(reviewed.idle)\n" : "## Plan: \(plan.summary.text)\n")
        if plan.unselected > 0 { page.write("\n\(counted(plan.unselected, "product")) not selected.\n") }
        if let waiting = reviewed.waiting { page.write("\n\(waiting.markdownEscaped).\n") }
        page.write("\n| | |\n| --- | --- |\n")
        // In a code span, a URL does not become a link, nor a digest a commit.
        for row in reviewed.subject.rows { page.write("| \(row.title) | \(code(row.text, limit: 500)) |\n") }
        for row in reviewed.impact {
            page.write("| \(row.title) | \(row.text.markdownEscaped) |\n")
        }
        page.write(sections(review))
        return page.finish()
    }

    private func sections(_ review: PlanReview) -> [MarkdownSection] {
        [refusals(review.plan), warnings(review.plan), findings(review)] + prices(review) + [
            texts(review),
            fields(review, "Pictures", [.images, .thumbnail]),
            fields(review, "Other fields", [.name, .description, .stock, .currency]),
            added(review),
            adopted(review),
            renamed(review),
        ]
    }

    // MARK: - Findings

    private func refusals(_ plan: Plan) -> MarkdownSection {
        MarkdownSection(title: "Refused", noun: "reason", rows: plan.reasonsAgainst.map(row))
    }

    private func warnings(_ plan: Plan) -> MarkdownSection {
        MarkdownSection(title: "Warnings", noun: "warning", rows: plan.warnings.map(row))
    }

    private func row(_ remark: PlanRemark) -> MarkdownRow {
        let place = remark.location.map { link($0) + ": " } ?? ""
        let help = remark.help.map { " (\($0.markdownEscaped))" } ?? ""
        return MarkdownRow("- \(place)\(remark.message.markdownEscaped)\(help)\n")
    }

    private func findings(_ review: PlanReview) -> MarkdownSection {
        var section = MarkdownSection(
            title: "Look at these",
            noun: "finding",
            header: ["why", "product", "change", "where"]
        )
        // If there are many price moves, they are only in their own table, which begins with the largest.
        let far = review.findings.flatMap(\.items).filter { $0.findings == [.price] }
        let items = review.findings.flatMap(\.items).filter {
            $0.findings != [.price] || far.count <= Self.namedMoves
        }
        let edits = EqualEdits.grouped(items) { item in
            // Only updates are grouped; other operations are listed one by one.
            guard item.operation.action == .update else { return nil }
            let changes = item.operation.changes
            let texts = changes.filter(\.field.isText).map(\.field.rawValue)
            return item.findings.map(\.phrase) + texts
                + EqualEdits.likeness(item.operation, changes.filter { !$0.field.isText })
        }
        section.rows = edits.map { edit in
            let item = edit.first
            let why = item.findings.map(\.phrase).joined(separator: ", ")
            let keys = edit.isMany ? products(edit) : code(item.operation.key)
            return MarkdownRow(
                row([why, product(edit), moves(edit), link(edit)]),
                short: row([why, keys, "", ""]),
                isKept: item.findings.contains(where: \.isAlwaysNamed)
            )
        }
        return section
    }

    private func moves(_ edit: EqualEdits) -> String {
        let operation = edit.first.operation
        if case .delete(let deletion) = operation.work { return values(deletion.live, of: operation) }
        guard !operation.changes.isEmpty else { return operation.reason.markdownEscaped }
        return operation.changes.map { change in
            // Each product has its own text, which is shown below.
            guard !edit.isMany || !change.field.isText else { return change.field.rawValue }
            let percent = edit.percents { operation in
                operation.changes.first { $0.field == change.field }.flatMap(operation.move)
            }
            return "\(change.field.rawValue) \(value(edit.move(change, limit: 40), of: change.field))"
                + (percent.map { " (\($0))" } ?? "")
                + (change.kind == .conflict && !edit.isMany ? was(change, operation) : "")
        }
        .joined(separator: "<br>")
    }

    /// The last applied value of a field in conflict.
    private func was(_ change: FieldChange, _ operation: PlannedOperation) -> String {
        " (was \(value(FieldValueText(reading: operation, limit: 40).text(change.base), of: change.field)))"
    }

    /// The values that are lost with a product.
    private func values(_ product: ProductValues, of operation: PlannedOperation) -> String {
        let texts = FieldValueText(reading: operation, limit: 40)
        return [ProductField.price, .salePrice, .stock].compactMap { field in
            guard let value = product[field], value != .sale(.fullPrice) else { return nil }
            let currency = field == .stock ? nil : product.currency
            return "\(field.rawValue) \(texts.money(value, currency).markdownEscaped)"
        }
        .joined(separator: "<br>")
    }

    // MARK: - By kind

    private func prices(_ review: PlanReview) -> [MarkdownSection] {
        let items = review.items.filter { $0.move != nil }.sorted { left, right in
            (left.move?.magnitude ?? 0, right.index) > (right.move?.magnitude ?? 0, left.index)
        }
        let edits = EqualEdits.grouped(items) { item in
            item.move?.percent.map { [$0, item.operation.currencies.after?.rawValue ?? ""] }
        }
        let rows = edits.map { edit in
            let (before, after) = edit.first.operation.currencies
            let old = edit.range({ $0.priceMove.map { .number($0.old) } }, before, limit: 40)
            let new = edit.range({ $0.priceMove.map { .number($0.new) } }, after, limit: 40)
            return MarkdownRow(
                row([
                    name(edit), keys(edit), old.markdownEscaped, new.markdownEscaped, edit.first.move?.percent ?? "",
                    link(edit),
                ])
            )
        }
        let header: [MarkdownSection.Column] = [
            "product", "key", .number("old"), .number("new"), .number("%"), "where",
        ]
        return [
            MarkdownSection(
                title: "Prices: what buyers pay (\(items.count))",
                noun: "price move",
                header: header,
                rows: Array(rows.prefix(Self.openMoves))
            ),
            MarkdownSection(
                title:
                    "\(counted(edits.dropFirst(Self.openMoves).reduce(0) { $0 + $1.items.count }, "smaller price move"))",
                noun: "price move",
                header: header,
                rows: Array(rows.dropFirst(Self.openMoves)),
                isFolded: true
            ),
        ]
    }

    private func texts(_ review: PlanReview) -> MarkdownSection {
        var section = MarkdownSection(title: "Texts", noun: "text", isFolded: true)
        var count = 0
        for field in [ProductField.name, .description] {
            let items = review.items.filter { $0.operation.rewrites(field) != nil }
            // Replacing the same words is one edit, even if the surrounding texts differ.
            var diffs: [Int: WordDiff] = [:]
            let edits = EqualEdits.grouped(items) { item in
                guard let (old, new) = item.operation.rewrites(field) else { return nil }
                let diff = WordDiff(from: old, to: new)
                diffs[item.index] = diff.focused(context: 40)
                return diff.parts.compactMap(\.edit)
            }
            count += items.count
            section.rows += edits.compactMap { edit in
                guard let diff = diffs[edit.first.index] else { return nil }
                let change = edit.first.operation.changes.first { $0.field == field }
                let edited = change.flatMap(FieldValueText.likeness)?.markdownEscaped ?? markdown(diff)
                return MarkdownRow("\n**\(product(edit))** \(field.rawValue): \(edited)\n")
            }
        }
        section.title = counted(count, "text")
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

    private func fields(_ review: PlanReview, _ noun: String, _ fields: [ProductField]) -> MarkdownSection {
        var section = MarkdownSection(
            title: noun,
            noun: "change",
            header: ["product", "field", "old", "new", "where"],
            isFolded: true
        )
        var count = 0
        for field in fields {
            let items = review.items.filter { $0.operation.change(of: field) != nil }
            count += items.count
            let edits = EqualEdits.grouped(items) { item in
                EqualEdits.likeness(item.operation, item.operation.change(of: field).map { [$0] } ?? [])
            }
            section.rows += edits.compactMap { edit in
                guard let change = edit.first.operation.change(of: field) else { return nil }
                let (before, after) = edit.first.operation.currencies
                let old = edit.range({ $0.change(of: field)?.live }, before, limit: 100)
                let new = edit.range({ $0.change(of: field)?.manifest }, after, limit: 100)
                return MarkdownRow(
                    row([
                        product(edit), field.rawValue, value(old, of: field),
                        value(new, of: field)
                            + (FieldValueText.likeness(change).map { " (\($0.markdownEscaped))" } ?? ""), link(edit),
                    ])
                )
            }
        }
        section.title = "\(noun): \(counted(count, "change"))"
        return section
    }

    private func added(_ review: PlanReview) -> MarkdownSection {
        let items = review.items.filter { $0.operation.action == .create }
        return MarkdownSection(
            title: "\(counted(items.count, "product")) to add",
            noun: "new product",
            header: [
                "product", "key", .number("price"), .number("sale"), .number("stock"), .number("pictures"), "where",
            ],
            rows: items.map { item in
                let operation = item.operation
                let texts = FieldValueText(reading: operation, limit: 40)
                let values = operation.newProduct?.values
                let (price, sale) = (values?.price, values?.sale?.salePrice)
                let currency = values?.currency
                return MarkdownRow(
                    row([
                        name(item), code(operation.key),
                        price.map { texts.money(.number($0), currency).markdownEscaped } ?? "",
                        sale.map { texts.money(.number($0), currency).markdownEscaped } ?? "",
                        values?.stock.map { texts.text(.integer($0)) } ?? "", "\(operation.pictures.count)",
                        link(operation.source),
                    ])
                )
            },
            isFolded: true
        )
    }

    private func adopted(_ review: PlanReview) -> MarkdownSection {
        let items = review.items.filter { $0.operation.action == .adopt }
        return MarkdownSection(
            title: "\(counted(items.count, "product")) to adopt",
            noun: "adopted product",
            header: ["product", "why", "where"],
            rows: items.map { item in
                MarkdownRow(
                    row([product(item), item.operation.reason.markdownEscaped, link(item.operation.source)])
                )
            },
            isFolded: true
        )
    }

    /// Products that get another key: in the state, on the market, or both.
    private func renamed(_ review: PlanReview) -> MarkdownSection {
        let renames = review.items.compactMap { item in
            (item.operation.renamedFrom ?? item.operation.formerKey).map { ($0, item.operation.key) }
        }
        return MarkdownSection(
            title: "\(counted(renames.count, "product")) to rename",
            noun: "renamed product",
            header: ["key", "new key"],
            rows: renames.map { MarkdownRow(row([code($0.0), code($0.1)])) },
            isFolded: true
        )
    }

    // MARK: - Cells

    /// The number of products with an equal edit that are named.
    private static let namedKeys = 3

    private func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |\n" }

    private func name(_ item: PlanReview.Item) -> String {
        item.operation.name.map { $0.abbreviated(to: 60).markdownEscaped } ?? ""
    }

    private func name(_ edit: EqualEdits) -> String {
        edit.isMany ? counted(edit.items.count, "product") : name(edit.first)
    }

    private func keys(_ edit: EqualEdits) -> String {
        edit.items.prefix(Self.namedKeys).map { code($0.operation.key) }.joined(separator: ", ")
            + (edit.items.count > Self.namedKeys ? ", …" : "")
    }

    private func product(_ item: PlanReview.Item) -> String {
        let name = name(item)
        let id = item.operation.id.map { " (\($0))" } ?? ""
        return (name.isEmpty ? "" : name + " ") + code(item.operation.key) + id
    }

    private func product(_ edit: EqualEdits) -> String { edit.isMany ? products(edit) : product(edit.first) }

    private func products(_ edit: EqualEdits) -> String { "\(name(edit)): \(keys(edit))" }

    private func link(_ edit: EqualEdits) -> String {
        let link = link(edit.first.operation.source)
        return edit.isMany && !link.isEmpty ? link + ", …" : link
    }

    private func link(_ location: SourceLocation?) -> String {
        guard let location else { return "" }
        let line = location.position.map { "#L\($0.line)" } ?? ""
        let text = location.position.map { "\(location.file):\($0.line)" } ?? location.file
        return "[\(code(text))](<\(files ?? "")\(location.file.linkEscaped)\(line)>)"
    }

    /// A value's text; paths of pictures are code, so that code hosts do not find references in them.
    private func value(_ text: String, of field: ProductField) -> String {
        field == .images || field == .thumbnail ? code(text, limit: 500) : text.markdownEscaped
    }

    /// A code span that the text cannot end.
    private func code(_ text: String, limit: Int = 120) -> String {
        var result = ""
        for scalar in text.terminalSafe.abbreviated(to: limit).unicodeScalars {
            switch scalar {
            case "`": result += "'"
            // A bar ends a table's cell even in a code span.
            case "|": result += "\\|"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return "`\(result)`"
    }
}

extension PlannedOperation {
    /// A change of a field of an existing product, without texts that are compared word by word.
    fileprivate func change(of field: ProductField) -> FieldChange? {
        guard action == .update || action == .replace, rewrites(field) == nil else { return nil }
        return changes.first { $0.field == field }
    }

    /// A name or description of an existing product, before and after.
    fileprivate func rewrites(_ field: ProductField) -> (old: String, new: String)? {
        guard action != .create, field == .name || field == .description,
            case (.text(let old)?, .text(let new)?)? = changes.first(where: { $0.field == field })
                .map({ ($0.live, $0.manifest) }),
            old != new
        else { return nil }
        return (old, new)
    }
}

extension ProductField {
    fileprivate var isText: Bool { self == .name || self == .description }
}

extension WordDiff.Part {
    fileprivate var edit: String? {
        switch self {
        case .removed(let words): "-\(words)"
        case .added(let words): "+\(words)"
        case .same, .omitted: nil
        }
    }
}
