import CLibPQ
import OpenMarket

@safe final class QueryResult {
    private let handle: OpaquePointer

    /// Takes ownership of a libpq result.
    init(_ handle: OpaquePointer) {
        unsafe self.handle = handle
    }

    deinit { unsafe PQclear(handle) }

    var status: ExecStatusType { unsafe PQresultStatus(handle) }

    /// The server's SQLSTATE code of five characters; empty for libpq's own errors.
    var errorCode: String { field(UInt8(ascii: "C")) ?? "" }

    /// The message of the server or of libpq.
    var errorMessage: String {
        unsafe field(UInt8(ascii: "M")) ?? String(cString: PQresultErrorMessage(handle)).lines
    }

    /// The number of changed rows.
    var changed: Int { unsafe Int(String(cString: PQcmdTuples(handle))) ?? 0 }

    var rows: [QueryRow] { unsafe (0..<PQntuples(handle)).map { QueryRow(result: self, index: $0) } }

    var first: QueryRow? { unsafe PQntuples(handle) > 0 ? QueryRow(result: self, index: 0) : nil }

    private func field(_ name: UInt8) -> String? {
        unsafe PQresultErrorField(handle, Int32(name)).map { unsafe String(cString: $0) }
    }

    fileprivate func text(_ row: Int32, _ column: Int32) -> String? {
        guard unsafe PQgetisnull(handle, row, column) == 0 else { return nil }
        let start = unsafe UnsafeRawPointer(PQgetvalue(handle, row, column))
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(handle, row, column)))
        return unsafe String(decoding: bytes, as: UTF8.self)
    }
}

/// A row of texts.
struct QueryRow: StateRow {
    fileprivate let result: QueryResult
    fileprivate let index: Int32

    func textIfPresent(_ column: Int) -> String? { result.text(index, Int32(column)) }

    func integerIfPresent(_ column: Int) throws -> Int64? {
        try textIfPresent(column).map { text in
            guard let number = Int64(text) else { throw UnreadableValue(reason: "a number cannot be read") }
            return number
        }
    }

    func flag(_ column: Int) throws -> Bool { try text(column) == "t" }

    func productIfPresent(_ column: Int) throws -> MarketID? {
        try textIfPresent(column).map { text in
            guard let id = MarketID(column: text) else {
                throw UnreadableValue(reason: "the id of a product is neither a number nor a text")
            }
            return id
        }
    }
}

extension MarketID {
    /// The id as a text column stores it: digits, or the text in quotes.
    var column: String {
        switch self {
        case .number(let number): String(number)
        case .text(let text): "\"\(text)\""
        }
    }

    init?(column text: String) {
        if let number = Int64(text) {
            self = .number(number)
        } else {
            guard text.utf8.count > 2, text.utf8.first == UInt8(ascii: "\""), text.utf8.last == UInt8(ascii: "\"")
            else {
                return nil
            }
            self.init(text: String(text.dropFirst().dropLast()))
        }
    }
}

extension String {
    /// A libpq message on one line.
    var lines: String {
        split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " || $0 == "\t" } }.joined(separator: "; ")
    }
}
