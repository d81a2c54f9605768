import OpenMarket
import OpenMarketFiles
import SystemPackage

/// An export in a file, whatever its format: CSV, TSV, JSON Lines, compressed or not, or SQLite.
///
/// The content decides the format, not the name. A row at a time is in memory.
struct CatalogFile: Sendable {
    let path: String

    private let role: FileRole
    /// Whether a file without a byte is an export without products, as JSON Lines are.
    private let mayBeEmpty: Bool

    /// A file, as what it is read, and whether it is known to be JSON Lines, which its name may say as well.
    init(_ path: String, as role: FileRole = .earlierExport, isLines: Bool = false) {
        self.path = path
        self.role = role
        mayBeEmpty = isLines || [".jsonl", ".jsonl.gz"].contains(where: path.lowercased().hasSuffix)
    }

    /// Reads the rows in their order.
    ///
    /// - Parameters:
    ///   - ids: what the market calls products by; `nil` where that is not known.
    ///   - body: takes each.
    /// - Throws: ``CatalogFileError`` with the place in the file, and what `body` throws.
    func rows(ids: MarketID.Kind?, _ body: (CatalogRow) throws -> Void) throws {
        let descriptor = try explained { try InputFile.open(path, as: role) }
        try descriptor.closeAfter {
            // A pipe is read once only: its first bytes decide the format, and are the first piece.
            let first = try explained { try descriptor.readChunk() }
            var text = CatalogTextReader(ids: ids, mayBeEmpty: mayBeEmpty)
            if first.starts(with: CatalogDatabase.magic) {
                try CatalogDatabase.rows(in: path, ids: ids, body)
            } else if first.starts(with: GzipReader.magic) {
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

    func beginning(_ size: Int) throws -> [UInt8] {
        try explained {
            let descriptor = try InputFile.open(path, as: role)
            return try descriptor.closeAfter { try descriptor.head(size) }
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
