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
                INSERT INTO runs (scope, started_at, \(RunRecord.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [scope, startedAt.rawValue] + StatementArguments(run.values)
        )
        return db.lastInsertedRowID
    }

    static func close(
        _ run: Int64,
        _ totals: RunTotals,
        interrupted: Bool,
        at time: Timestamp?,
        _ db: Database
    ) throws {
        try db.execute(
            sql: """
                UPDATE runs SET finished_at = ?, interrupted = ?, (\(RunTotals.columns)) = (?, ?, ?, ?, ?)
                WHERE number = ?
                """,
            arguments: [time?.rawValue, interrupted] + StatementArguments(totals.values) + [run]
        )
    }

    /// Writes facts and the resulting state changes in one commit, which concurrent callers share.
    ///
    /// The error is a ``StateError``, and then none of the facts is written. If a commit fails, all callers that share
    /// it get the error.
    package func record(_ events: [JournalEvent]) async throws -> StateDirectives {
        try await commits.record(events) { calls in
            do {
                try await self.write(calls.flatMap(\.self))
                return Array(repeating: nil, count: calls.count)
            } catch let error as StateError where error.code == .conflict && calls.count > 1 {
                // Facts that cannot be written are rare. Only now each call gets its own commit, so that the others
                // succeed without the failing ones.
                var errors: [StateError?] = []
                for events in calls {
                    do {
                        try await self.write(events)
                        errors.append(nil)
                    } catch let error as StateError {
                        errors.append(error)
                    }
                }
                return errors
            }
        }
        return .proceed
    }

    /// Closes a run; operations with an unknown outcome stay unresolved.
    ///
    /// Then it drops data of this run and of older ones that is no longer needed. The error is a ``StateError``.
    package func finish(_ run: RunID, totals: RunTotals, interrupted: Bool) async throws {
        try await writeInBackground { [clock] db, scope in
            try Self.close(self.number(of: run, db, scope), totals, interrupted: interrupted, at: clock(), db)
        }
        runningRuns.withLock { _ = $0.remove(run) }
        do {
            try await writeInBackground { db, scope in try db.prune(scope, keptRuns: self.keptRuns) }
            try await writeInBackground { db, _ in try db.returnSpace() }
        } catch {
            // The run is over and completely written; if pruning fails, the next run does it.
        }
    }

    /// All facts about the market's products, and all unresolved operations, in one snapshot.
    ///
    /// A read-only store asks the lock whether another process is in the middle of a run. The error is a
    /// ``StateError``.
    package func basis() throws -> StateBasis {
        let ours = runningRuns.withLock { $0 }
        let holder = number == nil ? try StateLock.probe(files) : .free
        return try read(StateBasis(snapshot: StateSnapshot(), unresolved: [], now: now)) { db, scope in
            let open = try operations(
                where: "o.status IN (\(StateSchema.unresolvedStatuses))",
                [],
                order: "o.position",
                db,
                scope
            )
            let unresolved = try open.compactMap { operation -> UnresolvedOperation? in
                let isUnderWay =
                    ours.contains(operation.run)
                    || operation.runEndedAt == nil && holder.isRunning(startedAt: operation.startedAt)
                return try operation.unresolved(isUnderWay: isUnderWay)
            }
            return StateBasis(snapshot: try snapshot(db, scope), unresolved: unresolved, now: now)
        }
    }

    // MARK: - Events

    static func position(run: Int64, _ sequence: Int) -> Int64 {
        run << 32 | Int64(sequence)
    }

    private func write(_ events: [JournalEvent]) async throws {
        try await writeInBackground { db, scope in
            for event in events { try self.record(event, at: self.clock(), db, scope) }
        }
    }

    private func record(_ event: JournalEvent, at now: Timestamp, _ db: Database, _ scope: Int64) throws {
        let position = Self.position(run: try number(of: event.run, db, scope), event.sequence)
        for key in event.mutations.flatMap(\.keys) { try Self.detach(key, db, scope) }
        guard try Self.take(event, at: position, now, db) else { return }
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

    /// Applies a fact to its operation's row; `false` if the row has the fact already.
    private static func take(_ event: JournalEvent, at position: Int64, _ now: Timestamp, _ db: Database) throws -> Bool
    {
        // The first fact starts from an empty progress.
        var progress = event.number == 1 ? OperationProgress() : try self.progress(of: event, at: position, db)
        if event.number == progress.facts + 1 {
            progress.take(event.fact, number: event.number, at: now)
            if try write(progress, after: event.number - 1, at: position, db) {
                if event.fact.status == .succeeded { try drop(event, at: position, db) }
                return true
            }
            progress = try self.progress(of: event, at: position, db)
        }
        guard progress.facts == event.number, progress.status == event.fact.status,
            progress.message == event.fact.message
        else { throw StateError.misnumbered(event, after: progress.facts) }
        return false
    }

    private static func progress(of event: JournalEvent, at position: Int64, _ db: Database) throws
        -> OperationProgress
    {
        let row = try Row.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT \(OperationProgress.columns) FROM operations o LEFT JOIN imprints i ON i.position = o.position
                    WHERE o.position = ?
                    """
            ),
            arguments: [position]
        )
        guard let row else { throw StateError.unknownOperation(event.sequence, event.run) }
        return try OperationProgress(row, from: 0)
    }

    /// Writes an operation's progress, and returns whether the row had that many facts.
    static func write(_ progress: OperationProgress, after facts: Int, at position: Int64, _ db: Database) throws
        -> Bool
    {
        try db.cachedStatement(
            sql: """
                UPDATE operations SET facts = ?, status = ?, step = ?, high_water = ?, created = ?, answered = ?,
                    sent_at = ?, message = ?
                WHERE position = ? AND facts = ?
                """
        ).execute(arguments: [
            progress.facts, progress.status.rawValue, progress.step?.rawValue, progress.highWater?.databaseValue,
            progress.product?.databaseValue, progress.answered?.databaseValue, progress.sentAt?.rawValue,
            progress.message, position, facts,
        ])
        guard db.changesCount == 1 else { return false }
        guard progress.isUnresolved, let fingerprint = progress.fingerprint else { return true }
        try db.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO imprints (position, repeat_key, body_digest, picture_references, sent_at)
                VALUES (?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            position, fingerprint.idempotencyKey, fingerprint.digest?.hexadecimal, fingerprint.referencesText,
            progress.firstSentAt?.rawValue,
        ])
        return true
    }

    /// Drops data of a successful operation that is no longer needed.
    private static func drop(_ event: JournalEvent, at position: Int64, _ db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM details WHERE position = ?").execute(arguments: [position])
        guard case .put(let entry)? = event.mutations.first(where: { if case .put = $0 { true } else { false } }) else {
            return
        }
        // Only for a create that created exactly the wanted product; other operations are stored without contents.
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
}

extension OperationProgress {
    /// The columns of an operation `o` and of its fingerprint `i`.
    static let columns = """
        o.facts, o.status, o.step, o.high_water, o.created, o.answered, o.sent_at, o.message, \
        i.repeat_key, i.body_digest, i.picture_references, i.sent_at
        """

    /// Reads ``columns``.
    init(_ row: Row, from column: Int) throws {
        self.init()
        facts = try row.int(column)
        status = try row.status(column + 1)
        step = try row.stepIfPresent(column + 2)
        highWater = try row.productIfPresent(column + 3)
        product = try row.productIfPresent(column + 4)
        answered = try row.productIfPresent(column + 5)
        sentAt = try row.timestampIfPresent(column + 6)
        message = try row.textIfPresent(column + 7)
        fingerprint = try RequestFingerprint(row, from: column + 8)
        firstSentAt = try row.timestampIfPresent(column + 11)
    }
}
