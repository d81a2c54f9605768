import GRDB
import OpenMarket

enum EntryRow {
    private static let insertion = """
        INSERT OR REPLACE INTO entries (scope, \(EntryColumn.list))
        VALUES (?\(String(repeating: ", ?", count: EntryColumn.allCases.count)))
        """

    static func write(_ entry: StateEntry, scope: Int64, in db: Database) throws {
        let values = EntryColumn.allCases.map { entry.value(of: $0)?.databaseValue ?? .null }
        try db.cachedStatement(sql: insertion).execute(arguments: StatementArguments([scope.databaseValue] + values))
    }

    /// Reads a row of ``EntryColumn``s; an unreadable value is damage and never a default.
    static func read(_ row: Row) throws -> StateEntry {
        guard let entry = try StateEntry(Values(row: row)) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "an entry holds a value that cannot be read")
        }
        return entry
    }

    private struct Values: EntryRowValues {
        let row: Row

        func text(_ column: EntryColumn) throws -> String? { try row.decode(String?.self, atIndex: column.rawValue) }
        func integer(_ column: EntryColumn) throws -> Int64? { try row.decode(Int64?.self, atIndex: column.rawValue) }
        func id(_ column: EntryColumn) throws -> MarketID { try row.productID(atIndex: column.rawValue) }
        func flag(_ column: EntryColumn) throws -> Bool { try row.decode(Bool.self, atIndex: column.rawValue) }
    }
}

extension ColumnValue {
    fileprivate var databaseValue: DatabaseValue {
        switch self {
        case .text(let text): text.databaseValue
        case .integer(let number): number.databaseValue
        case .id(let id): id.databaseValue
        case .flag(let isSet): isSet.databaseValue
        }
    }
}
