import GRDB
import GRDBSQLite
import OpenMarket

extension CatalogDatabase {
    /// Reads the rows of an exported database; with numeric ids, the newest come first.
    ///
    /// Throws ``CatalogFileError`` if the file is not one, and the errors of `body`.
    static func rows(in path: String, ids: MarketID.Kind?, _ body: (CatalogRow) throws -> Void) throws {
        try reading(path) { db in
            let names = try db.columns(in: "products").map(\.name)
            let columns = CatalogColumn.allCases.filter { names.contains($0 == .images ? "image_count" : $0.rawValue) }
            guard columns.contains(.id) else { throw CatalogFileError("its table products lacks a column id") }
            let list = columns.map { $0 == .images ? "image_count" : $0.rawValue }.joined(separator: ", ")
            let product = try db.makeStatement(sql: "SELECT \(list) FROM products ORDER BY id DESC")
            let pictures =
                columns.contains(.images)
                ? try db.makeStatement(sql: "SELECT url FROM pictures WHERE product_id = ? ORDER BY position") : nil
            let row = ResultRow(product)
            while try row.step() {
                var id: MarketID?
                let values = try columns.enumerated().map { place, column -> CatalogValue in
                    let value = try row.value(Int32(place), column)
                    if column == .id { id = MarketID(value, of: ids) }
                    guard column == .images, value != .unset, let pictures, let id else { return value }
                    return .texts(try urls(of: id, pictures))
                }
                guard let id else { throw CatalogFileError(MarketID.refusal(of: ids)) }
                try body(CatalogRow(id: id, columns: columns, values: values))
            }
        }
    }

    /// Whether an exported database has tables that no export creates.
    ///
    /// Throws ``CatalogFileError`` if it cannot be read.
    static func holdsOtherTables(_ path: String) throws -> Bool {
        let sql = """
            SELECT EXISTS (SELECT * FROM sqlite_master WHERE type = 'table'
                AND name NOT IN ('products', 'pictures') AND name NOT GLOB 'sqlite_*')
            """
        return try reading(path) { try Bool.fetchOne($0, sql: sql) } ?? false
    }

    private static func urls(of id: MarketID, _ pictures: Statement) throws -> [ExactText] {
        switch id {
        case .number(let number): try pictures.setArguments([number])
        case .text(let text): try pictures.setArguments([text])
        }
        let row = ResultRow(pictures)
        defer { row.reset() }
        var urls: [ExactText] = []
        while try row.step() {
            if case .text(let url) = try row.value(0, .thumbnail) { urls.append(url) }
        }
        return urls
    }

    private static func reading<Result>(_ path: String, _ body: (Database) throws -> Result) throws -> Result {
        try explained {
            var configuration = Configuration()
            configuration.readonly = true
            return try DatabaseQueue(path: path, configuration: configuration).read(body)
        }
    }
}

/// The current row of a statement.
///
/// GRDB ends a text at its first NUL, and an export keeps every character.
@safe private struct ResultRow {
    private let statement: OpaquePointer

    init(_ statement: Statement) { unsafe self.statement = statement.sqliteStatement }

    /// Advances to the next row; false after the last one.
    func step() throws -> Bool {
        let code = unsafe sqlite3_step(statement)
        guard code == SQLITE_ROW || code == SQLITE_DONE else {
            throw DatabaseError(resultCode: ResultCode(rawValue: code))
        }
        return code == SQLITE_ROW
    }

    func reset() { unsafe sqlite3_reset(statement) }

    func value(_ place: Int32, _ column: CatalogColumn) throws -> CatalogValue {
        switch unsafe sqlite3_column_type(statement, place) {
        case SQLITE_NULL: return .unset
        case SQLITE_INTEGER: return unsafe .number(ExactDecimal(sqlite3_column_int64(statement, place)))
        case SQLITE_FLOAT:
            let real = unsafe sqlite3_column_double(statement, place)
            guard let number = ExactDecimal("\(real)") else {
                throw CatalogFileError("\(column.rawValue) \(real) is not a price")
            }
            return .number(number)
        default:
            let bytes = unsafe UnsafeBufferPointer(
                start: sqlite3_column_text(statement, place),
                count: Int(sqlite3_column_bytes(statement, place))
            )
            return unsafe .text(ExactText(String(decoding: bytes, as: UTF8.self)))
        }
    }
}
