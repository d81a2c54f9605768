import GRDB
import GRDBSQLite
public import OpenMarket

/// Products as a SQLite database: a table `products` with a typed column for each of the catalog's, and a table `pictures`.
///
/// Made for one reader after another, not for two at once: the file is nobody's until it is finished, so there is neither a
/// journal nor a lock, and all rows come in one transaction.
public final class CatalogDatabase {
    /// What a database says of the form that its tables have (`PRAGMA user_version`).
    static let version = 1

    private let columns: [CatalogColumn]
    private let names: JSONNames
    private let queue: DatabaseQueue

    /// A database in an empty file.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - columns: what the rows have, in order; ``CatalogColumn/id`` has to be among them.
    /// - Throws: ``CatalogFileError``.
    public init(path: String, columns: [CatalogColumn]) throws {
        precondition(columns.contains(.id), "a product's number is its primary key")
        self.columns = columns
        names = JSONNames(columns.map(\.rawValue))
        queue = try Self.explained {
            var configuration = Configuration()
            configuration.foreignKeysEnabled = false
            // One transaction over many calls.
            configuration.allowsUnsafeTransactions = true
            configuration.prepareDatabase { db in
                try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = OFF")
                _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = OFF")
            }
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA user_version = \(Self.version)")
                try db.beginTransaction()
                try db.execute(sql: Self.schema(columns))
            }
            return queue
        }
    }

    /// Adds products.
    ///
    /// - Parameter lines: whole lines of ``CatalogJSONLines`` with the same columns.
    /// - Throws: ``CatalogFileError`` when the disk is full, or SQLite cannot hold a number exactly.
    public func append(_ lines: [UInt8]) throws {
        try Self.explained {
            try queue.writeWithoutTransaction { db in
                let places = Array(repeating: "?", count: columns.count).joined(separator: ", ")
                let product = try db.cachedStatement(sql: "INSERT INTO products VALUES (\(places))")
                let picture =
                    columns.contains(.images)
                    ? try db.cachedStatement(sql: "INSERT INTO pictures VALUES (?, ?, ?)") : nil
                try JSONReader.read(lines) { reader in
                    // The last line break stands behind the last product.
                    while reader.offset < lines.count - 1 {
                        try insert(&reader, StatementRow(product), picture.map(StatementRow.init))
                    }
                }
            }
        }
    }

    /// Ends the transaction, and closes the file.
    ///
    /// - Throws: ``CatalogFileError``.
    public func finish() throws {
        try Self.explained {
            try queue.writeWithoutTransaction { try $0.commit() }
            try queue.close()
        }
    }

    // MARK: - Rows

    private func insert(_ reader: inout JSONReader, _ product: StatementRow, _ picture: StatementRow?) throws {
        var id: Int64 = 0
        var pictures: [String] = []
        try reader.beginObject()
        while let index = try reader.nextName(of: names) {
            let place = Int32(index + 1)
            switch try reader.peek() {
            case .null:
                try reader.readNull()
                try product.bindNull(place)
            case .string: try product.bind(try reader.readText(), place)
            case .array:
                pictures = try Self.strings(&reader)
                try product.bind(Int64(pictures.count), place)
            default:
                let spelling = try reader.readNumberText()
                guard let number = ExactDecimal(spelling) else {
                    throw Self.inexact(spelling, columns[index], of: id)
                }
                if columns[index] == .id { id = number.wholeValue ?? 0 }
                if let whole = number.wholeValue {
                    try product.bind(whole, place)
                } else {
                    guard let real = number.real else { throw Self.inexact(spelling, columns[index], of: id) }
                    try product.bind(real, place)
                }
            }
        }
        try product.insert()
        guard let picture else { return }
        for (index, url) in pictures.enumerated() {
            try picture.bind(id, 1)
            try picture.bind(Int64(index + 1), 2)
            try picture.bind(url, 3)
            try picture.insert()
        }
    }

    private static func strings(_ reader: inout JSONReader) throws -> [String] {
        var strings: [String] = []
        try reader.beginArray()
        while try reader.nextElement() { strings.append(try reader.readString()) }
        return strings
    }

    private static func inexact(_ number: String, _ column: CatalogColumn, of id: Int64) -> CatalogFileError {
        CatalogFileError(
            "\(column.rawValue) \(number) of product \(id) has more than 15 digits: SQLite cannot hold it exactly",
            help: "export to CSV, or leave the column out with --columns"
        )
    }

    // MARK: - Schema

    private static func schema(_ columns: [CatalogColumn]) -> String {
        let definitions = columns.map { $0.definition }.joined(separator: ", ")
        let pictures = """
            ; CREATE TABLE pictures (
                product_id INTEGER NOT NULL REFERENCES products (id),
                position INTEGER NOT NULL,
                url TEXT NOT NULL,
                PRIMARY KEY (product_id, position)
            ) WITHOUT ROWID
            """
        return "CREATE TABLE products (\(definitions))" + (columns.contains(.images) ? pictures : "")
    }

    /// Words for what SQLite throws.
    static func explained<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as DatabaseError {
            throw CatalogFileError("SQLite says: \(error.message ?? "error \(error.extendedResultCode.rawValue)")")
        }
    }
}

extension CatalogColumn {
    /// The column of the table `products`.
    fileprivate var definition: String {
        switch self {
        case .id: "id INTEGER PRIMARY KEY"
        // How many there are; the table `pictures` has their URLs.
        case .images: "image_count INTEGER"
        case .stock, .vendorID: "\(rawValue) INTEGER"
        // Whole numbers are integers, all others reals: a decimal of up to 15 digits comes back as it was.
        case .price, .salePrice, .discount: "\(rawValue) NUMERIC"
        case .key, .name, .description, .currency, .vendor, .thumbnail, .createdAt, .issuedAt: "\(rawValue) TEXT"
        }
    }
}

extension ExactDecimal {
    /// The binary number that stands for this decimal and for no other of 15 digits; `nil` where it has more.
    fileprivate var real: Double? {
        significand.magnitude < 1_000_000_000_000_000 ? Double(description) : nil
    }
}

/// The row that a statement inserts.
///
/// GRDB's own binding ends a text at its first NUL, and an export keeps every character.
private struct StatementRow {
    private let statement: OpaquePointer

    init(_ statement: Statement) { self.statement = statement.sqliteStatement }

    func bindNull(_ place: Int32) throws { try check(sqlite3_bind_null(statement, place)) }

    func bind(_ number: Int64, _ place: Int32) throws { try check(sqlite3_bind_int64(statement, place, number)) }

    func bind(_ number: Double, _ place: Int32) throws { try check(sqlite3_bind_double(statement, place, number)) }

    func bind(_ text: JSONText, _ place: Int32) throws { try check(text.withUTF8 { bind($0, place) }) }

    func bind(_ text: String, _ place: Int32) throws {
        var text = text
        try check(text.withUTF8 { bind($0, place) })
    }

    private func bind(_ text: UnsafeBufferPointer<UInt8>, _ place: Int32) -> Int32 {
        // Tells SQLite to copy the text.
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        guard let base = text.baseAddress, !text.isEmpty else {
            return sqlite3_bind_text(statement, place, "", 0, transient)
        }
        return base.withMemoryRebound(to: CChar.self, capacity: text.count) {
            sqlite3_bind_text(statement, place, $0, Int32(text.count), transient)
        }
    }

    func insert() throws {
        let code = sqlite3_step(statement)
        sqlite3_reset(statement)
        guard code == SQLITE_DONE else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }
}
