package import OpenMarket

extension CatalogFile {
    /// How much of a text is looked at.
    private static let beginningSize = 1 << 16

    /// Products of the file, the newest as far as it shows them in order: of a text those at its beginning.
    ///
    /// A text is not read as an export: it may be cut off, or of another version, and still show ids.
    ///
    /// - Parameters:
    ///   - ids: what the market calls products by; ids of another kind are not given.
    ///   - count: how many at most.
    ///   - isManifest: whether it is a manifest, which pins products by `id`.
    /// - Returns: their ids, none where there are rows that do not begin with one; `nil` where there are no rows.
    /// - Throws: ``CatalogFileError``.
    package func newestProducts(ids: MarketID.Kind, atMost count: Int, isManifest: Bool) throws -> [MarketID]? {
        var beginning = try beginning(Self.beginningSize)
        if beginning.starts(with: CatalogDatabase.magic) {
            let found = try CatalogDatabase.newestProducts(in: path, ids: ids, atMost: count)
            return found.isEmpty ? nil : found
        }
        if beginning.starts(with: GzipReader.magic) { beginning = try Self.decompressed(beginning) }
        let lines = beginning.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        return (isManifest ? Self.pins(lines, ids) : Self.rows(lines, ids)).map { Array($0.prefix(count)) }
    }

    /// The products that a manifest pins by their ids.
    private static func pins(_ lines: [String], _ kind: MarketID.Kind) -> [MarketID]? {
        let ids = lines.compactMap { line -> MarketID? in
            let words = line.split(separator: " ", maxSplits: 1)
            guard words.count == 2, words[0] == "id:" else { return nil }
            return MarketID(spelled: quoted(words[1]) ?? String(words[1]), as: kind)
        }
        return ids.isEmpty ? nil : ids
    }

    private static func rows(_ lines: [String], _ kind: MarketID.Kind) -> [MarketID]? {
        // The first line of a table is its header; each of JSON Lines is a product.
        let rows = lines.filter { !$0.isEmpty }.dropFirst(lines.first?.hasPrefix("{") ?? false ? 0 : 1)
        guard !rows.isEmpty else { return nil }
        return rows.compactMap { row in
            let rest = row.hasPrefix(#"{"id":"#) ? row.dropFirst(6) : row[...]
            switch kind {
            case .number: return MarketID(spelled: String(rest.prefix { $0.isNumber }), as: .number)
            case .text:
                if let quoted = quoted(rest) { return MarketID(text: quoted) }
                return MarketID(text: String(rest.prefix { ![",", ";", "\t", "}", "\r"].contains($0) }))
            }
        }
    }

    /// The text in quotes that something begins with; one that has quotes or escapes inside is not looked up.
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
