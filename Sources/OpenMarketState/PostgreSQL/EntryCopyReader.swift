import OpenMarket

/// Reads rows of ``EntryColumn``s into a state, most of them without creating a value.
struct EntryCopyReader {
    private var reader = EntryBytesReader()
    private var row = CopiedEntry()
    private(set) var entries = StateEntries()

    /// Throws ``UnreadableValue``.
    mutating func append(_ fields: CopiedRow) throws {
        try row.take(fields)
        if reader.append(row, to: &entries) { return }
        guard let entry = try StateEntry(row) else {
            throw UnreadableValue(reason: "an entry holds a value that cannot be read")
        }
        entries.append(entry)
    }
}

private struct CopiedEntry: EntryRowBytes, EntryRowValues {
    /// Reused from row to row.
    private var fields: [ColumnBytes?] = []

    mutating func take(_ row: CopiedRow) throws {
        var row = row
        fields.removeAll(keepingCapacity: true)
        for _ in EntryColumn.allCases { fields.append(try row.bytes()) }
    }

    func bytes(of column: EntryColumn) -> ColumnBytes?? { .some(fields[column.rawValue]) }
    func number(of column: EntryColumn) -> Int64?? { try? integer(column) }
    func product(of column: EntryColumn) -> MarketID? { try? id(column) }
    func isSet(_ column: EntryColumn) -> Bool? { try? flag(column) }

    func text(_ column: EntryColumn) throws -> String? { fields[column.rawValue]?.text }
    func integer(_ column: EntryColumn) throws -> Int64? { try fields[column.rawValue]?.integer() }
    func id(_ column: EntryColumn) throws -> MarketID { try present(column).product() }
    func flag(_ column: EntryColumn) throws -> Bool { try present(column).with { $0.first == 1 } }

    private func present(_ column: EntryColumn) throws -> ColumnBytes {
        guard let bytes = fields[column.rawValue] else { throw UnreadableValue(reason: "a value is missing") }
        return bytes
    }
}
