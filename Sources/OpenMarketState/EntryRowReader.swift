import GRDB
import GRDBSQLite
import OpenMarket

/// Reads rows of ``EntryRow/columns`` from their bytes: of most rows of a state no value has to be made.
///
/// Its slow twin is ``EntryRow/read(_:)``.
struct EntryRowReader {
    private let row: PlainRow
    /// Digests and names of pictures as entries hold them; reused from row to row.
    private var digests: [UInt8] = []
    private var references: [UInt8] = []

    /// A reader of the current row of a statement.
    init(_ statement: Statement) {
        row = PlainRow(statement: statement.sqliteStatement)
    }

    /// Adds the row to a state, if it is of the kind that most are.
    ///
    /// - Returns: whether it was.
    mutating func append(to entries: inout StateEntries) -> Bool {
        guard let key = row.text(0), let id = row.id(1), row.isNull(14), row.isNull(16),
            let isProtected = row.integer(15),
            (0...1).contains(isProtected),
            let images = row.optional(9, row.text), readDigests(images),
            let sent = row.optional(11, row.text), readReferences(sent),
            let vendorID = row.optional(2, row.integer),
            let name = row.optional(3, row.text),
            let description = row.optional(4, row.text),
            let price = row.optional(5, row.decimal),
            let currency = row.optional(6, row.currency),
            let sale = row.optional(7, row.sale),
            let stock = row.optional(8, row.integer),
            let thumbnail = row.optional(10, row.thumbnail),
            let thumbnailURL = row.optional(12, row.text),
            let issuedAt = row.optional(13, row.text)
        else { return false }
        return digests.withUnsafeBufferPointer { digests in
            references.withUnsafeBufferPointer { references in
                entries.append(
                    key: key,
                    id: id,
                    vendorID: vendorID,
                    name: name,
                    description: description,
                    numbers: ProductValues(price: price, currency: currency, sale: sale, stock: stock),
                    digests: images.map { _ in digests },
                    thumbnail: thumbnail,
                    references: sent.map { _ in references },
                    thumbnailURL: thumbnailURL,
                    issuedAt: issuedAt,
                    isProtected: isProtected == 1
                )
            }
        }
    }

    /// Reads `sha256:` and 64 digits a line; an empty text has none.
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

/// The columns of a row, of which only the usual kinds of values are read.
///
/// Nothing in it is counted by reference, so that its functions can be handed on at no cost.
private struct PlainRow {
    let statement: OpaquePointer

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

    /// A column's value, or that there is none; `nil` where it is not of the usual kind.
    func optional<Value>(_ column: Int32, _ read: (Int32) -> Value?) -> Value?? {
        if isNull(column) { return .some(nil) }
        return read(column).map { .some($0) }
    }

    func text(_ column: Int32) -> UnsafeBufferPointer<UInt8>? {
        guard sqlite3_column_type(statement, column) == SQLITE_TEXT else { return nil }
        let bytes = sqlite3_column_text(statement, column)
        return UnsafeBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, column)))
    }

    func integer(_ column: Int32) -> Int64? {
        guard sqlite3_column_type(statement, column) == SQLITE_INTEGER else { return nil }
        return sqlite3_column_int64(statement, column)
    }

    func id(_ column: Int32) -> MarketID? {
        if let number = integer(column) { return .number(number) }
        return text(column).flatMap { MarketID(text: String(decoding: $0, as: UTF8.self)) }
    }

    func decimal(_ column: Int32) -> ExactDecimal? { text(column).flatMap { ExactDecimal(ascii: $0) } }

    func sale(_ column: Int32) -> Sale? {
        guard let text = text(column) else { return nil }
        return text.elementsEqual("none".utf8) ? .fullPrice : ExactDecimal(ascii: text).map(Sale.price)
    }

    func currency(_ column: Int32) -> Currency? {
        text(column).map { Currency(rawValue: String(decoding: $0, as: UTF8.self)) }
    }

    /// The place of the thumbnail among the pictures: `=` and the number.
    func thumbnail(_ column: Int32) -> Int? {
        guard let text = text(column), text.first == UInt8(ascii: "="), (2...4).contains(text.count) else { return nil }
        return Int(String(decoding: text.dropFirst(), as: UTF8.self))
    }
}
