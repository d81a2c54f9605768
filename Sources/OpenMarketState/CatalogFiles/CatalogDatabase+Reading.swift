import FoundationEssentials
import GRDB
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
            let rows = try Row.fetchCursor(db, sql: "SELECT \(list) FROM products ORDER BY id DESC")
            let pictures =
                columns.contains(.images)
                ? try db.makeStatement(sql: "SELECT url FROM pictures WHERE product_id = ? ORDER BY position") : nil
            while let row = try rows.next() {
                var id: MarketID?
                let values = try columns.enumerated().map { place, column -> CatalogValue in
                    let value = try value(row, place, column)
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
        let rows = try Row.fetchCursor(pictures, arguments: [id.databaseValue])
        var urls: [ExactText] = []
        while let row = try rows.next() {
            if case .text(let url) = try value(row, 0, .thumbnail) { urls.append(url) }
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

    private static func value(_ row: Row, _ place: Int, _ column: CatalogColumn) throws -> CatalogValue {
        let value: DatabaseValue = row[place]
        switch value.storage {
        case .null: return .unset
        case .int64(let number): return .number(ExactDecimal(number))
        case .double(let real):
            guard let number = ExactDecimal("\(real)") else {
                throw CatalogFileError("\(column.rawValue) \(real) is not a price")
            }
            return .number(number)
        case .string, .blob:
            // GRDB ends a text at its first NUL, but not its bytes; an export keeps every character.
            return .text(ExactText(String(decoding: try row.decode(Data.self, atIndex: place), as: UTF8.self)))
        }
    }
}
