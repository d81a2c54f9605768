import GRDB
import OpenMarket

extension StateStore {
    /// Records that the market's state has moved; the address is recorded without its password.
    ///
    /// The error is a ``StateError``.
    func retire(to location: StateLocation) async throws {
        try await writeInBackground { db, scope in
            try db.execute(
                sql: "UPDATE scopes SET moved_to = ? WHERE id = ?",
                arguments: [location.description, scope]
            )
        }
    }

    /// Adds all data of another state about the market, in one transaction.
    ///
    /// Throws a ``StateError``, which is `conflict` if there are products or runs.
    func fill(with archive: StateArchive) async throws {
        try await writeInBackground { [location] db, scope in
            let isKnown = try Bool.fetchOne(
                db,
                sql: """
                    SELECT EXISTS (SELECT 1 FROM entries WHERE scope = ?1) OR EXISTS (SELECT 1 FROM runs WHERE scope = ?1)
                    """,
                arguments: [scope]
            )
            guard isKnown == false else { throw StateError.isNotEmpty(location) }
            try db.execute(
                sql: "UPDATE scopes SET vendor = ?, accepted = ? WHERE id = ?",
                arguments: [archive.snapshot.vendorID, archive.acceptedDescription?.hexadecimal, scope]
            )
            for entry in archive.snapshot.entries.values { try EntryRow.write(entry, scope: scope, in: db) }
            for run in archive.runs {
                try Self.insert(run, blocking { try await archive.operations(of: run.record.id) }, db, scope)
            }
        }
    }

    private static func insert(
        _ summary: RunSummary,
        _ operations: [JournalledOperation],
        _ db: Database,
        _ scope: Int64
    ) throws {
        let number = try insert(summary.record, startedAt: summary.startedAt, db, scope)
        try close(
            number,
            summary.totals,
            interrupted: summary.interrupted,
            at: summary.finishedAt,
            db
        )
        let writer = try OperationWriter(db)
        for operation in operations {
            let position = position(run: number, operation.sequence)
            try writer.write(operation.operation, at: position, isOver: operation.status == .succeeded)
            _ = try write(operation.progress, after: 0, at: position, db)
        }
    }
}
