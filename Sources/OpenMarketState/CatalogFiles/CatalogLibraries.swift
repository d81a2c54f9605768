import CZlib
package import OpenMarket
package import OpenMarketFiles

package struct CatalogLibraries: CatalogFileAccess {
    package init() {}

    /// Whether an exported database has tables of others; false if it cannot be read.
    package static func holdsOtherTables(_ path: String) -> Bool {
        (try? CatalogDatabase.holdsOtherTables(path)) ?? false
    }

    package func rows(
        of path: String,
        as role: FileRole,
        ids: MarketID.Kind?,
        isLines: Bool,
        _ body: (CatalogRow) throws -> Void
    ) throws {
        try CatalogFile(path, as: role, isLines: isLines).rows(ids: ids, body)
    }

    package func decompressor() throws -> ([UInt8]?) throws -> [UInt8] {
        let reader = try GzipReader()
        return { piece in
            var text: [UInt8] = []
            if let piece { try reader.decompress(piece) { text += $0 } } else { try reader.finish() }
            return text
        }
    }

    package func compressor(isFast: Bool) throws -> ([UInt8]?) -> [UInt8] {
        let writer = try GzipWriter(level: isFast ? Z_BEST_SPEED : Z_DEFAULT_COMPRESSION)
        return { $0.map(writer.compress) ?? writer.finish() }
    }

    package func database(at path: String, columns: [CatalogColumn], ids: MarketID.Kind) throws -> any CatalogEncoder {
        try CatalogDatabase(path: path, columns: columns, ids: ids)
    }
}
