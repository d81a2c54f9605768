/// Reads CSV, TSV or JSON Lines from pieces of bytes.
package struct CatalogTextReader {
    private enum Form {
        case table(CatalogTableReader)
        case lines(CatalogLineReader)
    }

    /// `nil` if the market's kind of ids is unknown.
    private let ids: MarketID.Kind?
    /// Whether an empty file is an export without products, as for JSON Lines.
    private let mayBeEmpty: Bool
    /// Bytes that tell the formats apart: a byte order mark and the longest first key.
    private static let beginning = 64
    private var form: Form?
    private var rest: [UInt8] = []
    private var line = 0

    package init(ids: MarketID.Kind?, mayBeEmpty: Bool = false) {
        self.ids = ids
        self.mayBeEmpty = mayBeEmpty
    }

    package mutating func read(_ piece: [UInt8], _ body: (CatalogRow) throws -> Void) throws {
        guard !piece.isEmpty else { return }
        switch form {
        case nil:
            rest += piece
            guard rest.count >= Self.beginning else { return }
            try begin(body)
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

    private mutating func begin(_ body: (CatalogRow) throws -> Void) throws {
        let piece = rest
        rest = []
        form = try form(beginning: piece)
        try read(piece, body)
    }

    private func form(beginning piece: [UInt8]) throws(CatalogFileError) -> Form {
        let text = piece.withoutUTF8Mark
        guard text.first == UInt8(ascii: "{") else { return .table(CatalogTableReader(ids: ids)) }
        guard !text.starts(with: "{\"\(CatalogChangeTable.mark)\"".utf8) else { throw .changes }
        return .lines(CatalogLineReader(ids: ids))
    }

    package mutating func finish(_ body: (CatalogRow) throws -> Void) throws {
        if form == nil, !rest.isEmpty { try begin(body) }
        switch form {
        case nil: if !mayBeEmpty { throw CatalogFileError("it is empty") }
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
            throw CatalogFileError("line \(line + 1) is not a product: \(error.message)")
        }
    }
}
