import GRDB
import OpenMarket

extension Row {
    /// The id of a product, a number or a text as the column holds it: asked for the other, SQLite would convert it, and
    /// perhaps into another product's.
    func productID(atIndex index: Int) throws -> MarketID {
        guard let id = try productIDIfPresent(atIndex: index) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the id of a product is missing")
        }
        return id
    }

    /// The id of a product, or none.
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
    /// The id as what it is, for a column of any type.
    var databaseValue: DatabaseValue {
        switch self {
        case .number(let number): number.databaseValue
        case .text(let text): text.databaseValue
        }
    }
}
