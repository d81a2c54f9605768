import OpenMarket

/// Renders the changes since an earlier export as a Markdown page, for an issue or a report by mail.
struct CatalogChangesMarkdownRenderer {
    /// GitHub's limit for a comment.
    static let limit = 65_536

    init() {}

    /// The page, which never exceeds its limit and states what it omits; `file` is the earlier export.
    func render(_ changes: CatalogChanges, since file: String) -> String {
        var page = MarkdownPage(limit: Self.limit, elsewhere: "As text, JSON or CSV the changes are whole.")
        page.write("## What changed since \(file.markdownEscaped)\n\n")
        page.write(CatalogChangesTextRenderer.summary(changes))
        page.write([
            section("Changed", changes.changes.filter { $0.before != nil }, isChange: true),
            section("New", changes.changes.filter { if case .new = $0 { true } else { false } }, isChange: false),
            section("Gone", changes.changes.filter { if case .gone = $0 { true } else { false } }, isChange: false),
        ])
        return page.finish()
    }

    private func section(_ title: String, _ changes: [CatalogChange], isChange: Bool) -> MarkdownSection {
        var section = MarkdownSection(title: title, noun: "\(title.lowercased()) product")
        section.header =
            isChange ? ["product", "field", "before", "now"] : ["product", .number("price"), .number("stock")]
        section.rows = changes.map { change in
            let title = change.row.title.markdownEscaped
            guard let before = change.before else {
                let cells = [CatalogColumn.price, .stock].map { change.row[$0].words.markdownEscaped }
                return MarkdownRow("| \(title) | \(cells.joined(separator: " | ")) |\n")
            }
            let lines = change.fields.enumerated().map { index, field in
                let cells = [before[field].words, change.row[field].words].map(\.markdownEscaped)
                return
                    "| \(index == 0 ? title : "") | \(field.rawValue.markdownEscaped) | \(cells.joined(separator: " | ")) |\n"
            }
            return MarkdownRow(lines.joined())
        }
        return section
    }
}
