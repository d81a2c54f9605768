package import OpenMarket

extension CatalogDifference {
    /// The whole file in one format; a format that changes do not have gives text.
    ///
    /// `earlier` is the name of the earlier export as the user gave it.
    /// The style applies to text. Secrets are masked, except in tables, which leave out such texts as an export
    /// does.
    package func bytes(since earlier: String, as format: ExportFormat, style: Style = .plain) -> [UInt8] {
        let mask = SecretMask.current
        switch format {
        case .text, .sqlite, .manifest:
            return Array(mask.masked(changes.text(style)).utf8)
        case .markdown:
            return Array(mask.masked(changes.markdown(since: earlier)).utf8)
        case .json:
            let document = changes.document(since: earlier, catalogMoved: reading.summary.catalogMoved)
            return mask.masked(json: document.bytes(pretty: true) + Array("\n".utf8))
        case .csv: return CatalogChangeTable.bytes(changes, as: .table(delimiter: UInt8(ascii: ",")))
        case .tsv: return CatalogChangeTable.bytes(changes, as: .table(delimiter: UInt8(ascii: "\t")))
        case .jsonl: return CatalogChangeTable.bytes(changes, as: .lines)
        }
    }
}

extension CatalogChanges {
    // MARK: - For people

    /// The changes for a terminal, with their number in the last line.
    package func text(_ style: Style = .plain) -> String {
        var text = ""
        for change in changes {
            let (symbol, tone): (String, Style.Tone) =
                switch change.kind {
                case .new: ("+", .green)
                case .changed: ("~", .yellow)
                case .gone: ("-", .red)
                }
            text += style(tone, "\(symbol) \(change.row.title)") + terms(change) + "\n"
            guard let before = change.before else { continue }
            let width = change.fields.map(\.rawValue.columns).max() ?? 0
            for field in change.fields {
                let (old, new) = (before[field], change.row[field])
                let note = old.likeness(new).map { " (\($0))" } ?? ""
                text += "    \(field.rawValue.padded(to: width))  \(old.words) → \(new.words)\(note)\n"
            }
        }
        return text.isEmpty ? summary : text + "\n" + summary
    }

    /// A Markdown page, for an issue or a report by mail; `file` is the earlier export.
    ///
    /// The page never exceeds GitHub's limit for a comment, and names the omitted parts.
    func markdown(since file: String) -> String {
        var page = MarkdownPage(
            limit: PlanMarkdownRenderer.limit,
            elsewhere: "As text, JSON or CSV the changes are whole."
        )
        page.write("## What changed since \(file.markdownEscaped)\n\n")
        page.write(summary)
        page.write(["changed", "new", "gone"].map(section))
        return page.finish()
    }

    private var summary: String {
        guard !changes.isEmpty else { return "No changes.\n" }
        return "\(count(.new)) new, \(count(.changed)) changed, \(count(.gone)) gone, \(unchanged) unchanged.\n"
    }

    /// The price and stock of a product that was added or removed.
    private func terms(_ change: CatalogChange) -> String {
        guard change.before == nil else { return "" }
        let terms = [CatalogColumn.price, .salePrice, .stock].compactMap { column -> String? in
            guard columns.contains(column), let number = change.row.number(column) else { return nil }
            return "\(column.rawValue) \(number)"
        }
        return terms.isEmpty ? "" : "  " + terms.joined(separator: ", ")
    }

    private func section(_ name: String) -> MarkdownSection {
        var section = MarkdownSection(title: name.prefix(1).uppercased() + name.dropFirst(), noun: "\(name) product")
        section.header =
            name == "changed"
            ? ["product", "field", "before", "now"] : ["product", .number("price"), .number("stock")]
        section.rows = changes.filter { $0.kind.rawValue == name }.map { change in
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

    // MARK: - For programs

    /// The changes since an earlier export as a JSON document.
    ///
    /// `catalogMoved` is whether the catalog changed while it was read; `nil` if that is unknown.
    package func document(since file: String, catalogMoved: Bool?) -> JSONValue {
        .object(
            of: ("format_version", .formatVersion),
            ("since", .object(of: ("file", .string(file)), ("rows", .integer(earlierCount)))),
            ("columns", .array(columns.map { .string($0.rawValue) })),
            (
                "summary",
                .object(
                    of: ("new", .integer(count(.new))),
                    ("changed", .integer(count(.changed))),
                    ("gone", .integer(count(.gone))),
                    ("unchanged", .integer(unchanged))
                )
            ),
            ("catalog_moved", catalogMoved.map { .bool($0) } ?? .null),
            ("changes", .array(changes.map { $0.document(columns) }))
        )
    }
}

extension CatalogChange {
    fileprivate func document(_ columns: [CatalogColumn]) -> JSONValue {
        let moves = before.map { before in
            fields.map { column in
                JSONValue.object(
                    of: ("field", .string(column.rawValue)),
                    ("old", before[column].document),
                    ("new", row[column].document)
                )
            }
        }
        let values = columns.map { JSONValue.Member($0.rawValue, row[$0].document) }
        return .object(
            of: ("change", .string(kind.rawValue)),
            ("id", JSONValue(row.id)),
            ("key", row.text(.key).map(JSONValue.string)),
            ("name", row.text(.name).map(JSONValue.string)),
            ("fields", moves.map(JSONValue.array)),
            ("values", moves == nil ? .object(values) : nil)
        )
    }
}

extension CatalogValue {
    fileprivate var document: JSONValue {
        switch self {
        case .unset: .null
        case .number(let number): .number(number)
        case .text(let text): .string(text.text)
        case .texts(let texts): .array(texts.map { .string($0.text) })
        }
    }
}

extension CatalogRow {
    /// The id, key and name of a product: `193 desk-lamp "Desk lamp"`.
    fileprivate var title: String {
        var title = "\(id)"
        if let key = text(.key) { title += " " + key.terminalSafe }
        if let name = text(.name) { title += " \"\(name.terminalSafe.abbreviated(to: FieldValueText.shortText))\"" }
        return title
    }
}

extension CatalogValue {
    /// The note on two texts that differ but look alike.
    fileprivate func likeness(_ other: CatalogValue) -> String? {
        guard case (.text(let left), .text(let right)) = (self, other) else { return nil }
        return FieldValueText.likeness(left.text, right.text)
    }

    /// The value for people; pictures are counted, because their addresses do not help a reader.
    fileprivate var words: String {
        switch self {
        case .unset: "–"
        case .number(let number): number.description
        case .text(let text): "\"\(text.text.terminalSafe.abbreviated(to: FieldValueText.shortText))\""
        case .texts(let texts): counted(texts.count, "picture")
        }
    }
}
