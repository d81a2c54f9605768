import FoundationEssentials
import GRDB
import OpenMarket

extension StateStore {
    /// The error is a ``StateError``.
    func runs(_ id: RunID?, limit: Int) throws -> [RunSummary] {
        try read([]) { db, scope in
            // A run's operations are all there or none, so the last one's number is the count.
            try Row.fetchAll(
                db,
                sql: """
                    SELECT \(RunSummary.columns),
                        (SELECT COALESCE((MAX(position) & 4294967295) + 1, 0) FROM operations WHERE \(Self.ofRun)),
                        (SELECT COUNT(*) FROM operations
                            WHERE \(Self.ofRun) AND status IN (\(StateSchema.unresolvedStatuses))),
                        started_at, finished_at
                    FROM runs WHERE scope = ?1 AND id = coalesce(?2, id) ORDER BY number DESC LIMIT ?3
                    """,
                arguments: [scope, id?.rawValue, limit]
            ).map { try RunSummary($0) }
        }
    }

    /// The error is a ``StateError``.
    func operations(_ selection: OperationSelection) throws -> [JournalledOperation] {
        switch selection {
        case .ofRun(let run):
            return try operations(where: "r.id = ? AND o.\(Self.ofRun)", [run.rawValue], order: "o.position")
        case .troubles(let run, let limit):
            let ranks = OperationStatus.allCases.map { "WHEN '\($0.rawValue)' THEN \($0.rank)" }
            let rank = "CASE status \(ranks.joined(separator: " ")) END"
            return try operations(
                where: """
                    o.position IN (
                        SELECT position FROM (SELECT number FROM runs WHERE id = ?) JOIN operations ON \(Self.ofRun)
                        ORDER BY \(rank), position LIMIT ?
                    )
                    """,
                [run.rawValue, limit],
                order: "\(rank), o.position"
            )
        case .onProduct(let key, let runs):
            return try operations(
                where: """
                    o.key = ? AND r.number IN (
                        SELECT DISTINCT number FROM operations JOIN runs ON number = run
                        WHERE key = ? AND scope = ? ORDER BY number DESC LIMIT ?
                    )
                    """,
                [key, key, scopeID, runs],
                order: "o.position DESC"
            )
        }
    }

    /// The keys of operations that succeeded in the runs after a given one.
    ///
    /// The error is a ``StateError``.
    func keysDone(since run: RunID?) throws -> Set<String>? {
        try read([]) { db, scope in
            let since = try Int64.fetchOne(
                db,
                sql: "SELECT number FROM runs WHERE id = ? AND scope = ?",
                arguments: [run?.rawValue, scope]
            )
            let pruned = try Int64.fetchOne(
                db,
                sql: """
                    SELECT number FROM runs WHERE scope = ? AND number > ?
                        AND NOT EXISTS (SELECT 1 FROM operations WHERE \(Self.ofRun)) LIMIT 1
                    """,
                arguments: [scope, since ?? -1]
            )
            guard pruned == nil else { return nil }
            return try String.fetchSet(
                db,
                sql: """
                    SELECT o.key FROM runs r JOIN operations o ON o.\(Self.ofRun)
                    WHERE r.scope = ? AND r.number > ? AND o.status = 'succeeded'
                    """,
                arguments: [scope, since ?? -1]
            )
        }
    }

    /// The condition for the operations of a joined row of `runs`.
    static let ofRun = "position BETWEEN number << 32 AND number << 32 | 4294967295"

    private func operations(
        where condition: String,
        _ arguments: StatementArguments,
        order: String
    ) throws -> [JournalledOperation] {
        try read([]) { db, scope in try operations(where: condition, arguments, order: order, db, scope) }
    }

    func operations(
        where condition: String,
        _ arguments: StatementArguments,
        order: String,
        _ db: Database,
        _ scope: Int64
    ) throws -> [JournalledOperation] {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT r.id, r.started_at, r.finished_at, o.sequence, o.key, o.described_by_entry, o.payload, d.details,
                    c.wanted, c.pictures, \(OperationProgress.columns)
                FROM operations o JOIN runs r ON r.number = o.position >> 32
                    LEFT JOIN details d ON d.position = o.position
                    LEFT JOIN contents c ON c.position = o.position
                    LEFT JOIN imprints i ON i.position = o.position
                WHERE \(condition) AND r.scope = ? ORDER BY \(order)
                """,
            arguments: arguments + StatementArguments([scope])
        )
        var operations: [JournalledOperation] = []
        while let row = try rows.next() {
            let key = try row.text(4)
            operations.append(
                JournalledOperation(
                    run: RunID(rawValue: try row.text(0)),
                    startedAt: try row.timestamp(1),
                    runEndedAt: try row.timestampIfPresent(2),
                    sequence: try row.int(3),
                    operation: try OperationRow(
                        payload: row.text(6),
                        details: row.textIfPresent(7),
                        contents: Self.contents(
                            row.textIfPresent(8),
                            row.textIfPresent(9),
                            isDescribedByEntry: row.flag(5),
                            key: key,
                            db,
                            scope
                        )
                    ).operation(key: key),
                    progress: try OperationProgress(row, from: 10)
                )
            )
        }
        return operations
    }
}
