import GRDB
import GRDBSQLite
import OpenMarket

/// Reads rows of ``EntryColumn``s from their bytes, mostly without creating values.
///
/// The reference implementation is ``EntryRow/read(_:)``.
struct EntryRowReader {
    private let row: PlainRow
    /// The digests and names of an entry's pictures; the buffer is reused from row to row.
    private var digests: [UInt8] = []
    private var references: [UInt8] = []

    init(_ statement: Statement) {
        row = unsafe PlainRow(statement: statement.sqliteStatement)
    }

    /// Appends the row to a state if it is of the common kind; `false` means undecided.
    mutating func append(to entries: inout StateEntries) -> Bool {
        guard case .some(.none) = row.bytes(of: .secret), case .some(.none) = row.bytes(of: .shown),
            let images = row.bytes(of: .images), unsafe readDigests(images?.bytes.span),
            let sent = row.bytes(of: .sentImages), unsafe readReferences(sent?.bytes.span),
            let price = Self.value(row.bytes(of: .price), { ExactDecimal(ascii: $0) }),
            let currency = Self.value(row.bytes(of: .currency), { Currency(rawValue: $0.text) as Currency? }),
            let sale = Self.value(row.bytes(of: .sale), Self.sale),
            let thumbnail = Self.value(row.bytes(of: .thumbnail), Self.thumbnail),
            case .some(.some(let key)) = row.bytes(of: .key), let id = row.product(of: .id),
            let vendor = row.number(of: .vendor), let stock = row.number(of: .stock),
            let name = row.bytes(of: .name), let description = row.bytes(of: .description),
            let thumbnailURL = row.bytes(of: .thumbnailURL), let issuedAt = row.bytes(of: .issuedAt),
            let isProtected = row.isSet(.isProtected), let origin = row.bytes(of: .origin)
        else { return false }
        var numbers = ProductValues.blank
        (numbers.price, numbers.currency, numbers.sale, numbers.stock) = (price, currency, sale, stock)
        return Self.lend(digests, if: images != nil) { digests in
            Self.lend(references, if: sent != nil) { references in
                unsafe entries.append(
                    key: key.bytes.span,
                    id: id,
                    vendorID: vendor,
                    name: name?.bytes.span,
                    description: description?.bytes.span,
                    numbers: numbers,
                    digests: digests,
                    thumbnail: thumbnail,
                    references: references,
                    thumbnailURL: thumbnailURL?.bytes.span,
                    issuedAt: issuedAt?.bytes.span,
                    isProtected: isProtected,
                    origin: origin?.bytes.span
                )
            }
        }
    }

    /// Passes the bytes to `body`, or `nil` if the column is without a text.
    private static func lend(_ bytes: [UInt8], if isThere: Bool, _ body: (Span<UInt8>?) -> Bool) -> Bool {
        isThere ? body(bytes.span) : body(nil)
    }

    /// A column's value; the inner `nil` means that there is none, the outer one that it is not of the usual kind.
    private static func value<Value>(_ column: ColumnBytes??, _ read: (Span<UInt8>) -> Value?) -> Value?? {
        guard let column else { return nil }
        guard let column else { return .some(nil) }
        return unsafe read(column.bytes.span).map { .some($0) }
    }

    private static func sale(_ text: Span<UInt8>) -> Sale? {
        text.isExactly("none") ? .fullPrice : ExactDecimal(ascii: text).map(Sale.price)
    }

    /// The position of the thumbnail among the pictures: `=` and the number.
    private static func thumbnail(_ text: Span<UInt8>) -> Int? {
        guard text.first == UInt8(ascii: "="), (2...4).contains(text.count) else { return nil }
        return Int(text.extracting(1...).text)
    }

    /// Reads lines of `sha256:` and 64 digits; none in an empty text.
    private mutating func readDigests(_ column: Span<UInt8>?) -> Bool {
        digests.removeAll(keepingCapacity: true)
        guard let column else { return true }
        let lineLength = "sha256:".utf8.count + 64 + 1
        guard column.count.isMultiple(of: lineLength) else { return false }
        for start in stride(from: 0, to: column.count, by: lineLength) {
            let line = column.extracting(start..<start + lineLength)
            guard line.extracting(first: 7).isExactly("sha256:"), line[lineLength - 1] == UInt8(ascii: "\n") else {
                return false
            }
            for index in stride(from: 7, to: lineLength - 1, by: 2) {
                guard let high = Self.digit(line[index]), let low = Self.digit(line[index + 1]) else { return false }
                digests.append(high << 4 | low)
            }
        }
        return true
    }

    /// Reads lines of `=` and the market's name of the picture, without escapes.
    private mutating func readReferences(_ column: Span<UInt8>?) -> Bool {
        references.removeAll(keepingCapacity: true)
        guard let column else { return true }
        var isLineStart = true
        for index in column.indices {
            let byte = column[index]
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

/// The columns of the current row; `nil` means that a value is not of the usual kind.
///
/// It is without reference-counted members, so its functions can be passed on at no cost.
@safe
private struct PlainRow {
    let statement: OpaquePointer

    /// A text; the inner `nil` means that there is none.
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

    /// A number; the inner `nil` means that there is none.
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

/// The bytes of one column in the current database row, valid until the next row is read.
@safe
private struct ColumnBytes {
    let bytes: UnsafeBufferPointer<UInt8>

    /// The database owns the bytes.
    @unsafe
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        unsafe self.bytes = bytes
    }

    var text: String { unsafe bytes.span.text }
}
