import CZlib
package import OpenMarket
package import OpenMarketFiles
import SystemPackage

package struct CatalogLibraries: CatalogFileAccess {
    package init() {}

    /// Whether an exported database has tables of others; false if it cannot be read.
    package static func holdsOtherTables(_ path: String) -> Bool {
        (try? CatalogDatabase.holdsOtherTables(path)) ?? false
    }

    /// The content decides the format, not the name; the errors have the position in the file.
    package func rows(
        of path: String,
        as role: FileRole,
        ids: MarketID.Kind?,
        isLines: Bool,
        _ body: (CatalogRow) throws -> Void
    ) throws {
        let descriptor = try explained { try InputFile.open(path, as: role) }
        try descriptor.closeAfter {
            // A pipe can be read only once: its first bytes decide the format, and are also the first chunk.
            let first = try explained { try descriptor.readChunk() }
            let mayBeEmpty = isLines || [".jsonl", ".jsonl.gz"].contains(where: path.lowercased().hasSuffix)
            var text = CatalogTextReader(ids: ids, mayBeEmpty: mayBeEmpty)
            if first.starts(with: FileKind.database) {
                try CatalogDatabase.rows(in: path, ids: ids, body)
            } else if first.starts(with: FileKind.gzip) {
                let gzip = try GzipReader()
                try pieces(of: descriptor, from: first) { piece in
                    try gzip.decompress(piece) { try text.read($0, body) }
                }
                try gzip.finish()
                try text.finish(body)
            } else {
                try pieces(of: descriptor, from: first) { try text.read($0, body) }
                try text.finish(body)
            }
        }
    }

    private func pieces(of descriptor: FileDescriptor, from first: [UInt8], _ body: ([UInt8]) throws -> Void) throws {
        var piece = first
        while !piece.isEmpty {
            try body(piece)
            piece = try explained { try descriptor.readChunk() }
        }
    }

    private func explained<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as Errno {
            throw CatalogFileError("\(error)")
        }
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
