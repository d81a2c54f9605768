import OpenMarket
import OpenMarketFiles

extension CatalogFile {
    /// The number of bytes read from the start of a text.
    private static let beginningSize = 1 << 16

    /// The ids of the newest products, in the file's order; of a text, only those near its start.
    ///
    /// The text need not be a valid export: it may be truncated, or of another version. Ids of another kind than `ids`
    /// are left out. The result is empty if there are rows but no id named `id`, and `nil` if there are no rows.
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

    /// The ids of JSON Lines; a truncated line has none.
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

    /// The ids in a table's column `id`, up to the first fault; `nil` if the table is empty.
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

    /// The quoted text at the start; `nil` if it contains quotes or escapes.
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
