import FoundationEssentials
import GRDB
public import OpenMarket

extension StateStore {
    /// The market's runs, the newest first.
    ///
    /// - Throws: ``StateError``.
    public func runs(limit: Int = .max) throws -> [RunSummary] {
        try read([]) { db, scope in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT id, started_at, manifest, tool, finished_at, interrupted, done, failed, stale, skipped, unknown,
                        (SELECT COUNT(*) FROM operations WHERE \(Self.ofRun)),
                        (SELECT COUNT(*) FROM operations
                            WHERE \(Self.ofRun) AND status IN ('sent', 'advanced', 'unknown')),
                        overrides, reason, approver, description
                    FROM runs WHERE scope = ? ORDER BY number DESC LIMIT ?
                    """,
                arguments: [scope, limit]
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
                    operations: try row.decode(Int.self, atIndex: 11),
                    unresolved: try row.decode(Int.self, atIndex: 12)
                )
            }
        }
    }

    /// What a run was to do and how far it came, in its order.
    ///
    /// - Throws: ``StateError``.
    public func operations(of run: RunID) throws -> [JournalledOperation] {
        try operations(where: "r.id = ? AND o.\(Self.ofRun)", run.rawValue, order: "o.position")
    }

    /// What runs did to a product, in whichever Unicode form its key is given, the newest run first.
    ///
    /// - Throws: ``StateError``.
    public func history(of key: String) throws -> [JournalledOperation] {
        try operations(where: "o.key = ?", key.composed, order: "o.position DESC")
    }

    /// The operations of the row of `runs` beside them.
    static let ofRun = "position BETWEEN number << 32 AND number << 32 | 4294967295"

    private func operations(where condition: String, _ argument: String, order: String) throws -> [JournalledOperation]
    {
        try read([]) { db, scope in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT r.id, r.started_at, o.sequence, o.payload, o.status, o.step, o.created, o.sent_at, o.message,
                        d.details, o.key, o.described_by_entry, c.wanted, c.pictures
                    FROM operations o JOIN runs r ON r.number = o.position >> 32
                        LEFT JOIN details d ON d.position = o.position
                        LEFT JOIN contents c ON c.position = o.position
                    WHERE r.scope = ? AND \(condition) ORDER BY \(order)
                    """,
                arguments: [scope, argument]
            )
            var operations: [JournalledOperation] = []
            while let row = try rows.next() {
                guard let status = OperationStatus(rawValue: try row.decode(String.self, atIndex: 4)) else {
                    throw StateError.damaged(files, because: "an operation has a status that does not exist")
                }
                let key = try row.decode(String.self, atIndex: 10)
                operations.append(
                    JournalledOperation(
                        run: RunID(rawValue: try row.decode(String.self, atIndex: 0)),
                        startedAt: try row.timestamp(atIndex: 1),
                        sequence: try row.decode(Int.self, atIndex: 2),
                        operation: try OperationRow(
                            payload: row.decode(String.self, atIndex: 3),
                            details: row.decode(String?.self, atIndex: 9),
                            contents: Self.contents(
                                row.decode(String?.self, atIndex: 12),
                                row.decode(String?.self, atIndex: 13),
                                isDescribedByEntry: row.decode(Bool.self, atIndex: 11),
                                key: key,
                                db,
                                scope
                            )
                        ).operation(key: key),
                        status: status,
                        step: try row.decode(String?.self, atIndex: 5).flatMap(RequestStep.init(rawValue:)),
                        product: try row.productIDIfPresent(atIndex: 6),
                        sentAt: try row.timestampIfPresent(atIndex: 7),
                        message: try row.decode(String?.self, atIndex: 8)
                    )
                )
            }
            return operations
        }
    }
}
