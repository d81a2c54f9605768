import FoundationEssentials
import GRDB
import OpenMarket
import Synchronization

extension StateStore: StateSession {
    /// The session's number, which is valid until it is closed.
    package var lease: StateLease {
        get throws {
            guard let number else { throw readOnly }
            return StateLease(number: number, deadline: nil)
        }
    }

    /// Opens a run and writes all its operations as intended, in one transaction.
    ///
    /// The error is a ``StateError``.
    package func begin(_ run: RunRecord, operations: [PlannedOperation], chunks: [RunChunk]) async throws {
        runningRuns.withLock { _ = $0.insert(run.id) }
        do {
            try await writeInBackground { [clock] db, scope in
                let number = try Self.insert(run, startedAt: clock(), db, scope)
                let writer = try OperationWriter(db)
                for (sequence, operation) in operations.enumerated() {
                    try writer.write(operation.assembled, at: Self.position(run: number, sequence))
                }
            }
        } catch {
            runningRuns.withLock { _ = $0.remove(run.id) }
            throw error
        }
    }

    static func insert(
        _ run: RunRecord,
        startedAt: Timestamp,
        _ db: Database,
        _ scope: Int64
    ) throws -> Int64 {
        try db.execute(
            sql: """
                INSERT INTO runs (scope, id, started_at, manifest, tool, overrides, reason, approver, description)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                scope, run.id.rawValue, startedAt.rawValue, run.manifest?.hexadecimal, run.tool,
                run.approval?.policies.joined(separator: " "), run.approval?.reason, run.approval?.user,
                run.description?.hexadecimal,
            ]
        )
        return db.lastInsertedRowID
    }

    /// Writes facts together with the state changes that they mean, in one commit, which concurrent callers share.
    ///
    /// The error is a ``StateError``, and then none of the facts is written; if a commit fails, all callers that share
    /// it get the error.
    package func record(_ events: [JournalEvent]) async throws -> StateOrders {
        try await commits.record(events) { calls in
            do {
                try await self.writeInBackground { db, scope in
                    for event in calls.joined() { try self.record(event, at: self.clock(), db, scope) }
                }
                return Array(repeating: nil, count: calls.count)
            } catch let error as StateError where error.code == .conflict && calls.count > 1 {
                // Facts that cannot be written are rare. Only now each call gets its own savepoint, so that the others
                // succeed without the failing ones.
                return try await self.writeInBackground { db, scope in
                    try calls.map { events in
                        try self.attempt(db) {
                            for event in events { try self.record(event, at: self.clock(), db, scope) }
                        }
                    }
                }
            }
        }
        return .proceed
    }

    /// Closes a run; unknown operations stay unresolved.
    ///
    /// Then it drops data of this run and of older ones that is no longer needed. The error is a ``StateError``.
    package func finish(_ run: RunID, totals: RunTotals, interrupted: Bool) async throws {
        try await writeInBackground { [clock] db, scope in
            try db.execute(
                sql: """
                    UPDATE runs SET finished_at = ?, interrupted = ?, done = ?, failed = ?, stale = ?, skipped = ?, unknown = ?
                    WHERE id = ? AND scope = ?
                    """,
                arguments: [
                    clock().rawValue, interrupted, totals.done, totals.failed, totals.stale, totals.skipped,
                    totals.unknown,
                    run.rawValue, scope,
                ]
            )
            guard db.changesCount == 1 else {
                throw StateError.unknownRun(run)
            }
        }
        runningRuns.withLock { _ = $0.remove(run) }
        let keptRuns = keptRuns
        let running = runningRuns.withLock { $0 }
        do {
            try await writeInBackground { db, scope in
                try db.prune(scope, running: running, keptRuns: keptRuns)
            }
            try await writeInBackground { db, _ in try db.returnSpace() }
        } catch {
            // The run is over and completely written; the next one makes room.
        }
    }

    /// All known facts about the market's products, and all operations with an unknown outcome, in one snapshot.
    ///
    /// A read-only store asks the lock whether another process is in the middle of a run. The error is a
    /// ``StateError``.
    package func basis() throws -> StateBasis {
        let ours = runningRuns.withLock { $0 }
        let holder = lock == nil ? try StateLock.probe(files) : .free
        return try read(StateBasis(snapshot: StateSnapshot(), unresolved: [], now: now)) { db, scope in
            StateBasis(
                snapshot: try snapshot(db, scope),
                unresolved: try unresolved(db, scope) { run, startedAt, endedAt in
                    ours.contains(run) || endedAt == nil && holder.isRunning(startedAt: startedAt)
                },
                now: now
            )
        }
    }

    private func unresolved(
        _ db: Database,
        _ scope: Int64,
        isUnderWay: (_ run: RunID, _ startedAt: Timestamp, _ endedAt: Timestamp?) -> Bool
    ) throws -> [UnresolvedOperation] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT r.id, o.sequence, o.payload, o.step, o.step_succeeded, o.high_water, o.created, o.sent_at,
                    r.finished_at, r.started_at, d.details, o.facts, o.key, c.wanted, c.pictures,
                    o.status, i.repeat_key, i.body_digest, i.picture_references, i.sent_at, o.answered
                FROM operations o JOIN runs r ON r.number = o.position >> 32
                    LEFT JOIN details d ON d.position = o.position
                    LEFT JOIN contents c ON c.position = o.position
                    LEFT JOIN imprints i ON i.position = o.position
                WHERE o.status IN (\(StateSchema.unresolvedStatuses)) AND r.scope = ?
                ORDER BY o.position
                """,
            arguments: [scope]
        )
        return try rows.map { row in
            let run = RunID(rawValue: try row.decode(String.self, atIndex: 0))
            let endedAt = try row.timestampIfPresent(atIndex: 8)
            guard let step = RequestStep(rawValue: try row.decode(String.self, atIndex: 3)) else {
                throw StateError.damaged(files, because: "run \(run) names a step that does not exist")
            }
            return UnresolvedOperation(
                run: run,
                sequence: try row.decode(Int.self, atIndex: 1),
                facts: try row.decode(Int.self, atIndex: 11),
                operation: try OperationRow(
                    payload: row.decode(String.self, atIndex: 2),
                    details: row.decode(String?.self, atIndex: 10),
                    contents: row.decode(String?.self, atIndex: 13).map { wanted in
                        CreateContents(wanted: wanted, pictures: try row.decode(String?.self, atIndex: 14))
                    }
                ).operation(key: row.decode(String.self, atIndex: 12)),
                step: step,
                stepSucceeded: try row.decode(Bool.self, atIndex: 4),
                highWater: try row.productIDIfPresent(atIndex: 5),
                created: try row.productIDIfPresent(atIndex: 6),
                answered: try row.productIDIfPresent(atIndex: 20),
                sentAt: try row.timestamp(atIndex: 7),
                // A later run may have sent the request again and may have been killed before the reply.
                runEndedAt: try endedAt.flatMap { end in
                    let wasSentAgain =
                        try row.decode(String.self, atIndex: 15) == OperationStatus.sent.rawValue
                        && row.timestamp(atIndex: 7) > end
                    return wasSentAgain ? nil : end
                },
                imprint: try Self.imprint(row, from: 16),
                imprintedAt: try row.timestampIfPresent(atIndex: 19),
                isUnderWay: isUnderWay(run, try row.timestamp(atIndex: 9), endedAt)
            )
        }
    }

    /// The fingerprint of a request that may be sent again; `nil` if the row has none.
    private static func imprint(_ row: Row, from index: Int) throws -> RequestImprint? {
        guard try row.timestampIfPresent(atIndex: index + 3) != nil else { return nil }
        let references = try row.decode(String?.self, atIndex: index + 2).map {
            try [String](document: DocumentValue(JSONValue.parse(Array($0.utf8)), at: "picture_references"))
        }
        return RequestImprint(
            repeatKey: try row.decode(String?.self, atIndex: index),
            digest: try row.decode(String?.self, atIndex: index + 1).flatMap(ContentDigest.init(hexadecimal:)),
            references: references ?? []
        )
    }

    // MARK: - Events

    static func position(run: Int64, _ sequence: Int) -> Int64 {
        run << 32 | Int64(sequence)
    }

    /// Runs a body completely or undoes it; returns the error if it was undone.
    private func attempt(_ db: Database, _ body: () throws -> Void) throws -> StateError? {
        try db.cachedStatement(sql: "SAVEPOINT event").execute()
        do {
            try body()
            try db.cachedStatement(sql: "RELEASE event").execute()
            return nil
        } catch let error as StateError {
            try db.execute(sql: "ROLLBACK TO event")
            try db.execute(sql: "RELEASE event")
            return error
        }
    }

    private func record(_ event: JournalEvent, at now: Timestamp, _ db: Database, _ scope: Int64) throws {
        let position = Self.position(run: try number(of: event.run, db, scope), event.sequence)
        for key in event.mutations.flatMap(\.keys) { try Self.detach(key, db, scope) }
        guard try Self.update(event, FactRow(event.fact), at: position, now, db) else { return }
        for mutation in event.mutations { try Self.write(mutation, db, scope) }
    }

    private func number(of run: RunID, _ db: Database, _ scope: Int64) throws -> Int64 {
        if let known = runNumbers.withLock({ $0[run] }) { return known }
        let found = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT number FROM runs WHERE id = ? AND scope = ?"),
            arguments: [run.rawValue, scope]
        )
        guard let found else { throw StateError.unknownRun(run) }
        runNumbers.withLock { $0[run] = found }
        return found
    }

    /// Writes a fact into its operation's row; `false` if it is there already.
    private static func update(
        _ event: JournalEvent,
        _ fact: FactRow,
        at position: Int64,
        _ now: Timestamp,
        _ db: Database
    ) throws -> Bool {
        // Results of a step stay known when the next one is sent: the id from a create, the newest id before it.
        try db.cachedStatement(
            sql: """
                UPDATE operations SET
                    facts = ?, status = ?, step = COALESCE(?, step), step_succeeded = ?,
                    high_water = COALESCE(?, high_water), created = COALESCE(?, created),
                    answered = COALESCE(?, answered),
                    sent_at = CASE WHEN ? THEN ? ELSE COALESCE(sent_at, ?) END, message = ?
                WHERE position = ? AND facts = ?
                """
        ).execute(arguments: [
            event.number, fact.status.rawValue, fact.step?.rawValue, fact.status == .advanced,
            fact.highWater?.databaseValue, fact.created?.databaseValue, fact.answered?.databaseValue,
            fact.status == .sent, now.rawValue,
            fact.step == nil ? nil : now.rawValue, fact.message, position, event.number - 1,
        ])
        guard db.changesCount == 1 else {
            try requireRepeated(event, fact, at: position, db)
            return false
        }
        if let imprint = fact.imprint { try keep(imprint, at: position, now, db) }
        if fact.status == .succeeded { try drop(event, at: position, db) }
        return true
    }

    /// Saves the fingerprint of a request before it is sent, and the time since when the market may know its repeat
    /// key.
    static func keep(_ imprint: RequestImprint, at position: Int64, _ now: Timestamp, _ db: Database) throws {
        let references =
            imprint.references.isEmpty
            ? nil : String(decoding: JSONValue.array(imprint.references.map(JSONValue.string)).bytes(), as: UTF8.self)
        try db.cachedStatement(
            sql: """
                INSERT INTO imprints (position, repeat_key, body_digest, picture_references, sent_at)
                VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (position) DO UPDATE SET
                    sent_at = CASE WHEN repeat_key IS excluded.repeat_key THEN sent_at ELSE excluded.sent_at END,
                    repeat_key = excluded.repeat_key, body_digest = excluded.body_digest,
                    picture_references = excluded.picture_references
                """
        ).execute(arguments: [position, imprint.repeatKey, imprint.digest?.hexadecimal, references, now.rawValue])
    }

    /// Drops data of a successful operation that is no longer needed.
    private static func drop(_ event: JournalEvent, at position: Int64, _ db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM details WHERE position = ?").execute(arguments: [position])
        guard case .put(let entry)? = event.mutations.first(where: { if case .put = $0 { true } else { false } }) else {
            return
        }
        // Only for a create that made exactly the wanted product; other operations have no contents.
        try db.cachedStatement(
            sql: """
                DELETE FROM contents WHERE position = ? AND wanted = ?
                    AND EXISTS (SELECT 1 FROM operations WHERE position = ? AND key = ?)
                """
        ).execute(arguments: [position, CreateContents(entry).wanted, position, entry.key])
        guard db.changesCount == 1 else { return }
        try db.cachedStatement(sql: "UPDATE operations SET described_by_entry = 1 WHERE position = ?")
            .execute(arguments: [position])
    }

    /// Requires that a fact out of order is the last one, written once more.
    private static func requireRepeated(_ event: JournalEvent, _ fact: FactRow, at position: Int64, _ db: Database)
        throws
    {
        let row = try Row.fetchOne(
            db,
            sql: "SELECT facts, status, message FROM operations WHERE position = ?",
            arguments: [position]
        )
        guard let row else { throw StateError.unknownOperation(event.sequence, event.run) }
        let last = try row.decode(Int.self, atIndex: 0)
        guard last == event.number, try row.decode(String.self, atIndex: 1) == fact.status.rawValue,
            try row.decode(String?.self, atIndex: 2) == fact.message
        else { throw StateError.misnumbered(event, after: last) }
    }
}
