import OpenMarket
import OpenMarketFiles

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A session of a market's state in PostgreSQL, which renews its lease until it is closed.
///
/// It has one connection, for its renewals and all its changes, one at a time.
///
/// Each change has a number, which it writes with its data, and only if the previous number is stored. If no answer to
/// a commit arrives, the stored number shows whether it happened, once the row is unlocked.
actor PostgreSQLSession: StateSession, PostgreSQLReading {
    private nonisolated let executor = QueueExecutor("openmarket.postgresql.session")
    nonisolated let settings: ConnectionSettings
    nonisolated let scope: MarketScope
    /// The fencing number.
    nonisolated let number: Int64
    nonisolated let scopeID: Int64
    nonisolated let validity: SessionValidity
    nonisolated let commits = GroupCommit()
    nonisolated let keptRuns: Int
    private var connection: Connection?
    /// The number of the last change that certainly happened.
    private var batch: Int64 = 0
    /// The runs that facts were written about.
    var runs: [RunID: KnownRun] = [:]

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
    nonisolated var tables: StateTables { settings.tables }

    /// A session that has its lease.
    init(_ settings: ConnectionSettings, _ scope: MarketScope, _ place: SessionLease, keptRuns: Int) {
        self.settings = settings
        self.scope = scope
        self.keptRuns = keptRuns
        number = place.number
        scopeID = place.scope
        validity = SessionValidity(
            lifetime: settings.lease,
            lease: StateLease(number: place.number, deadline: place.expiresAt),
            renewedAt: place.askedAt
        )
        keepRenewed()
    }

    nonisolated var lease: StateLease {
        get throws { try validity.lease() }
    }

    nonisolated var timeToSend: Duration? { validity.timeToSend }

    nonisolated func waitForStop() async -> String? { await validity.waitForStop() }

    // MARK: - Changes

    /// Executes a change in a transaction of several statements.
    ///
    /// The body runs again if the transaction did not happen. `isLong` means that it may take longer than the session
    /// may send without a renewal. If the body throws, the change did not happen.
    func change<Value: Sendable>(isLong: Bool = false, _ body: (Connection) throws -> Value) throws -> Value {
        var result: Value?
        try carryOut { connection, batch in
            // The change locks the session's row, so no other session can take the lease meanwhile.
            if isLong { connection.patience = .each(settings.lease * 2 / 3) }
            return try connection.transaction { () -> SessionValidity.Acknowledgement? in
                guard let held = try connection.query(heldStatement, [Parameter(number), Parameter(batch)]).first else {
                    return nil
                }
                result = try body(connection)
                return try Self.acknowledgement(held)
            }
        }
        guard let result else { throw StateError(.io, "the transaction did not run") }
        return result
    }

    /// Executes a change that is one statement; throws ``StateError`` if it did not happen.
    func change(_ facts: FactRows, _ changes: StateChanges) throws {
        let parameters = [Parameter(json: facts.json)] + changes.parameters
        try carryOut { connection, batch in
            try connection.query(
                "SELECT * FROM \(tables.record)($1::bigint, $2::bigint, $3::json, $4::json, $5::json, $6::bigint)",
                [Parameter(number), Parameter(batch)] + parameters
            ).first.map(Self.acknowledgement)
        }
    }

    /// Executes a numbered change exactly once.
    ///
    /// The attempt returns `nil` if the server found that the change is not the next one, or that the session is over.
    /// Throws ``StateError`` if the change did not happen.
    private func carryOut(
        _ attempt: (Connection, Int64) throws -> SessionValidity.Acknowledgement?
    ) throws {
        try validity.requireValid()
        let next = batch + 1
        let deadline = self.deadline
        let firstAskedAt = ContinuousClock.now
        while true {
            let askedAt = ContinuousClock.now
            var acknowledged: SessionValidity.Acknowledgement?
            do {
                let connection = try connected(until: deadline)
                acknowledged = try attempt(connection, next)
                try requireNoWarning(connection)
            } catch let fault as ConnectionFault where fault.leavesDoubt {
                connection = nil
            } catch let fault as ConnectionFault where fault.isCollision && ContinuousClock.now < deadline {
                continue
            } catch {
                throw StateError(error, at: settings.location)
            }
            if let acknowledged {
                batch = next
                validity.renew(acknowledged, askedAt: askedAt)
                return
            }
            // Not acknowledged: it happened, or it did not, or the session is over.
            if let found = try lookUp(until: deadline) {
                batch = next
                // It is unknown which attempt succeeded.
                validity.renew(found, askedAt: firstAskedAt)
                return
            }
        }
    }

    /// Finds out whether the change after the last confirmed one happened, and waits for a transaction that may still
    /// execute it.
    ///
    /// Returns the acknowledgement; `nil` if the change did not happen. Throws ``StateError`` if the session is over.
    private func lookUp(until deadline: ContinuousClock.Instant) throws -> SessionValidity.Acknowledgement? {
        while true {
            do {
                let connection = try connected(until: deadline)
                let row = try connection.query(
                    """
                    SELECT batch, ended_at IS NOT NULL, \(StateTables.milliseconds("expires_at")) FROM \(tables.sessions)
                    WHERE id = $1 FOR UPDATE
                    """,
                    [Parameter(number)]
                ).first
                guard let row, try row.integer(0) >= batch else { throw StateError.forgotten(settings.location) }
                let isNext = try row.integer(0) == batch + 1
                guard try row.integer(0) <= batch + 1, try isNext || !row.flag(1) else {
                    throw StateError.superseded(settings.location, number)
                }
                return isNext
                    ? SessionValidity.Acknowledgement(expiresAt: try row.timestamp(2), orders: validity.orders) : nil
            } catch let fault as ConnectionFault where fault.leavesDoubt || fault.isCollision {
                connection = nil
            } catch {
                let error = StateError(error, at: settings.location)
                validity.end(error)
                throw error
            }
        }
    }

    /// Renews the session repeatedly, until it is over or dropped.
    ///
    /// This is not a task: planning a million products may block all task threads for longer than a lease.
    nonisolated func keepRenewed() {
        executor.after(validity.renewalInterval) { [weak self] in
            guard let self else { return }
            assumeIsolated { $0.renew() }
            if (try? validity.requireValid()) != nil { keepRenewed() }
        }
    }

    /// Renews the session; if it is over, ``validity`` records it.
    func renew() {
        guard (try? validity.requireValid()) != nil else { return }
        let deadline = self.deadline
        do {
            while true {
                let askedAt = ContinuousClock.now
                do {
                    let connection = try connected(until: deadline)
                    let row = try connection.query(
                        """
                        WITH held AS (
                            UPDATE \(tables.sessions) SET expires_at = clock_timestamp() + lease
                            WHERE id = $1 AND batch = $2 AND ended_at IS NULL \(StateTables.heldColumns))
                        \(tables.ordersSelect)
                        """,
                        [Parameter(number), Parameter(batch)]
                    ).first
                    try requireNoWarning(connection)
                    if let row {
                        validity.renew(try Self.acknowledgement(row), askedAt: askedAt)
                        return
                    }
                } catch let fault as ConnectionFault where fault.leavesDoubt || fault.isCollision {
                    connection = nil
                    continue
                }
                // The session is over. If the lookup finds otherwise, this still ends it, because another lookup would
                // find the same.
                if try lookUp(until: deadline) != nil { throw StateError.superseded(settings.location, number) }
            }
        } catch {
            validity.end(StateError(error, at: settings.location))
        }
    }

    /// Frees the lease for the next session.
    func close() {
        guard (try? validity.requireValid()) != nil else {
            connection = nil
            return
        }
        // Without an answer the lease expires by itself.
        let soon = ContinuousClock.now + min(settings.lease / 6, .seconds(2))
        if let connection = try? connected(until: soon) {
            connection.patience = .until(soon)
            _ = try? connection.query(
                """
                UPDATE \(tables.sessions) SET ended_at = clock_timestamp(), expires_at = clock_timestamp()
                WHERE id = $1 AND ended_at IS NULL
                """,
                [Parameter(number)]
            )
        }
        connection = nil
        validity.end(StateError.superseded(settings.location, number))
    }

    /// Reads over the session's connection; throws ``StateError``.
    func look<Value>(_ body: (Connection) throws -> Value) throws -> Value {
        try validity.requireValid()
        let deadline = self.deadline
        while true {
            do {
                return try body(connected(until: deadline))
            } catch let fault as ConnectionFault where fault.leavesDoubt || fault.isCollision {
                connection = nil
            } catch {
                throw StateError(error, at: settings.location)
            }
        }
    }

    // MARK: - The connection

    /// The time limit for an answer: until sending must stop, extended if the process was paused beyond that.
    private var deadline: ContinuousClock.Instant {
        max(validity.deadline, .now + validity.renewalInterval)
    }

    /// The connection, opened again if it broke.
    ///
    /// Throws ``StateError`` when the time is up; then the session is over.
    private func connected(until deadline: ContinuousClock.Instant) throws -> Connection {
        var words: String?
        while true {
            guard ContinuousClock.now < deadline else {
                let error = StateError.lost(settings.location, words)
                validity.end(error)
                throw error
            }
            if let connection {
                connection.patience = .until(deadline)
                return connection
            }
            do {
                connection = try Connection(settings, patience: .until(deadline))
            } catch ConnectionFault.lost(let message) {
                words = message
                // A starting server refuses at once.
                usleep(100_000)
            } catch ConnectionFault.silent {
                words = nil
            }
        }
    }

    /// Rejects a commit with a warning, such as one that a standby did not confirm.
    private func requireNoWarning(_ connection: Connection) throws {
        guard let warning = connection.warning else { return }
        let error = StateError(
            .io,
            "the database of the state \(settings.location) warns, so written data may be lost after a failure: "
                + "\(warning)"
        )
        validity.end(error)
        self.connection = nil
        throw error
    }

    // MARK: - SQL fragments

    private nonisolated var heldStatement: String {
        """
        WITH held AS (\(tables.sessionUpdate(session: "$1", batch: "$2::bigint")) \(StateTables.heldColumns))
        SELECT o.* FROM (\(tables.ordersSelect)) o, \(StateTables.idleLimit(settings.lease))
        """
    }

    /// Reads ``StateTables/ordersSelect``.
    private static func acknowledgement(_ row: QueryRow) throws -> SessionValidity.Acknowledgement {
        SessionValidity.Acknowledgement(
            expiresAt: try row.timestamp(0),
            orders: StateDirectives(
                stop: row.textIfPresent(1),
                pause: .milliseconds(try row.integerIfPresent(2) ?? 0),
                peers: try row.int(3),
                interval: .microseconds(try row.integerIfPresent(4) ?? 0)
            )
        )
    }
}

/// The lease that a session took.
struct SessionLease: Sendable {
    /// The fencing number.
    var number: Int64
    var scope: Int64
    /// When another session may take it, on the server's clock.
    var expiresAt: Timestamp
    /// The time just before it was requested.
    var askedAt: ContinuousClock.Instant
}

struct KnownRun {
    var number: Int64
    /// The number of facts about each operation.
    var facts: [Int32]
}
