import GRDB
import GRDBSQLite
import OpenMarket

/// Reads rows of ``EntryRow/columns`` from their bytes: of most rows of a state no value has to be made.
///
/// Its slow twin is ``EntryRow/read(_:)``.
struct PlainEntryReader {
    private let statement: OpaquePointer
    /// Digests and names of pictures as entries hold them; reused from row to row.
    private var digests: [UInt8] = []
    private var references: [UInt8] = []

    /// A reader of the row that a statement stands on.
    init(_ statement: Statement) {
        self.statement = statement.sqliteStatement
    }

    /// Adds the row to a state, if it is of the kind that most are.
    ///
    /// - Returns: whether it was.
    mutating func append(to entries: inout StateEntries) -> Bool {
        guard let key = text(0), let id = integer(1), isNull(14), let isProtected = integer(15),
            (0...1).contains(isProtected),
            let images = optional(9, text), readDigests(images),
            let sent = optional(11, text), readReferences(sent),
            let vendorID = optional(2, integer),
            let name = optional(3, text),
            let description = optional(4, text),
            let price = optional(5, decimal),
            let currency = optional(6, currency),
            let sale = optional(7, sale),
            let stock = optional(8, integer),
            let thumbnail = optional(10, thumbnail),
            let thumbnailURL = optional(12, text),
            let issuedAt = optional(13, text)
        else { return false }
        return digests.withUnsafeBufferPointer { digests in
            references.withUnsafeBufferPointer { references in
                var entry = PlainEntry(key: key, id: ProductID(id), isProtected: isProtected == 1)
                entry.vendorID = vendorID
                entry.name = name
                entry.description = description
                entry.numbers = ProductValues(price: price, currency: currency, sale: sale, stock: stock)
                entry.digests = images.map { _ in digests }
                entry.thumbnail = thumbnail
                entry.references = sent.map { _ in references }
                entry.thumbnailURL = thumbnailURL
                entry.issuedAt = issuedAt
                return entries.append(entry)
            }
        }
    }

    // MARK: - Columns

    private func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

    /// A column's value, or that there is none; `nil` where it is not of the usual kind.
    private func optional<Value>(_ column: Int32, _ read: (Int32) -> Value?) -> Value?? {
        if isNull(column) { return .some(nil) }
        return read(column).map { .some($0) }
    }

    private func text(_ column: Int32) -> UnsafeBufferPointer<UInt8>? {
        guard sqlite3_column_type(statement, column) == SQLITE_TEXT else { return nil }
        let bytes = sqlite3_column_text(statement, column)
        return UnsafeBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, column)))
    }

    private func integer(_ column: Int32) -> Int64? {
        guard sqlite3_column_type(statement, column) == SQLITE_INTEGER else { return nil }
        return sqlite3_column_int64(statement, column)
    }

    private func decimal(_ column: Int32) -> ExactDecimal? { text(column).flatMap { ExactDecimal(ascii: $0) } }

    private func sale(_ column: Int32) -> Sale? {
        guard let text = text(column) else { return nil }
        return text.elementsEqual("none".utf8) ? .fullPrice : ExactDecimal(ascii: text).map(Sale.price)
    }

    private func currency(_ column: Int32) -> Currency? {
        text(column).map { Currency(rawValue: String(decoding: $0, as: UTF8.self)) }
    }

    /// The place of the thumbnail among the pictures: `=` and the number.
    private func thumbnail(_ column: Int32) -> Int? {
        guard let text = text(column), text.first == UInt8(ascii: "="), (2...4).contains(text.count) else { return nil }
        return Int(String(decoding: text.dropFirst(), as: UTF8.self))
    }

    // MARK: - Lists

    /// Reads `sha256:` and 64 digits a line; none at all are none.
    private mutating func readDigests(_ column: UnsafeBufferPointer<UInt8>?) -> Bool {
        digests.removeAll(keepingCapacity: true)
        guard let column else { return true }
        let lineLength = "sha256:".utf8.count + 64 + 1
        guard column.count.isMultiple(of: lineLength) else { return false }
        for start in stride(from: 0, to: column.count, by: lineLength) {
            let line = UnsafeBufferPointer(rebasing: column[start..<start + lineLength])
            guard line.starts(with: "sha256:".utf8), line[lineLength - 1] == UInt8(ascii: "\n") else { return false }
            for index in stride(from: 7, to: lineLength - 1, by: 2) {
                guard let high = Self.digit(line[index]), let low = Self.digit(line[index + 1]) else { return false }
                digests.append(high << 4 | low)
            }
        }
        return true
    }

    /// Reads `=` and the market's name of the picture a line, without escapes.
    private mutating func readReferences(_ column: UnsafeBufferPointer<UInt8>?) -> Bool {
        references.removeAll(keepingCapacity: true)
        guard let column else { return true }
        var isLineStart = true
        for byte in column {
            if isLineStart {
                guard byte == UInt8(ascii: "=") else { return false }
                isLineStart = false
                continue
            }
            guard byte != UInt8(ascii: "\\") else { return false }
            references.append(byte)
            isLineStart = byte == UInt8(ascii: "\n")
        }
        return isLineStart
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
