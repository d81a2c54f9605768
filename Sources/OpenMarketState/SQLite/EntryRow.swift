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
