import GRDB
import OpenMarket

extension Database {
    /// Drops journal rows that neither `history` nor settling needs.
    ///
    /// These are the operations of all but the newest runs, and the details of operations that finished runs never
    /// began. A run's row stays: a saved plan finds the run that preceded it. A row without operations shows that later
    /// changes are no longer recorded. A run with an unresolved operation keeps everything.
    func prune(_ scope: Int64, keptRuns: Int) throws {
        let runs = try Int64.fetchAll(
            self,
            sql: "SELECT number FROM runs WHERE scope = ? ORDER BY number DESC",
            arguments: [scope]
        )
        let open = try Set(
            Int64.fetchAll(
                self,
                sql:
                    "SELECT DISTINCT position >> 32 FROM operations WHERE status IN (\(StateSchema.unresolvedStatuses))"
            )
        )
        for (age, number) in runs.enumerated() {
            let (first, last) = (number << 32, number << 32 | 0xFFFF_FFFF)
            let isOpen =
                "SELECT position FROM operations WHERE position BETWEEN ? AND ? AND status IN (\(StateSchema.unresolvedStatuses))"
            for table in ["details", "imprints"] {
                try cachedStatement(
                    sql: "DELETE FROM \(table) WHERE position BETWEEN ? AND ? AND position NOT IN (\(isOpen))"
                )
                .execute(arguments: [first, last, first, last])
            }
            if age >= keptRuns, !open.contains(number) {
                for table in ["contents", "operations"] {
                    try cachedStatement(sql: "DELETE FROM \(table) WHERE position BETWEEN ? AND ?")
                        .execute(arguments: [first, last])
                }
            }
        }
    }

    /// Returns empty pages to the disk if there are more than the next run will fill.
    func returnSpace() throws {
        let free = try Int.fetchOne(self, sql: "PRAGMA freelist_count") ?? 0
        let pages = try Int.fetchOne(self, sql: "PRAGMA page_count") ?? 0
        guard free > 16, free > pages / 8 else { return }
        try execute(sql: "PRAGMA incremental_vacuum")
    }
}
