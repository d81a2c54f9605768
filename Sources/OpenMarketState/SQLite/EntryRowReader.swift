import GRDB
import GRDBSQLite
import OpenMarket

/// Reads rows of ``EntryColumn``s from their bytes, mostly without creating values.
///
/// The reference implementation is ``EntryRow/read(_:)``.
struct EntryRowReader {
    private let row: PlainRow
    private var reader = EntryBytesReader()

    init(_ statement: Statement) {
        row = unsafe PlainRow(statement: statement.sqliteStatement)
    }

    /// Appends the row to a state if it is of the common kind; `false` means undecided.
    mutating func append(to entries: inout StateEntries) -> Bool { reader.append(row, to: &entries) }
}

/// The columns of a row, if their values are of the usual kinds.
///
/// It is without reference-counted members, so its functions can be passed on at no cost.
@safe
private struct PlainRow: EntryRowBytes {
    let statement: OpaquePointer

    func bytes(of column: EntryColumn) -> ColumnBytes?? {
        let index = Int32(column.rawValue)
        switch unsafe sqlite3_column_type(statement, index) {
        case SQLITE_NULL: return .some(nil)
        case SQLITE_TEXT:
            let bytes = unsafe sqlite3_column_text(statement, index)
            let count = unsafe Int(sqlite3_column_bytes(statement, index))
            return unsafe ColumnBytes(UnsafeBufferPointer(start: bytes, count: count))
        default: return nil
        }
    }

    func number(of column: EntryColumn) -> Int64?? {
        let index = Int32(column.rawValue)
        switch unsafe sqlite3_column_type(statement, index) {
        case SQLITE_NULL: return .some(nil)
        case SQLITE_INTEGER: return unsafe sqlite3_column_int64(statement, index)
        default: return nil
        }
    }

    func product(of column: EntryColumn) -> MarketID? {
        if case .some(.some(let number)) = number(of: column) { return .number(number) }
        guard case .some(.some(let bytes)) = bytes(of: column) else { return nil }
        return MarketID(text: bytes.text)
    }

    func isSet(_ column: EntryColumn) -> Bool? {
        guard case .some(.some(let number)) = number(of: column), (0...1).contains(number) else { return nil }
        return number == 1
    }
}
