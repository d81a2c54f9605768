import GRDB
import GRDBSQLite
import OpenMarket

/// Reads rows of ``EntryRow/columns`` from their bytes: of most rows of a state no value has to be made.
///
/// Its slow twin is ``EntryRow/read(_:)``.
struct EntryRowReader {
    private let row: PlainRow
    private var reader = EntryBytesReader()

    /// A reader of the current row of a statement.
    init(_ statement: Statement) {
        row = unsafe PlainRow(statement: statement.sqliteStatement)
    }

    /// Adds the row to a state, if it is of the kind that most are.
    ///
    /// - Returns: whether it was.
    mutating func append(to entries: inout StateEntries) -> Bool {
        guard let bytes = row.bytes else { return false }
        return reader.append(bytes, to: &entries)
    }
}

/// The columns of a row, of which only the usual kinds of values are read.
///
/// Nothing in it is counted by reference, so that its functions can be handed on at no cost.
@safe
private struct PlainRow {
    let statement: OpaquePointer

    /// The whole row; `nil` where it has values that are rare, or not of the usual kind.
    var bytes: EntryBytes? {
        guard let key = text(0), let id = id(1), isNull(14), isNull(16),
            let isProtected = integer(15), (0...1).contains(isProtected),
            let vendor = optional(2, integer),
            let name = optional(3, text),
            let description = optional(4, text),
            let price = optional(5, text),
            let currency = optional(6, text),
            let sale = optional(7, text),
            let stock = optional(8, integer),
            let images = optional(9, text),
            let thumbnail = optional(10, text),
            let sentImages = optional(11, text),
            let thumbnailURL = optional(12, text),
            let issuedAt = optional(13, text)
        else { return nil }
        var bytes = EntryBytes(key: key, id: id, isProtected: isProtected == 1)
        bytes.vendor = vendor
        bytes.name = name
        bytes.description = description
        bytes.price = price
        bytes.currency = currency
        bytes.sale = sale
        bytes.stock = stock
        bytes.images = images
        bytes.thumbnail = thumbnail
        bytes.sentImages = sentImages
        bytes.thumbnailURL = thumbnailURL
        bytes.issuedAt = issuedAt
        return bytes
    }

    private func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(statement, column) == SQLITE_NULL }

    /// A column's value, or that there is none; `nil` where it is not of the usual kind.
    private func optional<Value>(_ column: Int32, _ read: (Int32) -> Value?) -> Value?? {
        if isNull(column) { return .some(nil) }
        return read(column).map { .some($0) }
    }

    private func text(_ column: Int32) -> ColumnBytes? {
        guard unsafe sqlite3_column_type(statement, column) == SQLITE_TEXT else { return nil }
        let bytes = unsafe sqlite3_column_text(statement, column)
        let count = unsafe Int(sqlite3_column_bytes(statement, column))
        return unsafe ColumnBytes(UnsafeBufferPointer(start: bytes, count: count))
    }

    private func integer(_ column: Int32) -> Int64? {
        guard unsafe sqlite3_column_type(statement, column) == SQLITE_INTEGER else { return nil }
        return unsafe sqlite3_column_int64(statement, column)
    }

    private func id(_ column: Int32) -> MarketID? {
        if let number = integer(column) { return .number(number) }
        return text(column).flatMap { MarketID(text: $0.text) }
    }
}
