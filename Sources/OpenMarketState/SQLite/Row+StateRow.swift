import GRDB
import OpenMarket

extension Row: StateRow {
    func textIfPresent(_ column: Int) throws -> String? { try decode(String?.self, atIndex: column) }

    func integerIfPresent(_ column: Int) throws -> Int64? { try decode(Int64?.self, atIndex: column) }

    func flag(_ column: Int) throws -> Bool { try decode(Bool.self, atIndex: column) }

    /// A product's id, a number or a text as stored in the column.
    ///
    /// If the other type were requested, SQLite would convert the value, perhaps into another product's id.
    func productIfPresent(_ column: Int) throws -> MarketID? {
        let value: DatabaseValue = self[column]
        switch value.storage {
        case .null: return nil
        case .int64(let number): return .number(number)
        case .string(let text):
            if let id = MarketID(text: text) { return id }
        case .double, .blob: break
        }
        throw UnreadableValue(reason: "the id of a product is neither a number nor a text")
    }
}

extension MarketID {
    /// The id in its own type, for a column of any type.
    var databaseValue: DatabaseValue {
        switch self {
        case .number(let number): number.databaseValue
        case .text(let text): text.databaseValue
        }
    }
}
