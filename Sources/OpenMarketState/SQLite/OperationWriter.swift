import GRDB
import OpenMarket

struct OperationWriter {
    private let operations: Statement
    private let details: Statement
    private let contents: Statement

    init(_ db: Database) throws {
        operations = try db.makeStatement(
            sql: "INSERT INTO operations (position, action, key, status, payload) VALUES (?, ?, ?, ?, ?)"
        )
        details = try db.makeStatement(sql: "INSERT INTO details (position, details) VALUES (?, ?)")
        contents = try db.makeStatement(sql: "INSERT INTO contents (position, wanted, pictures) VALUES (?, ?, ?)")
    }

    /// Writes an operation; if it is over, without the data for settling it.
    func write(_ operation: PlannedOperation, at position: Int64, isOver: Bool = false) throws {
        let row = OperationRow(operation)
        try operations.execute(arguments: [
            position, operation.action.rawValue, operation.key, OperationStatus.intended.rawValue, row.payload,
        ])
        if let details = row.details, !isOver { try self.details.execute(arguments: [position, details]) }
        if let contents = row.contents {
            try self.contents.execute(arguments: [position, contents.wanted, contents.pictures])
        }
    }
}
