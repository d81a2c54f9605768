import FoundationEssentials
import GRDB
import OpenMarket

extension StateStore {
    /// The error is a ``StateError``.
    func runs(_ id: RunID?, limit: Int) throws -> [RunSummary] {
        try read([]) { db, scope in
            // The operations of a run are complete or missing, so the last one's number gives the count.
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT id, started_at, manifest, tool, finished_at, interrupted, done, failed, stale, skipped, unknown,
                        (SELECT (MAX(position) & 4294967295) + 1 FROM operations WHERE \(Self.ofRun)),
                        (SELECT COUNT(*) FROM operations
                            WHERE \(Self.ofRun) AND status IN (\(StateSchema.unresolvedStatuses))),
                        overrides, reason, approver, description
                    FROM runs WHERE scope = ?1 AND id = coalesce(?2, id) ORDER BY number DESC LIMIT ?3
                    """,
                arguments: [scope, id?.rawValue, limit]
            )
            return try rows.map { row in
                var totals = RunTotals()
                totals.done = try row.decode(Int.self, atIndex: 6)
                totals.failed = try row.decode(Int.self, atIndex: 7)
                totals.stale = try row.decode(Int.self, atIndex: 8)
                totals.skipped = try row.decode(Int.self, atIndex: 9)
                totals.unknown = try row.decode(Int.self, atIndex: 10)
                let (reason, user) = (
                    try row.decode(String?.self, atIndex: 14), try row.decode(String?.self, atIndex: 15)
                )
                let approval = try row.decode(String?.self, atIndex: 13).map { policies in
                    RunApproval(
                        policies: policies.split(separator: " ").map(String.init),
                        reason: reason,
                        user: user ?? ""
                    )
                }
                return RunSummary(
                    record: RunRecord(
                        id: RunID(rawValue: try row.decode(String.self, atIndex: 0)),
                        manifest: try row.decode(String?.self, atIndex: 2).flatMap(ContentDigest.init(hexadecimal:)),
                        tool: try row.decode(String.self, atIndex: 3),
                        approval: approval,
                        description: try row.decode(String?.self, atIndex: 16)
                            .flatMap(ContentDigest.init(hexadecimal:))
                    ),
                    startedAt: try row.timestamp(atIndex: 1),
                    finishedAt: try row.timestampIfPresent(atIndex: 4),
                    interrupted: try row.decode(Bool.self, atIndex: 5),
                    totals: totals,
                    operations: try row.decode(Int?.self, atIndex: 11) ?? 0,
                    unresolved: try row.decode(Int.self, atIndex: 12)
                )
            }
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
            let key = try row.decode(String.self, atIndex: 4)
            operations.append(
                JournalledOperation(
                    run: RunID(rawValue: try row.decode(String.self, atIndex: 0)),
                    startedAt: try row.timestamp(atIndex: 1),
                    runEndedAt: try row.timestampIfPresent(atIndex: 2),
                    sequence: try row.decode(Int.self, atIndex: 3),
                    operation: try OperationRow(
                        payload: row.decode(String.self, atIndex: 6),
                        details: row.decode(String?.self, atIndex: 7),
                        contents: Self.contents(
                            row.decode(String?.self, atIndex: 8),
                            row.decode(String?.self, atIndex: 9),
                            isDescribedByEntry: row.decode(Bool.self, atIndex: 5),
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
