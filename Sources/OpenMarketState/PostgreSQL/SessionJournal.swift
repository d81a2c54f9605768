import OpenMarket
import OpenMarketFiles

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The connection of a session, over which it is renewed and all its changes go, one after the other.
///
/// Each change has a number, which it writes with what it changes and only behind the number before. So when no answer to
/// a commit arrives, the number that is there says whether it happened, once the row is not locked any more.
actor SessionJournal {
    private nonisolated let executor = QueueExecutor("openmarket.postgresql.session")
    nonisolated let settings: ConnectionSettings
    nonisolated let market: MarketScope
    /// The fencing number.
    nonisolated let number: Int64
    /// The market's row.
    nonisolated let scope: Int64
    nonisolated let validity: SessionValidity
    private var connection: Connection?
    /// The number of the last change that is known to have happened.
    private var batch: Int64 = 0
    /// What is known of the runs that facts were written about.
    var runs: [RunID: KnownRun] = [:]

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
    nonisolated var tables: StateTables { settings.tables }

    /// The journal of a session that has its place.
    init(
        _ settings: ConnectionSettings,
        _ market: MarketScope,
        _ place: SessionPlace
    ) {
        self.settings = settings
        self.market = market
        number = place.number
        scope = place.scope
        validity = SessionValidity(
            lifetime: settings.lease,
            lease: StateLease(number: place.number, deadline: place.expiresAt),
            renewedAt: place.askedAt
        )
    }

    // MARK: - Changes

    /// Carries out a change in a transaction of several statements.
    ///
    /// - Parameters:
    ///   - isLong: Whether it may take longer than requests may leave without the session being renewed.
    ///   - body: What to do; it is done again where the transaction did not happen.
    /// - Returns: What the body returned.
    /// - Throws: ``StateError``, and what the body throws, after which nothing has happened.
    func change<Value: Sendable>(isLong: Bool = false, _ body: (Connection) throws -> Value) throws -> Value {
        var result: Value?
        try carryOut { connection, batch in
            // The row of the session is locked by it, so another one cannot take its place meanwhile.
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

    /// Carries out a change that is one statement.
    ///
    /// - Throws: ``StateError``, ``ConnectionFault`` where the server refuses it; then nothing has happened.
    func change(_ facts: FactRows, _ changes: StateChanges) throws {
        let parameters = [Parameter(json: facts.json)] + changes.parameters
        try carryOut { connection, batch in
            try connection.query(
                "SELECT * FROM \(tables.record)($1::bigint, $2::bigint, $3::json, $4::json, $5::json, $6::bigint)",
                [Parameter(number), Parameter(batch)] + parameters
            ).first.map(Self.acknowledgement)
        }
    }

    /// Carries out a numbered change exactly once.
    ///
    /// - Parameter attempt: Sends it; `nil` where the server found that it is not the next one, or that the session is over.
    /// - Throws: ``StateError``, and what the attempt throws, after which nothing has happened.
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
            } catch let error as StateError {
                throw error
            } catch let error as ConnectionFault {
                throw error
            } catch {
                // What the body threw in the middle of a COPY left the connection in it.
                connection = nil
                throw error
            }
            if let acknowledged {
                batch = next
                validity.renew(acknowledged, askedAt: askedAt)
                return
            }
            // Not acknowledged: it happened, or it did not, or the session is over.
            if let found = try lookUp(until: deadline) {
                batch = next
                // Which of the attempts it was is not known.
                validity.renew(found, askedAt: firstAskedAt)
                return
            }
        }
    }

    /// Finds out whether the change behind the last known one happened; waits for a transaction that may still be doing it.
    ///
    /// - Returns: What the server said with it; `nil` where it did not happen.
    /// - Throws: ``StateError`` where the session is over.
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

    /// Renews the session again and again, until it is over or dropped.
    ///
    /// Not as a task: planning a million products may keep the threads of all tasks busy for longer than a lease.
    nonisolated func keepRenewed() {
        executor.after(validity.renewalInterval) { [weak self] in
            guard let self else { return }
            assumeIsolated { $0.renew() }
            if (try? validity.requireValid()) != nil { keepRenewed() }
        }
    }

    /// Renews the session; where it is over, ``validity`` knows it then.
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
                // Over; else it throws for good, and one more look would find the same.
                if try lookUp(until: deadline) != nil { throw StateError.superseded(settings.location, number) }
            }
        } catch {
            validity.end(StateError(error, at: settings.location))
        }
    }

    /// Leaves the place to the next session.
    func leave() {
        guard (try? validity.requireValid()) != nil else {
            connection = nil
            return
        }
        // Without an answer the place is free when the lease runs out.
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

    /// Reads something, over the connection of the session.
    ///
    /// - Throws: ``StateError``.
    func look<Value>(_ body: (Connection) throws -> Value) throws -> Value {
        try validity.requireValid()
        let deadline = self.deadline
        while true {
            do {
                return try body(connected(until: deadline))
            } catch let fault as ConnectionFault where fault.leavesDoubt || fault.isCollision {
                connection = nil
            }
        }
    }

    // MARK: - The connection

    /// Until when to wait for an answer: until nothing may be sent any more, and long enough to hear of it where the process
    /// was paused beyond that.
    private var deadline: ContinuousClock.Instant {
        max(validity.deadline, .now + validity.renewalInterval)
    }

    /// The connection, made again where it broke.
    ///
    /// - Throws: ``StateError`` when the time is up; the session is over then.
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
                // A server that is being started refuses at once.
                usleep(100_000)
            } catch ConnectionFault.silent {
                words = nil
            }
        }
    }

    /// A commit that the server warns of, such as one that a standby did not confirm, is not one.
    private func requireNoWarning(_ connection: Connection) throws {
        guard let warning = connection.warning else { return }
        let error = StateError(
            .io,
            "the database of the state \(settings.location) warns, so what was written may not be there after a failure: "
                + "\(warning)"
        )
        validity.end(error)
        self.connection = nil
        throw error
    }

    // MARK: - Words of SQL

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
            orders: StateOrders(
                stop: row.textIfPresent(1),
                pause: .milliseconds(try row.integerIfPresent(2) ?? 0),
                peers: try row.int(3),
                interval: .microseconds(try row.integerIfPresent(4) ?? 0)
            )
        )
    }
}

/// The place that a session took.
struct SessionPlace: Sendable {
    /// The fencing number.
    var number: Int64
    /// The market's row.
    var scope: Int64
    /// From when on another may take it, on the server's clock.
    var expiresAt: Timestamp
    /// Before it was asked for.
    var askedAt: ContinuousClock.Instant
}

/// A run that a session writes about.
struct KnownRun {
    /// Its row.
    var number: Int64
    /// How many facts there are about each operation.
    var facts: [Int32]
}
