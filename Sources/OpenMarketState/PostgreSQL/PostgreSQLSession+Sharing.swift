import OpenMarket

extension PostgreSQLSession {
    nonisolated var takeoverDelay: Duration? { settings.lease * 2 / 3 }

    func offer(_ chunks: [RunChunk], of run: Int64, _ connection: Connection) throws {
        guard !chunks.isEmpty else { return }
        var writer = JSONWriter()
        writer.array { writer in
            for (number, chunk) in chunks.enumerated() {
                writer.object { writer in
                    writer.member("number", number)
                    writer.member("phase", chunk.phase)
                    writer.name("sequences")
                    writer.array { writer in
                        for sequence in chunk.sequences { writer.integer(sequence) }
                    }
                }
            }
        }
        try connection.query(
            """
            INSERT INTO \(tables.chunks) (run, number, phase, sequences)
            SELECT $1, number, phase, sequences
            FROM json_to_recordset($2::json) AS c (number int, phase int, sequences int[])
            """,
            [Parameter(run), Parameter(writer.text)]
        )
    }

    /// Takes the next chunk of the session's run, or returns the reason why there is none.
    func claim() throws -> RunClaim {
        let found = try change { connection -> (claim: RunClaim, id: RunID?, run: KnownRun?) in
            try tables.endExpired(scopeID, except: number, connection)
            return try claim(connection)
        }
        if let id = found.id { runs[id] = found.run }
        return found.claim
    }

    /// Returns the chunk or the reason why there is none, with the run.
    private func claim(_ connection: Connection) throws -> (claim: RunClaim, id: RunID?, run: KnownRun?) {
        let run = try connection.query(
            """
            SELECT r.number, r.id, r.stop IS NOT NULL, r.operations,
                (SELECT min(phase) FROM \(tables.chunks) c WHERE c.run = r.number AND c.progress = 0),
                (SELECT count(*) FROM \(tables.sessions) o
                    WHERE o.scope = s.scope AND o.run = r.number AND o.id <> s.id AND \(StateTables.mayWrite("o")))
            FROM \(tables.sessions) s JOIN \(tables.runs) r ON r.number = s.run
            WHERE s.id = $1 AND s.left_at IS NULL
            """,
            [Parameter(number)]
        ).first
        guard let run else { throw StateError.superseded(settings.location, number) }
        let (runNumber, phase, others) = (try run.integer(0), try run.integerIfPresent(4), try run.int(5))
        guard try !run.flag(2) else { return (.none(others: others), nil, nil) }
        guard let free = try takeChunk(of: runNumber, phase: phase, connection) else {
            return (phase == nil ? .none(others: others) : .wait, nil, nil)
        }
        let chunk = try free.int(0)
        let view = StateView(connection, tables, scopeID)
        let sequences =
            try JSONValue.parse(Array(free.text(1).utf8)).elements?.compactMap(\.integer) ?? []
        let operations = try view.claimed(sequences, of: runNumber)
        let id = RunID(rawValue: try run.text(1))
        var known =
            try runs[id] ?? KnownRun(number: runNumber, facts: Array(repeating: 0, count: try run.int(3)))
        // Other sessions write about other chunks; the session has the last facts of its chunks.
        for operation in operations where known.facts.indices.contains(operation.sequence) {
            known.facts[operation.sequence] = Int32(operation.facts)
        }
        let claimed = ClaimedChunk(
            number: chunk,
            phase: try free.int(3),
            operations: operations,
            entries: try view.entries(operations.map(\.operation.key)),
            isTakenOver: try free.flag(2)
        )
        return (.chunk(claimed), id, known)
    }

    /// Takes a chunk that no session has: preferably one to execute, otherwise one to settle.
    private func takeChunk(of run: Int64, phase: Int64?, _ connection: Connection) throws -> QueryRow? {
        while true {
            var free = try phase.flatMap { try openChunk(of: run, phase: $0, connection) }
            if free == nil { free = try abandonedChunk(of: run, connection) }
            guard let free else { return nil }
            // Checked again under the chunk's lock: another session may have taken the chunk between the previous
            // statement's snapshot and the lock. Then the server compared the current chunk with outdated sessions.
            let taken = try connection.query(
                """
                UPDATE \(tables.chunks) c SET session = $3 WHERE c.run = $1 AND c.number = $2 AND NOT EXISTS (
                    SELECT 1 FROM \(tables.sessions) s
                    WHERE s.id = c.session AND s.run = c.run AND \(StateTables.mayWrite("s")))
                """,
                [Parameter(run), Parameter(try free.int(0)), Parameter(number)]
            ).changed
            if taken == 1 { return free }
        }
    }

    /// A chunk of a phase that is to be executed and that no session has, according to the statement's snapshot.
    private func openChunk(of run: Int64, phase: Int64, _ connection: Connection) throws -> QueryRow? {
        try connection.query(
            """
            SELECT c.number, to_json(c.sequences), c.session IS NOT NULL, c.phase FROM \(tables.chunks) c
                LEFT JOIN \(tables.sessions) s ON s.id = c.session
            WHERE c.run = $1 AND c.phase = $2 AND c.progress = 0
                AND (s.id IS NULL OR s.run IS DISTINCT FROM c.run OR NOT \(StateTables.mayWrite("s")))
            ORDER BY c.number LIMIT 1 FOR UPDATE OF c SKIP LOCKED
            """,
            [Parameter(run), Parameter(phase)]
        ).first
    }

    /// A finished chunk whose session was lost before it settled its unresolved operations.
    private func abandonedChunk(of run: Int64, _ connection: Connection) throws -> QueryRow? {
        try connection.query(
            """
            SELECT c.number, to_json(c.sequences), true, c.phase FROM \(tables.chunks) c
                JOIN \(tables.sessions) s ON s.id = c.session AND s.run = c.run
            WHERE c.run = $1 AND c.progress = 1 AND s.left_at IS NULL AND NOT \(StateTables.mayWrite("s"))
            ORDER BY c.number LIMIT 1 FOR UPDATE OF c SKIP LOCKED
            """,
            [Parameter(run)]
        ).first
    }

    func finish(_ chunk: Int, as progress: ChunkProgress) throws {
        try change { connection in
            let changed = try connection.query(
                """
                UPDATE \(tables.chunks) c SET progress = $3::int, session = CASE WHEN $3::int = 0 THEN NULL ELSE c.session END
                FROM \(tables.sessions) s WHERE s.id = $1 AND c.session = s.id AND c.run = s.run AND c.number = $2
                """,
                [Parameter(number), Parameter(chunk), Parameter(progress.rawValue)]
            ).changed
            guard changed == 1 else {
                throw StateError(.conflict, "session \(number) does not have chunk \(chunk)")
            }
        }
    }

    func order(_ order: RunOrder, in run: RunID) throws {
        try change { connection in
            func update(_ assignment: String, _ value: Parameter) throws {
                let changed = try connection.query(
                    "UPDATE \(tables.runs) SET \(assignment) WHERE scope = $1 AND id = $2",
                    [Parameter(scopeID), Parameter(run.rawValue), value]
                ).changed
                guard changed == 1 else { throw StateError.unknownRun(run) }
            }
            switch order {
            case .stop(let reason): try update("stop = coalesce(stop, $3)", Parameter(reason))
            case .limit(let interval):
                try update(
                    "request_interval = greatest(request_interval, $3::bigint)",
                    Parameter(Int64(interval / .microseconds(1)))
                )
            case .pause(let duration):
                try connection.query(
                    """
                    UPDATE \(tables.scopes) SET paused_until =
                        greatest(paused_until, clock_timestamp() + $2::bigint * interval '1 millisecond') WHERE id = $1
                    """,
                    [Parameter(scopeID), Parameter(Int64(duration / .milliseconds(1)))]
                )
            }
        }
        renew()
    }

    nonisolated func recordOrphan(_ product: MarketID, of sequence: Int, in run: RunID) async throws {
        let (tables, scope, number) = (settings.tables, scopeID, number)
        // Over another connection: the session can no longer change anything.
        try await settings.connected { connection in
            _ = try connection.query(
                """
                INSERT INTO \(tables.orphans) (scope, id, run, sequence, session)
                SELECT scope, $3, number, $4::int, $5::bigint FROM \(tables.runs) WHERE scope = $1 AND id = $2
                ON CONFLICT DO NOTHING
                """,
                [
                    Parameter(scope), Parameter(run.rawValue), Parameter(product.column),
                    Parameter(sequence),
                    Parameter(number),
                ]
            )
        }
    }

    func dropOrphans(_ products: [MarketID]) throws {
        guard !products.isEmpty else { return }
        try change { connection in
            _ = try connection.query(
                "DELETE FROM \(tables.orphans) WHERE scope = $1 AND id = ANY ($2::text[])",
                [Parameter(scopeID), Parameter(products.map(\.column))]
            )
        }
    }

    // MARK: - The end of a run

    nonisolated func finish(_ run: RunID, totals: RunTotals, interrupted: Bool) async throws {
        let number = try await leave(run, totals, interrupted: interrupted)
        let (tables, scope, keptRuns) = (settings.tables, scopeID, keptRuns)
        // The run is complete and written; if pruning fails, the next run does it.
        try? await settings.connected { try tables.prune(scope, upTo: number, keptRuns: keptRuns, $0) }
    }

    /// Leaves a run, closes it if no other session takes part, and returns its number.
    private func leave(_ run: RunID, _ totals: RunTotals, interrupted: Bool) throws -> Int64 {
        try change { connection in
            // If two sessions leave at the same time, one of them is second and closes the run.
            let row = try connection.query(
                """
                SELECT number, stop, EXISTS (SELECT 1 FROM \(tables.chunks) c WHERE c.run = r.number)
                FROM \(tables.runs) r WHERE scope = $1 AND id = $2 FOR UPDATE
                """,
                [Parameter(scopeID), Parameter(run.rawValue)]
            ).first
            guard let row else { throw StateError.unknownRun(run) }
            let (run, isShared) = (try row.integer(0), try row.flag(2))
            try connection.query(
                "UPDATE \(tables.sessions) SET left_at = clock_timestamp() WHERE id = $1 AND run = $2",
                [Parameter(number), Parameter(run)]
            )
            guard isShared else {
                try close(run, totals, interrupted: interrupted, connection)
                return run
            }
            try tables.endExpired(scopeID, except: number, connection)
            // No fact records stale operations, or why the run stopped.
            try connection.query(
                "UPDATE \(tables.runs) SET stale = stale + $2::int, interrupted = interrupted OR $3 WHERE number = $1",
                [Parameter(run), Parameter(totals.stale), Parameter(interrupted)]
            )
            let others = try connection.query(
                "SELECT 1 FROM \(tables.sessions) s WHERE scope = $1 AND run = $2 AND \(StateTables.mayWrite("s")) LIMIT 1",
                [Parameter(scopeID), Parameter(run)]
            )
            guard others.first == nil else { return run }
            if let why = row.textIfPresent(1) { try skip(run, because: why, connection) }
            let counted = try StateView(connection, tables, scopeID).totals(of: run)
            try close(run, counted, interrupted: interrupted, connection)
            return run
        }
    }

    private func close(
        _ run: Int64,
        _ totals: RunTotals,
        interrupted: Bool,
        _ connection: Connection
    ) throws {
        try connection.query(
            """
            UPDATE \(tables.runs) SET finished_at = clock_timestamp(), interrupted = interrupted OR $2,
                (\(RunTotals.columns)) = ($3, $4, $5, $6, $7)
            WHERE number = $1
            """,
            [Parameter(run), Parameter(interrupted)] + totals.values.map { Parameter($0) }
        )
    }

    /// Records that operations without a fact were not started.
    private func skip(_ run: Int64, because reason: String, _ connection: Connection) throws {
        try connection.query(
            """
            INSERT INTO \(tables.events) (run, sequence, number, session, status, message)
            SELECT o.run, o.sequence, 1, $2::bigint, '\(OperationStatus.skipped.rawValue)', $3
            FROM \(tables.operations) o
            WHERE o.run = $1
                AND NOT EXISTS (SELECT 1 FROM \(tables.events) e WHERE e.run = o.run AND e.sequence = o.sequence)
            """,
            [Parameter(run), Parameter(number), Parameter("not started: \(reason)")]
        )
    }
}
