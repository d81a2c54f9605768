import OpenMarket

/// Reads rows of ``EntryColumn``s into a state, most of them without creating values.
struct EntryCopyReader {
    private var reader = EntryBytesReader()
    private var row = CopiedEntry()
    private(set) var entries = StateEntries()

    /// Throws ``UnreadableValue``.
    mutating func append(_ fields: CopiedRow) throws {
        try row.take(fields)
        if reader.append(row, to: &entries) { return }
        entries.append(try StateEntry(row))
    }
}

private struct CopiedEntry: EntryRowBytes, StateRow {
    /// The buffer is reused from row to row.
    private var fields: [ColumnBytes?] = []

    mutating func take(_ row: CopiedRow) throws {
        var row = row
        fields.removeAll(keepingCapacity: true)
        for _ in EntryColumn.allCases { fields.append(try row.bytes()) }
    }

    func bytes(of column: EntryColumn) -> ColumnBytes?? { .some(fields[column.rawValue]) }
    func number(of column: EntryColumn) -> Int64?? { try? integerIfPresent(column.rawValue) }
    func product(of column: EntryColumn) -> MarketID? { try? product(column.rawValue) }
    func isSet(_ column: EntryColumn) -> Bool? { try? flag(column.rawValue) }

    func textIfPresent(_ column: Int) throws -> String? { fields[column]?.text }
    func integerIfPresent(_ column: Int) throws -> Int64? { try fields[column]?.integer() }
    func productIfPresent(_ column: Int) throws -> MarketID? { try fields[column]?.product() }
    func flag(_ column: Int) throws -> Bool {
        guard let bytes = fields[column] else { throw UnreadableValue.missing }
        return bytes.with { $0.first == 1 }
    }
}
