/// The values of ``EntryColumns`` as the bytes in which a database holds them, where they are of the usual kinds.
package struct EntryBytes {
    package var key: ColumnBytes
    package var id: MarketID
    package var vendor: Int64?
    package var name: ColumnBytes?
    package var description: ColumnBytes?
    package var price: ColumnBytes?
    package var currency: ColumnBytes?
    package var sale: ColumnBytes?
    package var stock: Int64?
    package var images: ColumnBytes?
    package var thumbnail: ColumnBytes?
    package var sentImages: ColumnBytes?
    package var thumbnailURL: ColumnBytes?
    package var issuedAt: ColumnBytes?
    package var isProtected: Bool

    /// A row of a product of which nothing else is known.
    package init(key: ColumnBytes, id: MarketID, isProtected: Bool) {
        self.key = key
        self.id = id
        self.isProtected = isProtected
    }
}

/// The bytes of one column in the row that a database has just read: valid until it reads the next one.
@safe
package struct ColumnBytes {
    fileprivate let bytes: UnsafeBufferPointer<UInt8>

    /// Bytes that the database keeps.
    @unsafe
    package init(_ bytes: UnsafeBufferPointer<UInt8>) {
        unsafe self.bytes = bytes
    }

    /// Lends the bytes.
    ///
    /// - Throws: what `body` throws.
    package func with<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(bytes.span)
    }

    /// The text that they are in UTF-8.
    package var text: String { with { $0.text } }
}

/// Adds rows to a state from their bytes: for most rows of a state no value has to be made.
package struct EntryBytesReader {
    /// Digests and names of pictures as entries hold them; reused from row to row.
    private var digests: [UInt8] = []
    private var references: [UInt8] = []

    package init() {}

    /// Adds a row to a state, if it is of the kind that most are.
    ///
    /// - Returns: Whether it was; what was not has to be read as ``EntryColumns``.
    package mutating func append(_ row: EntryBytes, to entries: inout StateEntries) -> Bool {
        guard unsafe readDigests(row.images?.bytes.span), unsafe readReferences(row.sentImages?.bytes.span),
            let price = unsafe Self.optional(row.price?.bytes.span, { ExactDecimal(ascii: $0) }),
            let currency = unsafe Self.optional(row.currency?.bytes.span, { Currency(rawValue: $0.text) as Currency? }),
            let sale = unsafe Self.optional(row.sale?.bytes.span, Self.sale),
            let thumbnail = unsafe Self.optional(row.thumbnail?.bytes.span, Self.thumbnail)
        else { return false }
        return Self.lend(digests, if: row.images != nil) { digests in
            Self.lend(references, if: row.sentImages != nil) { references in
                unsafe entries.append(
                    key: row.key.bytes.span,
                    id: row.id,
                    vendorID: row.vendor,
                    name: row.name?.bytes.span,
                    description: row.description?.bytes.span,
                    numbers: ProductValues(price: price, currency: currency, sale: sale, stock: row.stock),
                    digests: digests,
                    thumbnail: thumbnail,
                    references: references,
                    thumbnailURL: row.thumbnailURL?.bytes.span,
                    issuedAt: row.issuedAt?.bytes.span,
                    isProtected: row.isProtected
                )
            }
        }
    }

    /// Lends bytes where there is a text that they are of.
    private static func lend(_ bytes: [UInt8], if isThere: Bool, _ body: (Span<UInt8>?) -> Bool) -> Bool {
        isThere ? body(bytes.span) : body(nil)
    }

    /// A column's value, or that there is none; `nil` where it is not of the usual kind.
    private static func optional<Value>(
        _ column: Span<UInt8>?,
        _ read: (Span<UInt8>) -> Value?
    ) -> Value?? {
        guard let column else { return .some(nil) }
        return read(column).map { .some($0) }
    }

    private static func sale(_ text: Span<UInt8>) -> Sale? {
        text.isExactly("none") ? .fullPrice : ExactDecimal(ascii: text).map(Sale.price)
    }

    /// The place of the thumbnail among the pictures: `=` and the number.
    private static func thumbnail(_ text: Span<UInt8>) -> Int? {
        guard text.first == UInt8(ascii: "="), (2...4).contains(text.count) else { return nil }
        return Int(text.extracting(1...).text)
    }

    /// Reads `sha256:` and 64 digits a line; an empty text has none.
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

    /// Reads `=` and the market's name of the picture a line, without escapes.
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
