import OpenMarket
import OpenMarketFiles
import SystemPackage

/// An export in a file of any format: CSV, TSV, JSON Lines, compressed or not, or SQLite.
///
/// The content decides the format, not the name. Only one row at a time is in memory.
struct CatalogFile: Sendable {
    let path: String

    private let role: FileRole
    /// Whether an empty file is an export without products, as for JSON Lines.
    private let mayBeEmpty: Bool

    /// A file and its role; it is JSON Lines if `isLines` is set or the ending of its name is that of JSON Lines.
    init(_ path: String, as role: FileRole = .earlierExport, isLines: Bool = false) {
        self.path = path
        self.role = role
        mayBeEmpty = isLines || [".jsonl", ".jsonl.gz"].contains(where: path.lowercased().hasSuffix)
    }

    /// Reads the rows in order; `ids` is `nil` if the market's kind of id is unknown.
    ///
    /// Throws ``CatalogFileError`` with the position in the file, and the errors of `body`.
    func rows(ids: MarketID.Kind?, _ body: (CatalogRow) throws -> Void) throws {
        let descriptor = try explained { try InputFile.open(path, as: role) }
        try descriptor.closeAfter {
            // A pipe can be read only once: its first bytes decide the format, and are also the first chunk.
            let first = try explained { try descriptor.readChunk() }
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
}
