import GRDB
import OpenMarket

extension Row {
    /// A product's id, a number or a text as in the column.
    ///
    /// If the other type were requested, SQLite would convert the value, perhaps into another product's id.
    func productID(atIndex index: Int) throws -> MarketID {
        guard let id = try productIDIfPresent(atIndex: index) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the id of a product is missing")
        }
        return id
    }

    /// A product's id; `nil` if the column is empty.
    func productIDIfPresent(atIndex index: Int) throws -> MarketID? {
        let value: DatabaseValue = self[index]
        switch value.storage {
        case .null: return nil
        case .int64(let number): return .number(number)
        case .string(let text):
            if let id = MarketID(text: text) { return id }
        case .double, .blob: break
        }
        throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the id of a product is neither a number nor a text")
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
