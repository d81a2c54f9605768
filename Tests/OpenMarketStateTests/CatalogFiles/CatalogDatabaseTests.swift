import FoundationEssentials
import GRDB
@testable import OpenMarket
@testable import OpenMarketFiles
@testable import OpenMarketState
@testable import OpenMarketTestSupport
import Testing

struct CatalogDatabaseTests {
    private static func write(
        _ products: [(LiveProduct, key: String?)],
        columns: [CatalogColumn] = CatalogColumn.allCases,
        to path: String
    ) throws {
        let database = try CatalogDatabase(path: path, columns: columns, ids: .number)
        for (product, key) in products {
            database.append(product, key: key)
            #expect(try database.takeBytes() == [])
        }
        try database.end()
        // As of every encoder, what is left is taken behind the end.
        #expect(try database.takeBytes() == [])
    }

    /// The rows of a query, each value as SQL writes its type.
    private static func rows(_ sql: String, in path: String) throws -> [[String]] {
        try DatabaseQueue(path: path).read { db in
            try Row.fetchAll(db, sql: sql).map { row in
                row.databaseValues.map { value in
                    switch value.storage {
                    case .null: "NULL"
                    case .int64(let number): "\(number)"
                    case .double(let number): "\(number)"
                    case .string(let text): "'\(text)'"
                    case .blob: "a blob"
                    }
                }
            }
        }
    }

    @Test func `each value has the type of its column, and what the market did not show is NULL`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/catalog.sqlite"
        let full = LiveProduct(
            id: MarketID(193),
            vendorID: 29,
            vendorName: "example",
            name: "=Lamp \"warm\", 램프 🛋\u{0}\u{1}end",
            description: "",
            price: ExactDecimal("59999999.95"),
            currency: .usd,
            sale: .price(59_999_999),
            stock: 0,
            thumbnailURL: "https://m.example/t.png",
            images: [.init(id: 1, url: "https://m.example/1.png"), .init(id: 2, url: "https://m.example/2 b.png")],
            createdAt: "2022-11-15T00:00:00",
            issuedAt: "2022-11-16T00:00:00"
        )
        try Self.write([(full, "desk-lamp"), (LiveProduct(id: MarketID(7), images: []), nil)], to: path)
        let columns = CatalogColumn.allCases.filter { $0 != .name && $0 != .images }.map(\.rawValue)
        let sql = "SELECT \(columns.joined(separator: ", ")), image_count FROM products ORDER BY id DESC"
        let rows = try Self.rows(sql, in: path)
        let lamp = [
            "193", "'desk-lamp'", "''", "59999999.95", "'USD'", "59999999", "0.95", "0", "29", "'example'",
            "'https://m.example/t.png'", "'2022-11-15T00:00:00'", "'2022-11-16T00:00:00'", "2",
        ]
        #expect(rows == [lamp, ["7"] + [String](repeating: "NULL", count: 12) + ["0"]])
        // GRDB reads a text to its first NUL, so this one is looked at as bytes.
        let hex = Array("=Lamp \"warm\", 램프 🛋\u{0}\u{1}end".utf8).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
        #expect(
            try Self.rows("SELECT typeof(name), hex(name) FROM products", in: path)
                == [["'null'", "''"], ["'text'", "'\(hex.joined())'"]]
        )
        #expect(
            try Self.rows("SELECT * FROM pictures", in: path)
                == [["193", "1", "'https://m.example/1.png'"], ["193", "2", "'https://m.example/2 b.png'"]]
        )
        #expect(try Self.rows("PRAGMA integrity_check", in: path) == [["'ok'"]])
        #expect(try Self.rows("PRAGMA foreign_key_check", in: path) == [])
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["catalog.sqlite"])
        withExtendedLifetime(directory) {}
    }

    @Test func `the tables have the columns that are asked for`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/catalog.sqlite"
        let product = LiveProduct(id: MarketID(7), name: "Lamp", price: 100, images: [.init(id: 1, url: "u")])
        try Self.write([(product, nil)], columns: [.price, .name, .id], to: path)
        #expect(
            try Self.rows("SELECT sql FROM sqlite_schema", in: path)
                == [["'CREATE TABLE products (price NUMERIC, name TEXT, id INTEGER PRIMARY KEY)'"]]
        )
        #expect(
            try Self.rows("SELECT * FROM products", in: path) == [["100", "'Lamp'", "7"]]
        )
        withExtendedLifetime(directory) {}
    }

    @Test func `a number of more digits than SQLite holds is an error, not another number`() throws {
        let directory = try TemporaryDirectory()
        let product = LiveProduct(id: MarketID(7), price: ExactDecimal("1234567890123456.7"))
        #expect(
            throws: CatalogFileError(
                "price 1234567890123456.7 of product 7 has more than 15 digits: SQLite cannot hold it exactly",
                help: "export to CSV, or leave the column out"
            )
        ) { try Self.write([(product, nil)], to: directory.path + "/a.sqlite") }
        let whole = LiveProduct(id: MarketID(7), price: ExactDecimal(.max))
        try Self.write([(whole, nil)], to: directory.path + "/b.sqlite")
        #expect(
            try Self.rows("SELECT price FROM products", in: directory.path + "/b.sqlite")
                == [["9223372036854775807"]]
        )
        withExtendedLifetime(directory) {}
    }

    @Test func `an export that has got a table of others is not replaced, whatever is said`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/catalog.sqlite"
        try Self.write([(LiveProduct(id: MarketID(7), images: []), nil)], to: path)
        func declare() throws(FileConflict) {
            try FileRegister(holdsOtherTables: CatalogLibraries.holdsOtherTables).declare(
                path,
                named: "-o",
                as: .sqlite,
                replacing: .ownExport,
                discardsEdits: true
            )
        }
        // What SQLite adds by itself is nobody's.
        try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE INDEX byPrice ON products (price); ANALYZE") }
        try declare()
        try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE notes (product_id, note)") }
        #expect(throws: FileConflict(output: "-o", path: path, occupant: .otherDatabase)) { try declare() }
        withExtendedLifetime(directory) {}
    }

    @Test func `a file that is not an export is named as such`() throws {
        let directory = try TemporaryDirectory()
        try DatabaseQueue(path: directory.path + "/other.sqlite").write { try $0.execute(sql: "CREATE TABLE a (b)") }
        #expect(throws: CatalogFileError("SQLite reports: no such table: products")) {
            try CatalogDatabase.rows(in: directory.path + "/other.sqlite", ids: .number) { _ in }
        }
        withExtendedLifetime(directory) {}
    }
}
