package import OpenMarket
package import OpenMarketFiles

/// Exports by GRDB and zlib.
package struct CatalogLibraries: CatalogFileAccess {
    package init() {}

    package func rows(of path: String, as role: FileRole, _ body: (CatalogRow) throws -> Void) throws {
        try CatalogFile(path, as: role).rows(body)
    }

    package func newestProducts(
        of path: String,
        as role: FileRole,
        atMost count: Int,
        isManifest: Bool
    ) throws -> [ProductID]? {
        try CatalogFile(path, as: role).newestProducts(atMost: count, isManifest: isManifest)
    }

    package func decompressor() throws -> ([UInt8]) throws -> [UInt8] {
        let reader = try GzipReader()
        return { piece in
            var text: [UInt8] = []
            try reader.decompress(piece) { text += $0 }
            return text
        }
    }

    package func compressor() throws -> ([UInt8]?) -> [UInt8] {
        let writer = try GzipWriter()
        return { $0.map(writer.compress) ?? writer.finish() }
    }

    package func database(at path: String, columns: [CatalogColumn]) throws -> any CatalogEncoder {
        try CatalogDatabase(path: path, columns: columns)
    }
}
