import OpenMarket

/// The tables of a state by qualified names, because a pooler does not keep a search path.
struct StateTables: Sendable {
    /// The schema's name, which fits between quotes without escaping.
    let schema: String
    /// The statements of each step, each ended by a semicolon; the first creates version 1.
    ///
    /// A released step never changes. A change of the functions alone is a step without statements.
    var steps: [@Sendable (StateTables) -> [String]] = [{ $0.tableDefinition }]

    /// The version of the tables and functions that this program reads and writes.
    var version: Int { steps.count }

    static let versionColumn = "schema_version"

    func name(_ name: String) -> String { "\"\(schema)\".\(name)" }

    var versions: String { name("version") }
    var scopes: String { name("scopes") }
    var entries: String { name("entries") }
    var runs: String { name("runs") }
    var operations: String { name("operations") }
    var events: String { name("events") }
    var sessions: String { name("sessions") }
    var chunks: String { name("chunks") }
    var orphans: String { name("orphans") }

    /// The statements that create the tables and functions, each ended by a semicolon.
    var definition: [String] {
        statements(after: 0) + ["INSERT INTO \(versions) (\(Self.versionColumn)) VALUES (\(version));"]
    }

    /// The statements that upgrade a version to this one; version 0 is without tables.
    func statements(after version: Int) -> [String] {
        steps.dropFirst(version).flatMap { $0(self) } + functions
    }

    private var tableDefinition: [String] {
        [
            "CREATE SCHEMA IF NOT EXISTS \"\(schema)\";",
            """
            CREATE TABLE \(versions) (\(Self.versionColumn) int NOT NULL);
            """,
            """
            CREATE TABLE \(scopes) (
                id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                url text COLLATE "C" NOT NULL,
                -- The name that the market's description gives it, and its parameters, as a JSON object.
                profile text COLLATE "C" NOT NULL,
                parameters text COLLATE "C" NOT NULL,
                -- Empty if the market lacks identifiers: NULLs would not be unique.
                identifier text COLLATE "C" NOT NULL,
                vendor bigint,
                -- The SHA-256 of the market's description that was accepted.
                accepted text,
                -- The new location of a copied market's state.
                moved_to text,
                -- Until when the market is to be left alone, because it asked for that.
                paused_until timestamptz,
                UNIQUE (url, profile, parameters, identifier)
            );
            """,
            """
            CREATE TABLE \(entries) (
                scope bigint NOT NULL REFERENCES \(scopes),
                key text COLLATE "C" NOT NULL,
                -- The digits of a number, or a text between quotes.
                id text COLLATE "C" NOT NULL,
                vendor bigint,
                name text,
                description text,
                price text,
                currency text,
                sale text,
                stock bigint,
                images text,
                thumbnail text,
                sent_images text,
                thumbnail_url text,
                issued_at text,
                secret text,
                protected boolean NOT NULL,
                shown text,
                -- The file that listed the product when it was last applied; NULL if it is unknown.
                origin text,
                PRIMARY KEY (scope, key),
                -- A product may change its key within a statement.
                CONSTRAINT \(Self.oneKeyOfProduct) UNIQUE (scope, id) DEFERRABLE INITIALLY DEFERRED
            ) WITH (fillfactor = 85);
            """,
            """
            CREATE TABLE \(runs) (
                number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                scope bigint NOT NULL REFERENCES \(scopes),
                id text COLLATE "C" NOT NULL UNIQUE,
                started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
                manifest text,
                description text,
                tool text NOT NULL,
                -- The overrides of its policies: their names with blanks between, the reason, and the approver.
                overrides text,
                reason text,
                approver text,
                -- Who decided about its plan, how many operations were left out for it, and the SHA-256 of the
                -- decisions' file.
                decided_by text,
                rejected int,
                decisions text,
                -- 0 until all are written, and once they are not kept any more.
                operations int NOT NULL DEFAULT 0,
                -- Whether the outcome of an operation of it may be unknown.
                open boolean NOT NULL DEFAULT true,
                -- Why sending must stop.
                stop text,
                -- In how many microseconds all sessions together begin at most one request; NULL for no limit.
                request_interval bigint,
                finished_at timestamptz,
                interrupted boolean NOT NULL DEFAULT false,
                done int NOT NULL DEFAULT 0,
                failed int NOT NULL DEFAULT 0,
                stale int NOT NULL DEFAULT 0,
                skipped int NOT NULL DEFAULT 0,
                unknown int NOT NULL DEFAULT 0
            );
            """,
            "CREATE INDEX runs_of_scope ON \(runs) (scope, number);",
            "CREATE INDEX runs_open ON \(runs) (scope, number) WHERE open;",
            """
            -- Written once.
            CREATE TABLE \(operations) (
                run bigint NOT NULL,
                sequence int NOT NULL,
                action text NOT NULL,
                key text COLLATE "C" NOT NULL,
                payload text NOT NULL,
                PRIMARY KEY (run, sequence)
            );
            """,
            "CREATE INDEX operations_by_key ON \(operations) (key, run);",
            """
            -- The id is the fencing number.
            CREATE TABLE \(sessions) (
                id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                scope bigint NOT NULL REFERENCES \(scopes),
                -- What it takes part in, until it leaves it; NULL while it has the scope to itself.
                run bigint REFERENCES \(runs),
                left_at timestamptz,
                host text NOT NULL,
                process int NOT NULL,
                command text NOT NULL,
                since timestamptz NOT NULL DEFAULT clock_timestamp(),
                -- The number of its last change.
                batch bigint NOT NULL DEFAULT 0,
                -- From when on another may take its place, and how long that is from each of its changes.
                expires_at timestamptz NOT NULL,
                lease interval NOT NULL,
                -- When it was left, or ended by another: it cannot make changes any more.
                ended_at timestamptz
            ) WITH (fillfactor = 50);
            """,
            // The index omits the time that each change updates: an update of no indexed column leaves no dead index
            // entries.
            "CREATE INDEX sessions_of_scope ON \(sessions) (scope);",
            "CREATE INDEX sessions_valid ON \(sessions) (scope) WHERE ended_at IS NULL;",
            """
            -- Facts about operations, only ever added. The product of `sent` is the newest one then, that of
            -- `unknown` one that a reply named.
            CREATE TABLE \(events) (
                run bigint NOT NULL,
                sequence int NOT NULL,
                number int NOT NULL,
                session bigint NOT NULL,
                at timestamptz NOT NULL DEFAULT clock_timestamp(),
                status text NOT NULL,
                step text,
                product text,
                message text,
                -- The key that marks a repeated request, the SHA-256 of its body, and the names of its pictures, as a
                -- JSON array; the last is NULL if the request is not repeated.
                repeat_key text,
                body_digest text,
                picture_references text,
                PRIMARY KEY (run, sequence, number)
            );
            """,
            """
            -- Parts of a run for its sessions to claim. Progress 1: each operation has an outcome; 2: each a final one.
            CREATE TABLE \(chunks) (
                run bigint NOT NULL REFERENCES \(runs),
                number int NOT NULL,
                phase int NOT NULL,
                sequences int[] NOT NULL,
                session bigint,
                progress int NOT NULL DEFAULT 0,
                PRIMARY KEY (run, number)
            );
            """,
            "CREATE INDEX chunks_open ON \(chunks) (run, phase, number) WHERE progress = 0;",
            """
            -- Products that sessions created after their end.
            CREATE TABLE \(orphans) (
                scope bigint NOT NULL REFERENCES \(scopes),
                id text COLLATE "C" NOT NULL,
                run bigint NOT NULL,
                sequence int NOT NULL,
                session bigint NOT NULL,
                at timestamptz NOT NULL DEFAULT clock_timestamp(),
                PRIMARY KEY (scope, id)
            );
            """,
        ]
    }

    // MARK: - SQL fragments

    /// A timestamp as milliseconds since 1970.
    static func milliseconds(_ moment: String) -> String {
        "floor(extract(epoch FROM \(moment)) * 1000)::bigint"
    }

    /// The constraint that a product has only one key, as it appears in the server's errors.
    static let oneKeyOfProduct = "entries_scope_id_key"

    /// Whether an operation's last fact leaves its outcome unknown.
    static let isUnresolved = "status IN ('sent', 'advanced', 'unknown')"

    /// Whether a session may write about its run.
    ///
    /// Checked before a session's work is given to another, after ``endExpired(_:except:_:)``. It ignores the clock: a
    /// lease may expire between two statements, and its session can still renew it until the session is ended.
    static func mayWrite(_ session: String) -> String {
        "(\(session).left_at IS NULL AND \(session).ended_at IS NULL)"
    }

    /// Ends the sessions of a market that were not renewed in time, so that they cannot write any more.
    ///
    /// A session that is changing something is skipped. Its process may be frozen, and a session that waited for it
    /// would not be renewed either. Throws ``ConnectionFault``.
    func endExpired(_ scope: Int64, except session: Int64? = nil, _ connection: Connection) throws {
        try connection.query(
            """
            UPDATE \(sessions) SET ended_at = clock_timestamp() WHERE id = ANY (ARRAY(
                SELECT id FROM \(sessions)
                WHERE scope = $1 AND id IS DISTINCT FROM $2 AND ended_at IS NULL AND expires_at <= clock_timestamp()
                FOR UPDATE SKIP LOCKED))
            """,
            [Parameter(scope), Parameter(session)]
        )
    }

    /// Limits how long the current transaction may be idle before the server ends it.
    static func idleLimit(_ duration: Duration) -> String {
        "set_config('idle_in_transaction_session_timeout', '\(Int64(duration / .milliseconds(1)))', true)"
    }

    /// Whether a run continues, according to the reader's snapshot: one of its sessions may write, and was renewed in
    /// time.
    func isUnderWay(_ run: String) -> String {
        """
        (\(run).finished_at IS NULL AND EXISTS (
            SELECT 1 FROM \(sessions) live
            WHERE live.scope = \(run).scope AND live.run = \(run).number AND \(Self.mayWrite("live"))
                AND live.expires_at > clock_timestamp()))
        """
    }

    /// The operations of a market's runs, `$1`, whose last fact leaves their outcome unknown.
    ///
    /// It is materialized, so that joins compute it once. The server lacks statistics about a new run, and would
    /// compute it again for each row of the other table.
    var unresolved: String {
        """
        SELECT r.number AS run, l.sequence FROM \(runs) r CROSS JOIN LATERAL \(lastFacts(of: "r.number")) l
        WHERE r.scope = $1 AND r.open AND l.\(Self.isUnresolved)
        """
    }

    func lastFacts(of run: String) -> String {
        """
        (SELECT DISTINCT ON (sequence) sequence, number, status FROM \(events)
        WHERE run = \(run) ORDER BY sequence DESC, number DESC)
        """
    }
}
