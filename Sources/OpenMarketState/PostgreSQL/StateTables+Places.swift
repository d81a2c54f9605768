import OpenMarket
import OpenMarketFiles

extension StateTables {
    /// Creates missing tables, upgrades older ones, and refuses those of a newer version.
    ///
    /// It also refuses a server that may lose confirmed data.
    ///
    /// Throws ``StateError`` and ``ConnectionFault``.
    func prepare(_ location: StateLocation, _ connection: Connection) throws {
        let settings = try connection.query(
            "SELECT current_setting('fsync'), current_setting('synchronous_commit'), current_setting('server_encoding')"
        ).first
        guard let settings else { throw UnreadableValue(reason: "the server's settings are missing") }
        for (column, name) in [(0, "fsync"), (1, "synchronous_commit")] as [(Int, String)] {
            guard try settings.text(column) != "off" else {
                throw StateError(
                    .io,
                    "the server of the state \(location) has \(name) = off, so it may lose confirmed data; switch it on"
                )
            }
        }
        guard try settings.text(2) == "UTF8" else {
            throw StateError(
                .io,
                "the database of the state \(location) has the encoding \(try settings.text(2)); create one with UTF8"
            )
        }
        let present = try presentVersion(connection)
        if let present { try requireKnown(version: present, location) }
        guard present != version else { return }
        do {
            try connection.transaction {
                if let present { try upgrade(from: present, connection) } else { try create(connection) }
            }
        } catch ConnectionFault.refused(let code, _) where ["23505", "42710", "42P06", "42P07"].contains(code) {
            // Another session created them at the same time, and has committed.
        } catch ConnectionFault.refused("42501", let words) {
            throw StateError(
                .readOnly,
                present == nil
                    ? "the state \(location) lacks its tables, and this account may not create them: \(words). "
                        + "An administrator creates them once"
                    : "the tables of the state \(location) are of an older version, and this account may not change them: "
                        + "\(words). An administrator does with `openmarket state init`"
            )
        }
        guard let made = try presentVersion(connection) else {
            throw StateError(.damaged, "the schema \(schema) of the state \(location) has tables, but no version")
        }
        try requireKnown(version: made, location)
    }

    private func create(_ connection: Connection) throws {
        for statement in definition { try connection.query(statement) }
    }

    private func upgrade(from present: Int, _ connection: Connection) throws {
        // The row first: a concurrent upgrade waits for it, and then finds the work done.
        let update = "UPDATE \(versions) SET \(Self.versionColumn) = $1 WHERE \(Self.versionColumn) = $2"
        guard try connection.query(update, [Parameter(version), Parameter(present)]).changed > 0 else { return }
        for statement in statements(after: present) { try connection.query(statement) }
    }

    /// The version of the tables; `nil` if there are none.
    private func presentVersion(_ connection: Connection) throws -> Int? {
        do {
            let row = try connection.query("SELECT max(\(Self.versionColumn)) FROM \(versions)").first
            return try row?.integerIfPresent(0).map { Int($0) }
        } catch let fault as ConnectionFault where fault.isMissingTable {
            return nil
        }
    }

    /// The result of trying to take a market.
    enum Attempt: Sendable {
        case taken(SessionLease)
        /// Another session has it; the holder is `nil` unless requested.
        case held(SessionHolder?)
    }

    /// Takes the lease of a market, if no other session may be sending.
    ///
    /// `isLast` requests the holder, which takes time in a large run. Throws ``StateError``, `moved`, and
    /// ``ConnectionFault``.
    func take(
        _ market: MarketScope,
        for command: String,
        _ settings: ConnectionSettings,
        _ connection: Connection,
        isLast: Bool
    ) throws -> Attempt {
        let askedAt = ContinuousClock.now
        return try connection.transaction {
            let scope = try lock(market, connection)
            try requireHere(scope, settings.location, connection)
            try endExpired(scope, connection)
            // Requests may be in flight until the lease expires, even those of a session that was ended.
            let other = try connection.query(
                """
                SELECT id FROM \(sessions) WHERE scope = $1 AND (ended_at IS NULL OR expires_at > clock_timestamp())
                ORDER BY id LIMIT 1
                """,
                [Parameter(scope)]
            ).first?.integer(0)
            if let other { return .held(isLast ? try holder(other, connection) : nil) }
            try connection.query(
                "DELETE FROM \(sessions) WHERE scope = $1 AND ended_at < clock_timestamp() - interval '30 days'",
                [Parameter(scope)]
            )
            return .taken(try addSession(scope, command, run: nil, askedAt, settings, connection))
        }
    }

    /// Joins the current run if other sessions may; `nil` if there is no such run.
    ///
    /// Throws ``StateError`` and ``ConnectionFault``.
    func join(
        _ market: MarketScope,
        for command: String,
        _ settings: ConnectionSettings,
        _ connection: Connection
    ) throws -> SessionLease? {
        guard try presentVersion(connection) != nil else { return nil }
        // Another version of the program may have begun the run.
        try prepare(settings.location, connection)
        let askedAt = ContinuousClock.now
        return try connection.transaction {
            let scope = try lock(market, connection)
            // The last session to leave the run closes it under the same lock.
            let run = try connection.query(
                """
                SELECT r.number FROM \(runs) r
                WHERE r.scope = $1 AND \(isUnderWay("r")) AND EXISTS (SELECT 1 FROM \(chunks) c WHERE c.run = r.number)
                ORDER BY r.number DESC LIMIT 1 FOR UPDATE
                """,
                [Parameter(scope)]
            ).first?.integer(0)
            guard let run else { return nil }
            return try addSession(scope, command, run: run, askedAt, settings, connection)
        }
    }

    private func addSession(
        _ scope: Int64,
        _ command: String,
        run: Int64?,
        _ askedAt: ContinuousClock.Instant,
        _ settings: ConnectionSettings,
        _ connection: Connection
    ) throws -> SessionLease {
        let session = try connection.query(
            """
            INSERT INTO \(sessions) (scope, host, process, command, run, lease, expires_at)
            VALUES ($1, $2, $3, $4, $5, $6::interval, clock_timestamp() + $6::interval)
            RETURNING id, \(Self.milliseconds("expires_at"))
            """,
            [
                Parameter(scope), Parameter(FileSystem.hostName), Parameter(Int64(FileSystem.processID)),
                Parameter(command), Parameter(run), Parameter("\(settings.lease.components.seconds) s"),
            ]
        ).first
        guard let session else { throw UnreadableValue(reason: "a session lacks a number") }
        return SessionLease(
            number: try session.integer(0),
            scope: scope,
            expiresAt: try session.timestamp(1),
            askedAt: askedAt
        )
    }

    /// Refuses a market whose state has moved.
    private func requireHere(_ scope: Int64, _ location: StateLocation, _ connection: Connection)
        throws
    {
        let row = try connection.query(
            "SELECT moved_to FROM \(scopes) WHERE id = $1",
            [Parameter(scope)]
        ).first
        guard let place = row?.textIfPresent(0) else { return }
        throw StateError.moved(location, to: StateLocation(place))
    }

    /// Ends an expired session, or with `force` an active one, and returns its holder; `nil` if there is none.
    ///
    /// Throws ``StateError``, `locked`, and ``ConnectionFault``.
    func unlock(
        _ market: MarketScope,
        force: Bool,
        _ location: StateLocation,
        _ connection: Connection
    ) throws -> String? {
        guard try presentVersion(connection) != nil else { return nil }
        try prepare(location, connection)
        return try connection.transaction {
            let scope = try lock(market, connection)
            let holders = try connection.query(
                "\(holders) WHERE s.scope = $1 AND s.ended_at IS NULL ORDER BY s.id",
                [Parameter(scope)]
            ).rows.map(SessionHolder.init)
            if !force, let valid = holders.first(where: { $0.secondsLeft > 0 }) {
                throw StateError.held(location, valid)
            }
            // With `force`, even if a clock that was set back seems to delay the lease's end. Otherwise only if it was
            // not renewed since it was read.
            let ended = try connection.query(
                """
                UPDATE \(sessions) SET ended_at = coalesce(ended_at, clock_timestamp()),
                    expires_at = least(expires_at, clock_timestamp() + lease)
                WHERE scope = $1 AND (ended_at IS NULL AND (expires_at <= clock_timestamp() OR $2)
                    OR $2 AND expires_at > clock_timestamp())
                """,
                [Parameter(scope), Parameter(force)]
            ).changed
            if !force, let holder = holders.first, ended < holders.count { throw StateError.held(location, holder) }
            return holders.isEmpty ? nil : holders.map(\.description).joined(separator: "; ")
        }
    }

    /// Locks a market's row, created if missing, against others that take or end sessions.
    private func lock(_ market: MarketScope, _ connection: Connection) throws -> Int64 {
        let parameters = market.columns.map { Parameter($0) }
        let condition = "url = $1 AND profile = $2 AND parameters = $3 AND identifier = $4"
        while true {
            let row = try connection.query(
                """
                SELECT id, \(Self.idleLimit(ConnectionSettings.standardLease)) FROM \(scopes) WHERE \(condition)
                FOR NO KEY UPDATE
                """,
                parameters
            ).first
            if let row { return try row.integer(0) }
            try connection.query(
                """
                INSERT INTO \(scopes) (url, profile, parameters, identifier) VALUES ($1, $2, $3, $4)
                ON CONFLICT DO NOTHING
                """,
                parameters
            )
        }
    }

    private func holder(_ session: Int64, _ connection: Connection) throws -> SessionHolder? {
        try connection.query("\(holders) WHERE s.id = $1", [Parameter(session)]).first.map(SessionHolder.init)
    }

    private var holders: String {
        """
        SELECT s.id, s.command, s.process, s.host, to_char(s.since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
            s.ended_at IS NOT NULL, ceil(extract(epoch FROM s.expires_at - clock_timestamp()))::bigint,
            r.id, r.operations, (SELECT count(*) FROM \(lastFacts(of: "r.number")) l
                WHERE l.status IN ('succeeded', 'failed', 'skipped'))
        FROM \(sessions) s LEFT JOIN \(runs) r ON r.number = s.run AND s.left_at IS NULL
        """
    }
}

/// The holder of a market, described for other users.
struct SessionHolder: CustomStringConvertible, Sendable {
    /// How long others have to wait if it is not renewed.
    let secondsLeft: Int64
    let description: String

    fileprivate init(_ row: QueryRow) throws {
        secondsLeft = try row.integer(6)
        var words = """
            openmarket \(try row.text(1)), process \(try row.text(2)) on \(try row.text(3)), since \(try row.text(4)) \
            (session \(try row.text(0)))
            """
        if let run = row.textIfPresent(7) {
            words += ", \(try row.text(9)) of \(try row.text(8)) operations of run \(run) done"
        }
        if try row.flag(5) { words += "; it was ended, and its requests may be under way for \(secondsLeft) s" }
        description = words
    }
}

extension StateError {
    /// The error for a lease that another session has.
    static func held(_ location: StateLocation, _ holder: SessionHolder?) -> StateError {
        StateError(.locked, "the state \(location) is held by \(holder?.description ?? "another session")")
    }
}
