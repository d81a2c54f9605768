/// The values of ``EntryColumns`` as the bytes in which a database holds them, where they are of the usual kinds.
package struct EntryBytes {
    /// Bytes that are valid for the moment.
    package typealias Bytes = UnsafeBufferPointer<UInt8>

    package var key: Bytes
    package var id: MarketID
    package var vendor: Int64?
    package var name: Bytes?
    package var description: Bytes?
    package var price: Bytes?
    package var currency: Bytes?
    package var sale: Bytes?
    package var stock: Int64?
    package var images: Bytes?
    package var thumbnail: Bytes?
    package var sentImages: Bytes?
    package var thumbnailURL: Bytes?
    package var issuedAt: Bytes?
    package var isProtected: Bool

    /// A row of a product of which nothing else is known.
    package init(key: Bytes, id: MarketID, isProtected: Bool) {
        self.key = key
        self.id = id
        self.isProtected = isProtected
    }
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
        guard readDigests(row.images), readReferences(row.sentImages),
            let price = Self.optional(row.price, { ExactDecimal(ascii: $0) }),
            let currency = Self.optional(
                row.currency,
                { Currency(rawValue: String(decoding: $0, as: UTF8.self)) as Currency? }
            ),
            let sale = Self.optional(row.sale, Self.sale),
            let thumbnail = Self.optional(row.thumbnail, Self.thumbnail)
        else { return false }
        return digests.withUnsafeBufferPointer { digests in
            references.withUnsafeBufferPointer { references in
                entries.append(
                    key: row.key,
                    id: row.id,
                    vendorID: row.vendor,
                    name: row.name,
                    description: row.description,
                    numbers: ProductValues(price: price, currency: currency, sale: sale, stock: row.stock),
                    digests: row.images.map { _ in digests },
                    thumbnail: thumbnail,
                    references: row.sentImages.map { _ in references },
                    thumbnailURL: row.thumbnailURL,
                    issuedAt: row.issuedAt,
                    isProtected: row.isProtected
                )
            }
        }
    }

    /// A column's value, or that there is none; `nil` where it is not of the usual kind.
    private static func optional<Value>(
        _ column: EntryBytes.Bytes?,
        _ read: (EntryBytes.Bytes) -> Value?
    ) -> Value?? {
        guard let column else { return .some(nil) }
        return read(column).map { .some($0) }
    }

    private static func sale(_ text: EntryBytes.Bytes) -> Sale? {
        text.elementsEqual("none".utf8) ? .fullPrice : ExactDecimal(ascii: text).map(Sale.price)
    }

    /// The place of the thumbnail among the pictures: `=` and the number.
    private static func thumbnail(_ text: EntryBytes.Bytes) -> Int? {
        guard text.first == UInt8(ascii: "="), (2...4).contains(text.count) else { return nil }
        return Int(String(decoding: text.dropFirst(), as: UTF8.self))
    }

    /// Reads `sha256:` and 64 digits a line; an empty text has none.
    private mutating func readDigests(_ column: EntryBytes.Bytes?) -> Bool {
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
    private mutating func readReferences(_ column: EntryBytes.Bytes?) -> Bool {
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
