import OpenMarket

extension StateTables {
    /// The number of rows deleted in one transaction, so that no other one waits long for it.
    private static let rowsPerTransaction = 10_000

    /// Drops data that neither `history` nor settling needs: the operations and facts of all but the newest `keptRuns`
    /// runs.
    ///
    /// A run's row stays: a saved plan finds the run that preceded it. A row without operations shows that later
    /// changes are no longer recorded. A run with an unresolved operation keeps everything.
    ///
    /// Runs after `last` are not examined, because other sessions may be writing them. Throws ``ConnectionFault``.
    func prune(_ scope: Int64, upTo last: Int64, keptRuns: Int, _ connection: Connection) throws {
        try connection.query(
            """
            UPDATE \(runs) r SET open = false
            WHERE r.scope = $1 AND r.number <= $2 AND r.open
                AND (r.finished_at IS NOT NULL OR NOT EXISTS
                    (SELECT 1 FROM \(sessions) s WHERE s.scope = r.scope AND s.run = r.number AND \(Self.mayWrite("s"))))
                AND NOT EXISTS (SELECT 1 FROM \(lastFacts(of: "r.number")) l WHERE l.\(Self.isUnresolved))
            """,
            [Parameter(scope), Parameter(last)]
        )
        // This includes runs that were never completely written: their rows state no operations.
        let old = try connection.query(
            """
            SELECT r.number FROM \(runs) r
            WHERE r.scope = $1 AND r.number <= $3 AND NOT r.open
                AND NOT EXISTS (SELECT 1 FROM \(orphans) o WHERE o.run = r.number) AND (
                r.operations > 0 AND r.number NOT IN
                    (SELECT number FROM \(runs) WHERE scope = $1 ORDER BY number DESC LIMIT $2)
                OR r.operations = 0 AND EXISTS (SELECT 1 FROM \(operations) o WHERE o.run = r.number))
            """,
            [Parameter(scope), Parameter(keptRuns), Parameter(last)]
        )
        for run in try old.rows.map({ try $0.integer(0) }) {
            // First, because an incomplete run must not look complete.
            try connection.query("UPDATE \(runs) SET operations = 0 WHERE number = $1", [Parameter(run)])
            for table in [events, chunks, operations] {
                var dropped = Self.rowsPerTransaction
                while dropped == Self.rowsPerTransaction {
                    dropped = try connection.query(
                        """
                        DELETE FROM \(table) WHERE ctid = ANY (ARRAY
                            (SELECT ctid FROM \(table) WHERE run = $1 LIMIT \(Self.rowsPerTransaction)))
                        """,
                        [Parameter(run)]
                    ).changed
                }
            }
        }
    }
}
