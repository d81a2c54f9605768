import GRDB
import OpenMarket

/// A ``StateEntry`` as a row of SQLite's.
enum EntryRow {
    static let columns = EntryColumns.names.joined(separator: ", ")

    static func write(_ entry: StateEntry, scope: Int64, in db: Database) throws {
        let row = EntryColumns(entry)
        let statement = try db.cachedStatement(
            sql:
                "INSERT OR REPLACE INTO entries (scope, \(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        )
        try statement.execute(arguments: [
            scope, row.key, row.id.databaseValue, row.vendor, row.name, row.description, row.price, row.currency,
            row.sale, row.stock, row.images, row.thumbnail, row.sentImages, row.thumbnailURL, row.issuedAt, row.secret,
            row.isProtected, row.shown,
        ])
    }

    /// Reads a row of ``columns``; a value that cannot be read is damage, never a default.
    static func read(_ row: Row) throws -> StateEntry {
        var columns = EntryColumns(
            key: try row.decode(String.self, atIndex: 0),
            id: try row.productID(atIndex: 1),
            isProtected: try row.decode(Bool.self, atIndex: 15)
        )
        columns.vendor = try row.decode(Int64?.self, atIndex: 2)
        columns.name = try row.decode(String?.self, atIndex: 3)
        columns.description = try row.decode(String?.self, atIndex: 4)
        columns.price = try row.decode(String?.self, atIndex: 5)
        columns.currency = try row.decode(String?.self, atIndex: 6)
        columns.sale = try row.decode(String?.self, atIndex: 7)
        columns.stock = try row.decode(Int64?.self, atIndex: 8)
        columns.images = try row.decode(String?.self, atIndex: 9)
        columns.thumbnail = try row.decode(String?.self, atIndex: 10)
        columns.sentImages = try row.decode(String?.self, atIndex: 11)
        columns.thumbnailURL = try row.decode(String?.self, atIndex: 12)
        columns.issuedAt = try row.decode(String?.self, atIndex: 13)
        columns.secret = try row.decode(String?.self, atIndex: 14)
        columns.shown = try row.decode(String?.self, atIndex: 16)
        guard let entry = columns.entry else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "an entry holds a value that cannot be read")
        }
        return entry
    }
}
