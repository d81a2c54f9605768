import GRDB
import OpenMarket

/// The tables of a state file, as the steps that lead from nothing to now.
///
/// A step that was ever released never changes. `user_version` counts the steps a file has taken.
package struct StateSchema: Sendable {
    /// The SQL of each step; the first makes version 1.
    package var steps: [String]

    /// A schema of steps.
    package init(steps: [String]) {
        self.steps = steps
    }

    /// The version that all steps lead to.
    var version: Int { steps.count }

    /// Marks a file as ours, in SQLite's header: "OMst".
    static let applicationID: Int32 = 0x4F4D_7374

    var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for (index, sql) in steps.enumerated() {
            migrator.registerMigration(Self.name(index + 1)) { db in
                db.add(function: Self.composed)
                try db.execute(sql: sql)
                try db.execute(sql: "PRAGMA application_id = \(Self.applicationID)")
                try db.execute(sql: "PRAGMA user_version = \(index + 1)")
            }
        }
        return migrator
    }

    static func name(_ version: Int) -> String { "v\(version)" }

    /// `composed(key)`: a key as it is written since version 3; only for steps.
    private static let composed = DatabaseFunction("composed", argumentCount: 1, pure: true) { values in
        values.first.flatMap(String.fromDatabaseValue)?.composed
    }

    /// What this version of the tool reads and writes.
    package static let current = StateSchema(steps: [
        """
        CREATE TABLE openings (
            count INTEGER NOT NULL
        ) STRICT;
        INSERT INTO openings VALUES (0);

        CREATE TABLE scopes (
            id INTEGER PRIMARY KEY,
            url TEXT NOT NULL,
            profile TEXT NOT NULL,
            -- Empty where the market knows no identifier: NULLs would not be unique.
            identifier TEXT NOT NULL,
            vendor INTEGER,
            UNIQUE (url, profile, identifier)
        ) STRICT;

        CREATE TABLE entries (
            scope INTEGER NOT NULL REFERENCES scopes,
            key TEXT NOT NULL,
            id INTEGER NOT NULL,
            vendor INTEGER,
            name TEXT,
            description TEXT,
            price TEXT,
            currency TEXT,
            sale TEXT,
            stock INTEGER,
            images TEXT,
            thumbnail TEXT,
            sent_images TEXT,
            thumbnail_url TEXT,
            issued_at TEXT,
            secret TEXT,
            protected INTEGER NOT NULL,
            UNIQUE (scope, key)
        ) STRICT;

        CREATE TABLE runs (
            number INTEGER PRIMARY KEY,
            scope INTEGER NOT NULL REFERENCES scopes,
            id TEXT NOT NULL UNIQUE,
            started_at INTEGER NOT NULL,
            manifest TEXT,
            tool TEXT NOT NULL,
            finished_at INTEGER,
            interrupted INTEGER NOT NULL DEFAULT 0,
            done INTEGER NOT NULL DEFAULT 0,
            failed INTEGER NOT NULL DEFAULT 0,
            stale INTEGER NOT NULL DEFAULT 0,
            skipped INTEGER NOT NULL DEFAULT 0,
            unknown INTEGER NOT NULL DEFAULT 0
        ) STRICT;

        CREATE TABLE operations (
            run INTEGER NOT NULL REFERENCES runs,
            sequence INTEGER NOT NULL,
            action TEXT NOT NULL,
            key TEXT NOT NULL,
            status TEXT NOT NULL,
            step TEXT,
            step_succeeded INTEGER NOT NULL DEFAULT 0,
            high_water INTEGER,
            created INTEGER,
            sent_at INTEGER,
            message TEXT,
            -- Last, so that a scan over the rest does not read it.
            payload TEXT NOT NULL,
            PRIMARY KEY (run, sequence)
        ) STRICT;
        CREATE INDEX operations_by_key ON operations (key);
        CREATE INDEX operations_open ON operations (run, sequence)
            WHERE status IN ('sent', 'advanced', 'unknown');

        CREATE TABLE events (
            run INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            at INTEGER NOT NULL,
            fact TEXT NOT NULL,
            step TEXT,
            product INTEGER,
            message TEXT,
            FOREIGN KEY (run, sequence) REFERENCES operations
        ) STRICT;
        CREATE INDEX events_by_operation ON events (run, sequence);
        """,
        """
        -- What only the settling of an operation needs, until it is over. Of version 1 the payload holds it too. A table
        -- of its own: pages are free again when rows leave, not when they shrink.
        CREATE TABLE details (
            run INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            details TEXT NOT NULL,
            PRIMARY KEY (run, sequence)
        ) STRICT;
        -- Nothing ever read the single steps: an operation's row says how far it came.
        DROP TABLE events;
        """,
        // One key, one spelling. Where two spellings of a key were two products, the one written last keeps the key; the
        // other one is set aside under a name of its own, protected, so that it is neither forgotten nor deleted.
        """
        CREATE TEMP TABLE respelt AS
            SELECT scope, composed(key) AS key FROM main.entries WHERE key <> composed(key) GROUP BY 1, 2;
        CREATE TEMP TABLE spellings AS
            SELECT rowid AS row, scope, composed(key) AS key, id FROM main.entries WHERE key <> composed(key)
            UNION ALL SELECT e.rowid, e.scope, e.key, e.id FROM respelt JOIN main.entries e USING (scope, key);
        CREATE TEMP TABLE keepers AS SELECT MAX(row) AS row FROM spellings GROUP BY scope, key;
        DELETE FROM main.entries WHERE rowid IN
            (SELECT s.row FROM spellings s JOIN spellings later USING (scope, key, id) WHERE later.row > s.row);
        UPDATE main.entries SET protected = 1, key = composed(key) || ' (product ' || id || ', another spelling)'
            WHERE rowid IN (SELECT row FROM spellings) AND rowid NOT IN (SELECT row FROM keepers);
        UPDATE main.entries SET key = composed(key) WHERE rowid IN (SELECT row FROM keepers);
        DROP TABLE keepers;
        DROP TABLE spellings;
        DROP TABLE respelt;
        UPDATE operations SET key = composed(key) WHERE key <> composed(key);
        """,
        // Sessions of a market and facts of an operation are counted, so that nobody writes in somebody else's place.
        """
        ALTER TABLE scopes ADD COLUMN sessions INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE operations ADD COLUMN facts INTEGER NOT NULL DEFAULT 0;
        """,
        // Since then operations are written as in plans, which an older version does not read: what is there stays as it is.
        """
        PRAGMA user_version = 5;
        """,
        // What a create made stands in its entry, and need not stand in the journal too until the entry changes.
        """
        CREATE TABLE placed_operations (
            -- The run's number, and in the lower 32 bits the operation's: runs lie together without a further index.
            position INTEGER PRIMARY KEY,
            run INTEGER GENERATED ALWAYS AS (position >> 32) VIRTUAL,
            sequence INTEGER GENERATED ALWAYS AS (position & 4294967295) VIRTUAL,
            action TEXT NOT NULL,
            key TEXT NOT NULL,
            status TEXT NOT NULL,
            step TEXT,
            step_succeeded INTEGER NOT NULL DEFAULT 0,
            high_water INTEGER,
            created INTEGER,
            sent_at INTEGER,
            message TEXT,
            facts INTEGER NOT NULL DEFAULT 0,
            -- Whether the entry of the key has the values that were sent.
            told_by_entry INTEGER NOT NULL DEFAULT 0,
            payload TEXT NOT NULL
        ) STRICT;
        INSERT INTO placed_operations (position, action, key, status, step, step_succeeded, high_water, created, sent_at,
                message, facts, payload)
            SELECT run << 32 | sequence, action, key, status, step, step_succeeded, high_water, created, sent_at,
                message, facts, payload
            FROM operations ORDER BY run, sequence;
        DROP TABLE operations;
        ALTER TABLE placed_operations RENAME TO operations;
        CREATE INDEX operations_by_key ON operations (key);
        CREATE INDEX operations_open ON operations (position) WHERE status IN ('sent', 'advanced', 'unknown');

        CREATE TABLE placed_details (
            position INTEGER PRIMARY KEY,
            details TEXT NOT NULL
        ) STRICT;
        INSERT INTO placed_details SELECT run << 32 | sequence, details FROM details ORDER BY run, sequence;
        DROP TABLE details;
        ALTER TABLE placed_details RENAME TO details;

        -- What a create was to send, where no entry has it.
        CREATE TABLE contents (
            position INTEGER PRIMARY KEY,
            wanted TEXT NOT NULL,
            pictures TEXT
        ) STRICT;
        """,
        // What was allowed for a run against its policies: their names with blanks between, why, and by whom.
        """
        ALTER TABLE runs ADD COLUMN overrides TEXT;
        ALTER TABLE runs ADD COLUMN reason TEXT;
        ALTER TABLE runs ADD COLUMN approver TEXT;
        """,
    ])
}
