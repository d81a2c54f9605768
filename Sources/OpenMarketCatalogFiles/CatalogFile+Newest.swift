package import OpenMarket

extension CatalogFile {
    /// How much of a text is looked at.
    private static let beginningSize = 1 << 16

    /// Products of the file, the newest as far as it shows them in order: of a text those at its beginning.
    ///
    /// A text is not read as an export: it may be cut off, or of another version, and still show ids.
    ///
    /// - Parameters:
    ///   - count: how many at most.
    ///   - isManifest: whether it is a manifest, which pins products by `id`.
    /// - Returns: their ids, none where there are rows that do not begin with one; `nil` where there are no rows.
    /// - Throws: ``CatalogFileError``.
    package func newestProducts(atMost count: Int, isManifest: Bool) throws -> [ProductID]? {
        var beginning = try beginning(Self.beginningSize)
        if beginning.starts(with: CatalogDatabase.magic) {
            let ids = try CatalogDatabase.newestProducts(in: path, atMost: count)
            return ids.isEmpty ? nil : ids
        }
        if beginning.starts(with: GzipReader.magic) { beginning = try Self.decompressed(beginning) }
        let lines = beginning.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        return (isManifest ? Self.pins(lines) : Self.rows(lines)).map { Array($0.prefix(count)) }
    }

    /// The products that a manifest pins by their numbers.
    private static func pins(_ lines: [String]) -> [ProductID]? {
        let ids = lines.compactMap { line -> ProductID? in
            let words = line.split(separator: " ")
            guard words.count == 2, words[0] == "id:" else { return nil }
            return Int64(words[1]).map { ProductID($0) }
        }
        return ids.isEmpty ? nil : ids
    }

    private static func rows(_ lines: [String]) -> [ProductID]? {
        // The first line of a table is its header; each of JSON Lines is a product.
        let rows = lines.filter { !$0.isEmpty }.dropFirst(lines.first?.hasPrefix("{") ?? false ? 0 : 1)
        guard !rows.isEmpty else { return nil }
        return rows.compactMap { row in
            let number = row.hasPrefix(#"{"id":"#) ? row.dropFirst(6) : row[...]
            return Int64(number.prefix { $0.isNumber }).map { ProductID($0) }
        }
    }

    private static func decompressed(_ bytes: [UInt8]) throws -> [UInt8] {
        var text: [UInt8] = []
        let reader = try GzipReader()
        try reader.decompress(bytes) { if text.count < beginningSize { text += $0 } }
        return text
    }
}
