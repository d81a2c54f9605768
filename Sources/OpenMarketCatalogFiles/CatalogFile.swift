public import OpenMarket
import SystemPackage

/// An export in a file, whatever its format: CSV, TSV, JSON Lines, compressed or not, or SQLite.
///
/// The content tells the format, not the name. A row at a time is in memory.
public struct CatalogFile: Sendable {
    /// The file.
    public let path: String

    /// A file.
    public init(_ path: String) { self.path = path }

    /// Reads the rows in their order.
    ///
    /// - Throws: ``CatalogFileError`` with the place in the file, and what `body` throws.
    public func rows(_ body: (CatalogRow) throws -> Void) throws {
        let beginning = try beginning()
        if beginning.starts(with: CatalogDatabase.magic) {
            try CatalogDatabase.rows(in: path, body)
        } else if beginning.starts(with: GzipReader.magic) {
            let gzip = try GzipReader()
            var text = CatalogTextReader()
            try pieces { piece in
                try gzip.decompress(piece) { try text.read($0, body) }
            }
            try gzip.finish()
            try text.finish(body)
        } else {
            var text = CatalogTextReader()
            try pieces { try text.read($0, body) }
            try text.finish(body)
        }
    }

    private func beginning() throws -> [UInt8] {
        try explained {
            let descriptor = try FileDescriptor.open(path, .readOnly)
            return try descriptor.closeAfter {
                try [UInt8](unsafeUninitializedCapacity: CatalogDatabase.magic.count) { buffer, count in
                    count = try descriptor.read(into: UnsafeMutableRawBufferPointer(buffer))
                }
            }
        }
    }

    private func pieces(_ body: ([UInt8]) throws -> Void) throws {
        let descriptor = try explained { try FileDescriptor.open(path, .readOnly) }
        try descriptor.closeAfter {
            while true {
                let piece = try explained {
                    try [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
                        count = try descriptor.read(into: UnsafeMutableRawBufferPointer(buffer))
                    }
                }
                guard !piece.isEmpty else { return }
                try body(piece)
            }
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

/// Reads CSV, TSV or JSON Lines from pieces of bytes.
private struct CatalogTextReader {
    private enum Form {
        case table(CatalogTableReader)
        case lines(CatalogLineReader)
    }

    private var form: Form?
    /// The beginning of a line whose end has not come.
    private var rest: [UInt8] = []
    private var line = 0

    mutating func read(_ piece: [UInt8], _ body: (CatalogRow) throws -> Void) throws {
        guard !piece.isEmpty else { return }
        switch form {
        case nil:
            form = piece[0] == UInt8(ascii: "{") ? .lines(CatalogLineReader()) : .table(CatalogTableReader())
            try read(piece, body)
        case .table(var reader):
            form = nil
            try reader.read(piece, body)
            form = .table(reader)
        case .lines(var reader):
            guard let end = piece.lastIndex(of: UInt8(ascii: "\n")) else {
                rest += piece
                return
            }
            try read(rest + piece[...end], &reader, body)
            rest = Array(piece[(end + 1)...])
            form = .lines(reader)
        }
    }

    mutating func finish(_ body: (CatalogRow) throws -> Void) throws {
        switch form {
        case nil: throw CatalogFileError("it is empty")
        case .table(var reader): try reader.finish(body)
        case .lines:
            guard rest.isEmpty else { throw CatalogFileError("line \(line + 1) does not end: the file is cut off") }
        }
    }

    private mutating func read(
        _ lines: [UInt8],
        _ reader: inout CatalogLineReader,
        _ body: (CatalogRow) throws -> Void
    ) throws {
        do {
            try reader.read(lines) { row in
                line += 1
                try body(row)
            }
        } catch let error as JSONError {
            throw CatalogFileError("line \(line + 1) is no product: \(error.message)")
        }
    }
}
