package import OpenMarket

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
