import OpenMarket

/// One market's rows in the snapshot of a read-only transaction.
struct StateView {
    let connection: Connection
    let tables: StateTables
    let scope: Int64
    let vendor: Int64?
    let header: StateHeader
    let now: Timestamp

    /// Reads a market by its row, in a transaction that has begun.
    init(_ connection: Connection, _ tables: StateTables, _ scope: Int64) {
        self.connection = connection
        self.tables = tables
        self.scope = scope
        vendor = nil
        header = StateHeader(exists: true)
        now = .epoch
    }

    /// Finds the market in a transaction that has begun; `nil` if the state lacks it or does not exist.
    ///
    /// Throws ``ConnectionFault`` and ``StateError``.
    init?(_ connection: Connection, _ settings: ConnectionSettings, _ market: MarketScope) throws {
        let tables = settings.tables
        let found: QueryRow?
        do {
            found = try connection.query(
                """
                SELECT v.\(StateTables.versionColumn), s.id, s.vendor, s.accepted, s.moved_to,
                    \(StateTables.milliseconds("clock_timestamp()"))
                FROM \(tables.versions) v LEFT JOIN \(tables.scopes) s
                    ON s.url = $1 AND s.profile = $2 AND s.parameters = $3 AND s.identifier = $4
                """,
                market.columns.map(Parameter.init)
            ).first
        } catch let fault as ConnectionFault where fault.isMissingTable {
            return nil
        }
        guard let row = found else { return nil }
        try tables.requireKnown(version: row.int(0), settings.location)
        guard let scope = try row.integerIfPresent(1) else { return nil }
        self.connection = connection
        self.tables = tables
        self.scope = scope
        vendor = try row.integerIfPresent(2)
        header = StateHeader(
            exists: true,
            acceptedDescription: try row.digestIfPresent(3),
            movedTo: row.textIfPresent(4).map(StateLocation.init)
        )
        now = try row.timestamp(5)
    }

    // MARK: - Entries

    func snapshot() throws -> StateSnapshot {
        var entries = StateEntries()
        try readEntries(EntryColumn.list) { entries.append(try StateEntry($0)) }
        return StateSnapshot(entries: entries, vendorID: vendor)
    }

    func keys() throws -> ProductKeys {
        var found: [(id: MarketID, key: String)] = []
        try readEntries("key, id") { found.append((try $0.product(1), try $0.text(0))) }
        found.sort { left, right in
            left.id == right.id
                ? left.key.utf8.lexicographicallyPrecedes(right.key.utf8) : MarketID.precedes(left.id, right.id)
        }
        var keys = ProductKeys()
        for (id, key) in found { keys.append(id, key) }
        return keys
    }

    /// Passes on all entries in pages, so that only few rows are in memory.
    ///
    /// A cursor reads the table once, whatever the server's statistics are.
    private func readEntries(_ columns: String, _ body: (QueryRow) throws -> Void) throws {
        try connection.query(
            "DECLARE found NO SCROLL CURSOR FOR SELECT \(columns) FROM \(tables.entries) WHERE scope = \(scope)"
        )
        var rows: [QueryRow]
        repeat {
            rows = try connection.query("FETCH 2000 FROM found").rows
            for row in rows { try body(row) }
        } while !rows.isEmpty
        try connection.query("CLOSE found")
    }

    // MARK: - The journal

    /// All unresolved operations in the order of their runs; `nil` for `run` or `sequences` means all.
    ///
    /// Throws ``ConnectionFault`` and ``UnreadableValue``.
    func unresolved(run: Int64? = nil, _ sequences: [Int64]? = nil) throws -> [UnresolvedOperation] {
        let open = try operations(
            """
            WITH unresolved AS MATERIALIZED (\(tables.unresolved)
                AND ($2::bigint IS NULL OR r.number = $2) AND ($3::int[] IS NULL OR l.sequence = ANY ($3::int[])))
            SELECT run, sequence, run AS place FROM unresolved
            """,
            [Parameter(run), sequences.map { Parameter($0) } ?? Parameter(nil as String?)]
        )
        guard !open.isEmpty else { return [] }
        let underWay = try Set(
            connection.query(
                "SELECT r.id FROM \(tables.runs) r WHERE r.scope = $1 AND \(tables.isUnderWay("r"))",
                [Parameter(scope)]
            ).rows.map { RunID(rawValue: try $0.text(0)) }
        )
        return try open.compactMap { try $0.unresolved(isUnderWay: underWay.contains($0.run)) }
    }

    func counts() throws -> StateCounts {
        let row = try connection.query(
            """
            SELECT (SELECT count(*) FROM \(tables.entries) WHERE scope = $1),
                (SELECT count(*) FROM (\(tables.unresolved)) u)
            """,
            [Parameter(scope)]
        ).first
        guard let row else { throw UnreadableValue(reason: "a count is missing") }
        return StateCounts(products: try row.int(0), unresolved: try row.int(1))
    }

    /// The keys of operations that succeeded in the runs after a given one; `nil` if the operations of one of these
    /// runs were pruned.
    func keysDone(since run: RunID?) throws -> Set<String>? {
        let since = try run.flatMap { run in
            try connection.query(
                "SELECT number FROM \(tables.runs) WHERE scope = $1 AND id = $2",
                [Parameter(scope), Parameter(run.rawValue)]
            ).first?.integer(0)
        }
        let runs = [Parameter(scope), Parameter(since ?? 0)]
        let pruned = try connection.query(
            "SELECT number FROM \(tables.runs) WHERE scope = $1 AND number > $2 AND operations = 0 LIMIT 1",
            runs
        )
        guard pruned.first == nil else { return nil }
        let keys = try connection.query(
            """
            SELECT DISTINCT o.key FROM \(tables.runs) r
                JOIN \(tables.events) e ON e.run = r.number
                JOIN \(tables.operations) o ON o.run = e.run AND o.sequence = e.sequence
            WHERE r.scope = $1 AND r.number > $2 AND e.status = 'succeeded'
            """,
            runs
        )
        return Set(try keys.rows.map { try $0.text(0) })
    }

    // MARK: - Runs

    /// The runs, or one of them, the newest first.
    func runs(_ id: RunID?, limit: Int) throws -> [RunSummary] {
        try connection.query(
            """
            SELECT \(RunSummary.columns), operations,
                CASE WHEN open THEN
                    (SELECT count(*) FROM \(tables.lastFacts(of: "r.number")) l WHERE l.\(StateTables.isUnresolved))
                ELSE 0 END,
                \(StateTables.milliseconds("started_at")), \(StateTables.milliseconds("finished_at"))
            FROM \(tables.runs) r WHERE scope = $1 AND id = coalesce($2, id) ORDER BY number DESC LIMIT $3
            """,
            [Parameter(scope), Parameter(id?.rawValue), Parameter(limit)]
        ).rows.map { try RunSummary($0) }
    }

    /// Throws ``ConnectionFault`` and ``UnreadableValue``.
    func operations(_ selection: OperationSelection) throws -> [JournalledOperation] {
        switch selection {
        case .ofRun(let run):
            let source = """
                SELECT o.run, o.sequence, 0 AS place FROM \(tables.runs) r
                JOIN \(tables.operations) o ON o.run = r.number WHERE r.id = $2
                """
            return try operations(source, [Parameter(run.rawValue)])
        case .troubles(let run, let limit):
            let ranks = OperationStatus.allCases.map { "WHEN '\($0.rawValue)' THEN \($0.rank)" }
            // By the key of each operation, which is fast whatever the server's statistics are.
            let status = """
                SELECT e.status FROM \(tables.events) e WHERE e.run = o.run AND e.sequence = o.sequence
                ORDER BY e.number DESC LIMIT 1
                """
            let rank = """
                CASE coalesce((\(status)), '\(OperationStatus.intended.rawValue)') \(ranks.joined(separator: " ")) END
                """
            let source = """
                SELECT o.run, o.sequence, row_number() OVER (ORDER BY \(rank), o.sequence) AS place
                FROM \(tables.operations) o WHERE o.run = (SELECT number FROM \(tables.runs) WHERE id = $2)
                ORDER BY place LIMIT $3
                """
            return try operations(source, [Parameter(run.rawValue), Parameter(limit)])
        case .onProduct(let key, let runs):
            // The newest run first, and in it the last operation first.
            let source = """
                SELECT run, sequence, row_number() OVER (ORDER BY run DESC, sequence DESC) AS place
                FROM \(tables.operations) WHERE key = $2 AND run IN (
                    SELECT DISTINCT o.run FROM \(tables.operations) o JOIN \(tables.runs) r ON r.number = o.run
                    WHERE o.key = $2 AND r.scope = $1 ORDER BY o.run DESC LIMIT $3
                )
                """
            return try operations(source, [Parameter(key), Parameter(runs)])
        }
    }

    /// Operations with their outcomes.
    ///
    /// `source` is a table expression that yields run, sequence and sort position. Its parameters begin at the second;
    /// the first is the market.
    private func operations(_ source: String, _ parameters: [Parameter]) throws -> [JournalledOperation] {
        let rows = try connection.query(
            """
            SELECT r.id, \(StateTables.milliseconds("r.started_at")), \(StateTables.milliseconds("r.finished_at")),
                o.sequence, o.key,
                CASE WHEN row_number() OVER (PARTITION BY o.run, o.sequence ORDER BY e.number) = 1 THEN o.payload END,
                \(OperationProgress.factColumns)
            FROM (\(source)) chosen
                JOIN \(tables.runs) r ON r.number = chosen.run AND r.scope = $1
                JOIN \(tables.operations) o ON o.run = chosen.run AND o.sequence = chosen.sequence
                LEFT JOIN \(tables.events) e ON e.run = chosen.run AND e.sequence = chosen.sequence
            ORDER BY chosen.place, o.sequence, e.number
            """,
            [Parameter(scope)] + parameters
        ).rows
        return try OperationProgress.grouped(rows, by: { row in (try row.text(0), try row.int(3)) }, from: 6).map {
            (row, progress) in
            JournalledOperation(
                run: RunID(rawValue: try row.text(0)),
                startedAt: try row.timestamp(1),
                runEndedAt: try row.timestampIfPresent(2),
                sequence: try row.int(3),
                operation: try OperationRow(column: row.text(5)).operation(key: row.text(4)),
                progress: progress
            )
        }
    }
}

extension StateTables {
    /// Refuses tables of an unknown version with ``StateError``, `otherVersion`.
    func requireKnown(version present: Int, _ location: StateLocation) throws(StateError) {
        guard present <= version else { throw .newer(location, present, reads: version) }
    }
}
