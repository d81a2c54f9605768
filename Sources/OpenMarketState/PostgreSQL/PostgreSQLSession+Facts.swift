import OpenMarket

extension PostgreSQLSession {
    /// The number of operations in one transaction, so that each takes much less time than a lease.
    private static let operationsPerTransaction = 25_000

    // MARK: - Runs

    /// Opens a run with all its operations; the run starts once the last of them is written.
    func begin(_ run: RunRecord, operations: [PlannedOperation], chunks: [RunChunk]) throws {
        var first = 0
        var number: Int64 = 0
        do {
            repeat {
                let end = min(operations.count, first + Self.operationsPerTransaction)
                let known = number
                let part = first..<end
                number = try change { connection in
                    let number = part.lowerBound == 0 ? try self.insert(run, connection) : known
                    try self.insert(operations, part, of: number, connection)
                    if end == operations.count {
                        try connection.query(
                            "UPDATE \(self.tables.runs) SET operations = $2 WHERE number = $1",
                            [Parameter(number), Parameter(operations.count)]
                        )
                        try self.offer(chunks, of: number, connection)
                        try connection.query(
                            "UPDATE \(self.tables.sessions) SET run = $2, left_at = NULL WHERE id = $1",
                            [Parameter(self.number), Parameter(number)]
                        )
                    }
                    return number
                }
                first = end
            } while first < operations.count
        } catch let error as StateError where error.code == .conflict {
            throw StateError(.conflict, "the journal already has a run \(run.id)")
        }
        runs[run.id] = KnownRun(number: number, facts: Array(repeating: 0, count: operations.count))
    }

    func insert(_ run: RunRecord, _ connection: Connection) throws -> Int64 {
        let row = try connection.query(
            """
            INSERT INTO \(tables.runs) (scope, \(RunRecord.columns))
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
            RETURNING number
            """,
            [Parameter(scopeID)] + run.values.map { Parameter($0) }
        ).first
        guard let row else { throw UnreadableValue(reason: "a run lacks a number") }
        return try row.integer(0)
    }

    func insert(
        _ operations: [PlannedOperation],
        _ part: Range<Int>,
        of run: Int64,
        _ connection: Connection
    ) throws {
        var next = part.lowerBound
        while next < part.upperBound {
            var writer = JSONWriter()
            writer.array { writer in
                while next < part.upperBound, writer.bytes.count < 1 << 20 {
                    let operation = operations[next].assembled
                    writer.object { writer in
                        writer.member("sequence", next)
                        writer.member("action", operation.action.rawValue)
                        writer.member("key", operation.key.withoutNUL)
                        writer.member("payload", OperationRow(operation).column.withoutNUL)
                    }
                    next += 1
                }
            }
            try connection.query(
                """
                INSERT INTO \(tables.operations) (run, sequence, action, key, payload)
                SELECT $1, sequence, action, key, payload
                FROM json_to_recordset($2::json) AS o (sequence int, action text, key text, payload text)
                """,
                [Parameter(run), Parameter(json: writer.bytes)]
            )
        }
    }

    // MARK: - Facts

    nonisolated func record(_ events: [JournalEvent]) async throws -> StateDirectives {
        try await commits.record(events) { calls in try await self.record(calls) }
        return validity.orders
    }

    /// Writes the facts of several callers in one commit, without those that contradict existing facts.
    ///
    /// Returns for each caller the reason why none of its facts was written. Throws ``StateError``, which applies to
    /// all callers.
    private func record(_ calls: [[JournalEvent]]) throws -> [StateError?] {
        do {
            return try write(calls)
        } catch let error as StateError where error.isContradiction {
            // Contradictions are rare, so each call is tried separately only after one.
            return calls.count > 1 ? try calls.map { try record([$0])[0] } : [error]
        }
    }

    private func write(_ calls: [[JournalEvent]]) throws -> [StateError?] {
        var errors: [StateError?] = []
        var pending: [FactPlace: JournalEvent] = [:]
        var accepted: [[JournalEvent]] = []
        for events in calls {
            var attempt = pending
            do {
                accepted.append(try events.filter { try accept($0, behind: &attempt) })
                pending = attempt
                errors.append(nil)
            } catch let error as StateError where error.code == .conflict {
                accepted.append([])
                errors.append(error)
            }
        }
        let events = accepted.joined()
        guard !events.isEmpty else { return errors }
        var changes = StateChanges()
        if events.allSatisfy({ $0.mutations.allSatisfy { changes.add($0) } }) {
            try change(FactRows(events, runs), changes)
            keep(events)
        } else {
            for (index, events) in accepted.enumerated() where !events.isEmpty {
                do {
                    try writeInOrder(events)
                } catch let error as StateError where error.isContradiction {
                    errors[index] = error
                }
            }
        }
        return errors
    }

    /// Writes facts whose changes depend on each other's order.
    private func writeInOrder(_ events: [JournalEvent]) throws {
        let facts = Parameter(json: FactRows(events, runs).json)
        try change { connection in
            try connection.query(
                "SELECT \(self.tables.addFacts)($1::bigint, $2::json)",
                [Parameter(self.number), facts]
            )
            try self.make(events.flatMap(\.mutations), connection)
        }
        keep(events)
    }

    private func keep(_ events: some Sequence<JournalEvent>) {
        for event in events { runs[event.run]?.facts[event.sequence] = Int32(event.number) }
    }

    /// Whether a fact has to be written; `false` if it already is.
    ///
    /// `pending` has the last fact of each operation that is about to be written. Throws ``StateError``, `conflict` if
    /// the fact does not follow.
    private func accept(_ event: JournalEvent, behind pending: inout [FactPlace: JournalEvent]) throws -> Bool {
        if runs[event.run] == nil { runs[event.run] = try known(event.run) }
        guard let run = runs[event.run] else { throw StateError.unknownRun(event.run) }
        guard run.facts.indices.contains(event.sequence) else {
            throw StateError.unknownOperation(event.sequence, event.run)
        }
        let place = FactPlace(run: run.number, sequence: event.sequence)
        let last = pending[place]?.number ?? Int(run.facts[event.sequence])
        guard event.number == last, last > 0 else {
            guard event.number == last + 1 else { throw StateError.misnumbered(event, after: last) }
            pending[place] = event
            return true
        }
        let isSame =
            if let written = pending[place] {
                written.fact.status == event.fact.status && written.fact.message.isExactly(event.fact.message)
            } else {
                try isWritten(event, run.number)
            }
        guard isSame else { throw StateError.misnumbered(event, after: last) }
        return false
    }

    private func isWritten(_ event: JournalEvent, _ run: Int64) throws -> Bool {
        try look { connection in
            try connection.query(
                """
                SELECT 1 FROM \(self.tables.events) WHERE run = $1 AND sequence = $2 AND number = $3 AND status = $4
                    AND message IS NOT DISTINCT FROM $5
                """,
                [
                    Parameter(run), Parameter(event.sequence), Parameter(event.number),
                    Parameter(event.fact.status.rawValue), Parameter(event.fact.message),
                ]
            ).first != nil
        }
    }

    /// Reads a run that another session began.
    private func known(_ run: RunID) throws -> KnownRun? {
        try look { connection in
            let row = try connection.query(
                "SELECT number, operations FROM \(self.tables.runs) WHERE scope = $1 AND id = $2",
                [Parameter(self.scopeID), Parameter(run.rawValue)]
            ).first
            guard let row else { return nil }
            let number = try row.integer(0)
            var facts = [Int32](repeating: 0, count: try row.int(1))
            for last in try connection.query(
                "SELECT sequence, number FROM \(self.tables.lastFacts(of: "$1")) l",
                [Parameter(number)]
            ).rows where facts.indices.contains(try last.int(0)) {
                facts[try last.int(0)] = Int32(try last.integer(1))
            }
            return KnownRun(number: number, facts: facts)
        }
    }
}

private struct FactPlace: Hashable {
    var run: Int64
    var sequence: Int
}
