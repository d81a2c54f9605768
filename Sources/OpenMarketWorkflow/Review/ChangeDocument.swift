package import OpenMarket

/// The changes since an earlier export, in each of the formats.
package struct ChangeDocument {
    private let difference: CatalogDifference
    private let earlier: String

    /// `earlier` is the name of the earlier export as the user gave it.
    package init(_ difference: CatalogDifference, since earlier: String) {
        self.difference = difference
        self.earlier = earlier
    }

    /// The whole file in one format; a format that changes do not have gives text.
    ///
    /// The style applies to text. Known secrets are masked, except in tables, which leave out such texts as an
    /// export does.
    package func bytes(as format: ExportFormat, style: Style = .plain) -> [UInt8] {
        let mask = SecretMask.current
        let changes = difference.changes
        switch format {
        case .text, .sqlite, .manifest:
            return Array(mask.masked(CatalogChangesTextRenderer(style: style).render(changes)).utf8)
        case .markdown:
            return Array(mask.masked(CatalogChangesMarkdownRenderer().render(changes, since: earlier)).utf8)
        case .json:
            let document = changes.document(since: earlier, catalogMoved: difference.reading.summary.catalogMoved)
            return mask.masked(json: document.bytes(pretty: true) + Array("\n".utf8))
        case .csv: return CatalogChangeTable.bytes(changes, as: .table(delimiter: UInt8(ascii: ",")))
        case .tsv: return CatalogChangeTable.bytes(changes, as: .table(delimiter: UInt8(ascii: "\t")))
        case .jsonl: return CatalogChangeTable.bytes(changes, as: .lines)
        }
    }
}

extension CatalogChanges {
    /// The changes since an earlier export as a JSON document.
    ///
    /// `catalogMoved` reports whether the catalog changed while it was read; `nil` if that is unknown.
    package func document(since file: String, catalogMoved: Bool?) -> JSONValue {
        .object(
            of: ("format_version", .formatVersion),
            ("since", .object(of: ("file", .string(file)), ("rows", .integer(earlierCount)))),
            ("columns", .array(columns.map { .string($0.rawValue) })),
            (
                "summary",
                .object(
                    of: ("new", .integer(counts.new)),
                    ("changed", .integer(counts.changed)),
                    ("gone", .integer(counts.gone)),
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
            of: ("change", .string(name)),
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
