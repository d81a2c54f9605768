import OpenMarket

extension StateView {
    /// Products that sessions created after their end.
    func orphans() throws -> [OrphanedProduct] {
        try connection.query(
            """
            SELECT a.id, r.id, a.sequence, o.key, o.payload FROM \(tables.orphans) a
                JOIN \(tables.runs) r ON r.number = a.run
                JOIN \(tables.operations) o ON o.run = a.run AND o.sequence = a.sequence
            WHERE a.scope = $1 ORDER BY a.run, a.sequence, a.at
            """,
            [Parameter(scope)]
        ).rows.map { row in
            OrphanedProduct(
                id: try row.product(0),
                run: RunID(rawValue: try row.text(1)),
                sequence: try row.int(2),
                operation: try OperationRow(column: row.text(4)).operation(key: row.text(3))
            )
        }
    }

    func runUnderWay() throws -> RunUnderWay? {
        let found = try connection.query(
            """
            SELECT r.number, r.id, r.stop FROM \(tables.runs) r
            WHERE r.scope = $1 AND \(tables.isUnderWay("r"))
            ORDER BY r.number DESC LIMIT 1
            """,
            [Parameter(scope)]
        ).first
        guard let found,
            let summary = try runs(RunID(rawValue: found.text(1)), limit: 1).first
        else {
            return nil
        }
        let participants = try connection.query(
            """
            SELECT id, host, process, command, \(StateTables.milliseconds("since")), \(StateTables.milliseconds("""
                CASE WHEN ended_at IS NULL AND left_at IS NULL AND expires_at > clock_timestamp() THEN NULL
                ELSE least(ended_at, left_at, expires_at) END
                """))
            FROM \(tables.sessions) WHERE scope = $1 AND run = $2 ORDER BY id
            """,
            [Parameter(scope), Parameter(try found.integer(0))]
        ).rows.map { row in
            RunUnderWay.Participant(
                session: try row.integer(0),
                host: try row.text(1),
                process: try row.int(2),
                command: try row.text(3),
                since: try row.timestamp(4),
                endedAt: try row.timestampIfPresent(5)
            )
        }
        return RunUnderWay(
            record: summary.record,
            startedAt: summary.startedAt,
            operations: summary.operations,
            totals: try totals(of: found.integer(0)),
            participants: participants,
            stop: found.textIfPresent(2),
            now: now
        )
    }

    /// The outcomes of a run's operations so far according to the facts, with the stale ones that ended sessions
    /// recorded.
    func totals(of run: Int64) throws -> RunTotals {
        let rows = try connection.query(
            """
            SELECT l.status, count(*), (SELECT stale FROM \(tables.runs) WHERE number = $1)
            FROM \(tables.lastFacts(of: "$1")) l GROUP BY l.status
            """,
            [Parameter(run)]
        ).rows
        return RunTotals(try rows.map { (try $0.status(0), try $0.int(1)) }, stale: try rows.first?.int(2) ?? 0)
    }

    func claimed(_ sequences: [Int64], of run: Int64) throws -> [ClaimedOperation] {
        let parameters = [Parameter(run), Parameter(sequences)]
        var unresolved: [Int: UnresolvedOperation] = [:]
        for open in try self.unresolved(run: run, sequences) { unresolved[open.sequence] = open }
        return try connection.query(
            """
            SELECT o.sequence, o.key, o.payload,
                coalesce((SELECT max(e.number) FROM \(tables.events) e WHERE e.run = o.run AND e.sequence = o.sequence), 0)
            FROM \(tables.operations) o WHERE o.run = $1 AND o.sequence = ANY ($2::int[]) ORDER BY o.sequence
            """,
            parameters
        ).rows.map { row in
            let sequence = try row.int(0)
            return ClaimedOperation(
                sequence: sequence,
                operation: try OperationRow(column: row.text(2)).operation(key: row.text(1)),
                facts: try row.int(3),
                unresolved: unresolved[sequence]
            )
        }
    }

    func entries(_ keys: [String]) throws -> [StateEntry] {
        try connection.query(
            "SELECT \(EntryColumn.list) FROM \(tables.entries) WHERE scope = $1 AND key = ANY ($2::text[])",
            [Parameter(scope), Parameter(keys)]
        ).rows.map { try StateEntry($0) }
    }
}
