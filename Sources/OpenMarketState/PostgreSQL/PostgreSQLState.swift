package import OpenMarket

/// The states of markets in a schema of a PostgreSQL database, which several machines share.
///
/// Each market has one session with a lease in the server's time, renewed in the background. A lease that is not
/// renewed for its whole length is free. This does not depend on PostgreSQL's own sessions, so a pooler may be used.
package struct PostgreSQLState: StateBackend {
    var settings: ConnectionSettings
    private let keptRuns: Int

    /// A state, which need not exist; it is not opened yet.
    ///
    /// The URL is for libpq, with `schema` (by default `openmarket`) and `lease` in seconds. The journal keeps the
    /// operations of `keptRuns` runs, at least 1. Throws `input` for an unreadable URL.
    package init(_ location: StateLocation, keptRuns: Int = StateFile.standardKeptRuns) throws(StateError) {
        settings = try ConnectionSettings(location)
        self.keptRuns = max(1, keptRuns)
    }

    package var location: StateLocation { settings.location }

    /// Warnings about the state's URL, one sentence each.
    package var warnings: [String] {
        settings.hasPassword
            ? ["the URL of the state holds a password, which others may read; PGPASSFILE or a service file keeps it"]
            : []
    }

    /// The statements that create the schema and its tables, in one transaction.
    package var definition: String? {
        (["BEGIN;"] + settings.tables.definition + ["COMMIT;"]).joined(separator: "\n\n") + "\n"
    }

    /// Creates the schema and its tables if they do not exist.
    ///
    /// Throws ``StateError``.
    package func prepare() async throws {
        let settings = settings
        try await settings.connected { try settings.tables.prepare(settings.location, $0) }
    }

    /// The state's markets in the order of their first session; empty if there is no state yet.
    ///
    /// Throws ``StateError``.
    package func markets() async throws -> [KnownMarket] {
        let settings = settings
        return try await settings.connected { connection in
            let tables = settings.tables
            do {
                return try connection.query(
                    """
                    SELECT \(KnownMarket.columns), (SELECT count(*) FROM \(tables.entries) e WHERE e.scope = s.id),
                        v.\(StateTables.versionColumn)
                    FROM \(tables.scopes) s CROSS JOIN \(tables.versions) v ORDER BY s.id
                    """
                ).rows.map { row in
                    try tables.requireKnown(version: row.int(5), settings.location)
                    return try KnownMarket(row)
                }
            } catch let fault as ConnectionFault where fault.isMissingTable {
                return []
            }
        }
    }

    /// Opens a market's state for reading; no connection is held between calls.
    package func read(_ scope: MarketScope) async throws -> any StateReader {
        PostgreSQLReader(settings: settings, scope: scope)
    }

    /// Takes a market's lease, and creates missing tables.
    ///
    /// Throws ``StateError`` and `CancellationError`.
    package func hold(
        _ scope: MarketScope,
        for command: String,
        waiting timeout: Duration
    ) async throws -> any StateSession {
        let settings = settings
        let start = ContinuousClock.now
        var isPrepared = false
        while true {
            let left = timeout - start.duration(to: .now)
            let prepares = !isPrepared
            let attempt = try await settings.connected { connection in
                if prepares { try settings.tables.prepare(settings.location, connection) }
                while true {
                    do {
                        return try settings.tables.take(
                            scope,
                            for: command,
                            settings,
                            connection,
                            isLast: left <= .zero
                        )
                    } catch let fault as ConnectionFault where fault.isCollision {}
                }
            }
            isPrepared = true
            switch attempt {
            case .taken(let place): return PostgreSQLSession(settings, scope, place, keptRuns: keptRuns)
            case .held(let holder):
                guard left > .zero else { throw StateError.held(location, holder) }
                try await Task.sleep(for: min(left, Duration.milliseconds(200)), clock: .continuous)
            }
        }
    }

    /// Joins the market's current run; throws ``StateError``.
    package func join(_ scope: MarketScope, for command: String) async throws -> (any StateSession)? {
        let settings = settings
        let place = try await settings.connected { connection in
            try settings.tables.join(scope, for: command, settings, connection)
        }
        return place.map { PostgreSQLSession(settings, scope, $0, keptRuns: keptRuns) }
    }

    /// Ends an expired session, or with `force` an active one.
    ///
    /// The session stops sending when it notices this, or after its time to send is over. Its lease stays taken until
    /// it expires. Throws ``StateError``, `locked` if the session is being renewed and `force` is not set.
    package func unlock(_ scope: MarketScope, force: Bool) async throws -> String? {
        let settings = settings
        return try await settings.connected { connection in
            try settings.tables.unlock(scope, force: force, settings.location, connection)
        }
    }
}
