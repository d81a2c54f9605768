import GRDB
import GRDBSQLite
import OpenMarket
import OpenMarketFiles

/// Products as a SQLite database: a table `products` with a typed column for each column of the catalog, and a table
/// `pictures`.
///
/// The file is private until it is finished, so it works without a journal and a lock. All rows are written in one
/// transaction.
final class CatalogDatabase: CatalogEncoder {
    /// The version of the table schema (`PRAGMA user_version`).
    static let version = 1

    private let columns: [CatalogColumn]
    private let ids: MarketID.Kind
    private let queue: DatabaseQueue
    private var pending: [(product: LiveProduct, key: String?)] = []

    /// Creates a database in an empty file.
    ///
    /// `columns` are the columns in order, with ``CatalogColumn/id`` among them. Numeric ids are the table's rowids,
    /// text ids are not. Throws ``CatalogFileError``.
    init(path: String, columns: [CatalogColumn], ids: MarketID.Kind) throws {
        precondition(columns.contains(.id), "a product's id is its primary key")
        self.columns = columns
        self.ids = ids
        queue = try Self.explained {
            var configuration = Configuration()
            configuration.foreignKeysEnabled = false
            // The transaction spans many calls.
            configuration.allowsUnsafeTransactions = true
            configuration.prepareDatabase { db in
                try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = OFF")
                _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = OFF")
            }
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA user_version = \(Self.version)")
                try db.execute(sql: "PRAGMA application_id = \(OutputContent.databaseID)")
                try db.beginTransaction()
                try db.execute(sql: Self.schema(columns, ids))
            }
            return queue
        }
    }

    package func append(_ product: LiveProduct, key: String?) { pending.append((product, key)) }

    /// Writes the pending products into the database; always returns no bytes, because the file holds everything.
    ///
    /// Throws ``CatalogFileError`` if the disk is full, or SQLite cannot hold a number exactly.
    package func takeBytes() throws -> [UInt8] {
        // The file is closed after ``end()``.
        guard !pending.isEmpty else { return [] }
        let places = Array(repeating: "?", count: columns.count).joined(separator: ", ")
        try Self.explained {
            try queue.writeWithoutTransaction { db in
                let row = StatementRow(try db.cachedStatement(sql: "INSERT INTO products VALUES (\(places))"))
                let picture =
                    columns.contains(.images)
                    ? StatementRow(try db.cachedStatement(sql: "INSERT INTO pictures VALUES (?, ?, ?)")) : nil
                for (product, key) in pending { try insert(product, key, row, picture) }
            }
        }
        pending = []
        return []
    }

    /// Commits the transaction and closes the file.
    ///
    /// Throws ``CatalogFileError``.
    package func end() throws {
        _ = try takeBytes()
        try Self.explained {
            try queue.writeWithoutTransaction { try $0.commit() }
            try queue.close()
        }
    }

    private func insert(_ product: LiveProduct, _ key: String?, _ row: StatementRow, _ picture: StatementRow?) throws {
        // The column would convert the id, perhaps into another product's.
        guard product.id.kind == ids else { throw CatalogFileError(MarketID.refusal(of: ids)) }
        var row = row
        for column in columns {
            column.put(product, key: key, into: &row)
            guard let number = row.inexact else { continue }
            throw CatalogFileError(
                "\(column.rawValue) \(number) of product \(product.id) has more than 15 digits: SQLite cannot hold it exactly",
                help: "export to CSV, or leave the column out"
            )
        }
        try row.insert()
        guard let picture else { return }
        for (index, image) in (product.images ?? []).enumerated() {
            var picture = picture
            picture.put(product.id)
            picture.put(Int64(index + 1))
            picture.put(image.url)
            try picture.insert()
        }
    }

    // MARK: - Schema

    private static func schema(_ columns: [CatalogColumn], _ ids: MarketID.Kind) -> String {
        let definitions = columns.map { $0.definition(ids) }.joined(separator: ", ")
        let pictures = """
            ; CREATE TABLE pictures (
                product_id \(ids == .number ? "INTEGER" : "TEXT") NOT NULL REFERENCES products (id),
                position INTEGER NOT NULL,
                url TEXT NOT NULL,
                PRIMARY KEY (product_id, position)
            ) WITHOUT ROWID
            """
        return "CREATE TABLE products (\(definitions))" + (columns.contains(.images) ? pictures : "")
    }

    /// Converts SQLite's errors into ``CatalogFileError``s.
    static func explained<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as DatabaseError {
            throw CatalogFileError("SQLite reports: \(error.message ?? "error \(error.extendedResultCode.rawValue)")")
        }
    }
}

extension CatalogColumn {
    fileprivate func definition(_ ids: MarketID.Kind) -> String {
        if self == .id { return ids == .number ? "id INTEGER PRIMARY KEY" : "id TEXT NOT NULL PRIMARY KEY" }
        return switch kind(ids: ids) {
        case .count: "\(rawValue) INTEGER"
        // Whole numbers are integers, all others reals: a decimal of up to 15 digits is read back unchanged.
        case .amount: "\(rawValue) NUMERIC"
        case .text: "\(rawValue) TEXT"
        // The number of pictures; the table `pictures` has their URLs.
        case .list: "image_count INTEGER"
        }
    }
}

extension ExactDecimal {
    /// The double for this decimal, which is read back unchanged for up to 15 digits; `nil` if it has more.
    fileprivate var real: Double? {
        significand.magnitude < 1_000_000_000_000_000 ? Double(description) : nil
    }
}

/// The row that a statement inserts, value by value.
///
/// GRDB ends a bound text at its first NUL, and an export keeps every character.
@safe private struct StatementRow: CatalogRecordWriter {
    private let statement: OpaquePointer
    private var place: Int32 = 0
    private var code = SQLITE_OK
    /// The first number that SQLite cannot hold exactly.
    private(set) var inexact: ExactDecimal?

    init(_ statement: Statement) { unsafe self.statement = statement.sqliteStatement }

    mutating func put(_ text: some CatalogText) {
        text.lendUTF8 { text in unsafe bind { unsafe Self.bind(text, to: $0, $1) } }
    }

    mutating func put(_ number: Int64) { unsafe bind { unsafe sqlite3_bind_int64($0, $1, number) } }

    mutating func put(_ number: ExactDecimal) {
        if let whole = number.wholeValue { return put(whole) }
        guard let real = number.real else { return inexact = inexact ?? number }
        unsafe bind { unsafe sqlite3_bind_double($0, $1, real) }
    }

    mutating func put(_ texts: [String]) { put(Int64(texts.count)) }

    mutating func putUnset() { unsafe bind { unsafe sqlite3_bind_null($0, $1) } }

    private mutating func bind(_ body: (OpaquePointer, Int32) -> Int32) {
        place += 1
        if code == SQLITE_OK { code = unsafe body(statement, place) }
    }

    private static func bind(_ text: Span<UInt8>, to statement: OpaquePointer, _ place: Int32) -> Int32 {
        // Makes SQLite copy the text.
        let transient = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        return unsafe text.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, unsafe !bytes.isEmpty else {
                return unsafe sqlite3_bind_text(statement, place, "", 0, transient)
            }
            return unsafe sqlite3_bind_text(
                statement,
                place,
                base.assumingMemoryBound(to: CChar.self),
                Int32(bytes.count),
                transient
            )
        }
    }

    func insert() throws {
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        let code = unsafe sqlite3_step(statement)
        unsafe sqlite3_reset(statement)
        guard code == SQLITE_DONE else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }
}
