import OpenMarket
import OpenMarketFiles

extension CatalogFile {
    /// How many bytes at the beginning of a text are read.
    private static let beginningSize = 1 << 16

    /// The ids of the newest products, as far as the file has them in order; of a text, those at its beginning.
    ///
    /// A text is not read as an export: it may be cut off, or of another version, and still show ids. Ids of another
    /// kind than `ids` are left out. The result is empty if there are rows but no id under the name `id`, and `nil` if
    /// there are no rows.
    ///
    /// A manifest pins products by `id`. Throws ``CatalogFileError``.
    func newestProducts(ids: MarketID.Kind, atMost count: Int, isManifest: Bool) throws -> [MarketID]? {
        var text = try beginning(Self.beginningSize)
        if text.starts(with: FileKind.database) {
            let found = try CatalogDatabase.newestProducts(in: path, ids: ids, atMost: count)
            return found.isEmpty ? nil : found
        }
        var isWhole = text.count < Self.beginningSize
        if text.starts(with: FileKind.gzip) {
            text = try Self.decompressed(text)
            isWhole = isWhole && text.count < Self.beginningSize
        }
        let found: [MarketID]? =
            if isManifest {
                Self.pins(text, ids)
            } else if text.first == UInt8(ascii: "{") {
                Self.idsOfLines(text, ids)
            } else {
                Self.idsOfTable(text, isWhole: isWhole, ids)
            }
        return found.map { Array($0.prefix(count)) }
    }

    private static func pins(_ text: [UInt8], _ kind: MarketID.Kind) -> [MarketID]? {
        let ids = text.split(separator: UInt8(ascii: "\n")).compactMap { line -> MarketID? in
            let words = String(decoding: line, as: UTF8.self).split(separator: " ", maxSplits: 1)
            guard words.count == 2, words[0] == "id:" else { return nil }
            return MarketID(spelled: quoted(words[1]) ?? String(words[1]), as: kind)
        }
        return ids.isEmpty ? nil : ids
    }

    /// The ids of JSON Lines; a line that is cut off has none.
    private static func idsOfLines(_ text: [UInt8], _ kind: MarketID.Kind) -> [MarketID] {
        text.split(separator: UInt8(ascii: "\n")).compactMap { line in
            try? JSONReader.read(line.span) { reader throws(JSONError) -> MarketID? in
                var id: MarketID?
                try reader.beginObject()
                while let name = try reader.nextName() {
                    let value = try reader.peek()
                    switch value {
                    case .number where name == "id":
                        id = try reader.readDecimal().flatMap { MarketID(.number($0), of: kind) }
                    case .string where name == "id":
                        id = MarketID(.text(ExactText(try reader.readString())), of: kind)
                    default: try reader.skipValue()
                    }
                }
                try reader.finish()
                return id
            }
        }
    }

    /// The ids in a table's column `id` at any position, up to the first fault; `nil` if the table has no rows.
    private static func idsOfTable(_ text: [UInt8], isWhole: Bool, _ kind: MarketID.Kind) -> [MarketID]? {
        var reader = CSVReader()
        reader.feed(text)
        if isWhole { reader.finish() }
        var header: (place: Int?, width: Int)?
        var ids: [MarketID] = []
        var hasRows = !isWhole
        do {
            while try reader.next() {
                let row = reader.row
                guard let header else {
                    let places = (0..<row.count).filter { row.text(at: $0) == CatalogColumn.id.rawValue }
                    header = (places.count == 1 ? places[0] : nil, row.count)
                    continue
                }
                hasRows = true
                // In a row of another length, cells are in the wrong columns.
                guard let place = header.place, row.count == header.width else { continue }
                let cell = row.text(at: place)
                if let id = MarketID(spelled: reader.hasMark ? FormulaGuard.unguarded(cell) : cell, as: kind) {
                    ids.append(id)
                }
            }
        } catch {
            hasRows = true
        }
        return hasRows ? ids : nil
    }

    /// The quoted text at the beginning; `nil` if it has quotes or escapes inside.
    private static func quoted(_ text: Substring) -> String? {
        guard let quote = text.first, quote == "\"" || quote == "'" else { return nil }
        let inside = text.dropFirst().prefix { $0 != quote }
        let behind = text.dropFirst(inside.count + 2).first
        return inside.contains("\\") || behind == quote ? "" : String(inside)
    }

    private static func decompressed(_ bytes: [UInt8]) throws -> [UInt8] {
        var text: [UInt8] = []
        let reader = try GzipReader()
        try reader.decompress(bytes) { if text.count < beginningSize { text += $0 } }
        return text
    }
}
