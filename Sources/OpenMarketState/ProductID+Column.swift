import GRDB
import OpenMarket

extension Row {
    /// The id of a product, in a column that may hold a text: SQLite would make a number of it, and perhaps another
    /// product's.
    func productID(atIndex index: Int) throws -> ProductID {
        guard let id = try productIDIfPresent(atIndex: index) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the id of a product is missing")
        }
        return id
    }

    /// The id of a product, or none.
    func productIDIfPresent(atIndex index: Int) throws -> ProductID? {
        let value: DatabaseValue = self[index]
        return switch value.storage {
        case .null: nil
        case .int64(let number): ProductID(number)
        case .double, .string, .blob:
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the id of a product is not a whole number")
        }
    }
}
