import GRDB
import OpenMarket

/// The tables of a state file, as migration steps from an empty file to the current version.
///
/// A released step never changes. The lowest byte of `user_version` is the number of steps applied to the file; the
/// higher bytes are the number of its last commit.
struct StateSchema: Sendable {
    /// The SQL of each step; the first creates version 1.
    var steps: [String]

    var version: Int { steps.count }

    /// The application id in SQLite's header: "OPMS".
    static let applicationID: Int32 = 0x4F50_4D53

    /// The statuses of operations with an unknown outcome, spelled as in the index `operations_open`.
    static let unresolvedStatuses = "'sent', 'advanced', 'unknown'"

    var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for (index, sql) in steps.enumerated() {
            migrator.registerMigration(Self.name(index + 1)) { db in
                try db.execute(sql: sql)
                try db.execute(sql: "PRAGMA application_id = \(Self.applicationID)")
                try db.execute(sql: "PRAGMA user_version = \(db.commitNumber() << 8 | index + 1)")
            }
        }
        return migrator
    }

    static func name(_ version: Int) -> String { "v\(version)" }

    /// The schema that this version of the tool reads and writes.
    ///
    /// Product ids are `ANY`, because some markets have text ids.
    static let current = StateSchema(steps: [
        """
        CREATE TABLE scopes (
            id INTEGER PRIMARY KEY,
            url TEXT NOT NULL,
            -- The name that the market's description gives it.
            profile TEXT NOT NULL,
            -- The description's parameters, as a JSON object by name; empty without parameters.
            parameters TEXT NOT NULL,
            -- Empty if the market lacks identifiers: NULLs would not be unique.
            identifier TEXT NOT NULL,
            vendor INTEGER,
            -- How often the market's state was opened to be changed, so that a second writer is noticed.
            sessions INTEGER NOT NULL DEFAULT 0,
            -- The SHA-256 of the market's description that was accepted; NULL for a built-in one.
            accepted TEXT,
            -- The new location of a copied market's state; NULL if it continues here.
            moved_to TEXT,
            UNIQUE (url, profile, parameters, identifier)
        ) STRICT;

        CREATE TABLE entries (
            scope INTEGER NOT NULL REFERENCES scopes,
            key TEXT NOT NULL,
            id ANY NOT NULL,
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
            -- The values that a market shows instead of the applied ones, as a JSON object by field; NULL for nearly
            -- all products.
            shown TEXT,
            -- The file that listed the product when it was last applied; NULL if it is unknown.
            origin TEXT,
            UNIQUE (scope, key)
        ) STRICT;

        CREATE TABLE runs (
            number INTEGER PRIMARY KEY,
            scope INTEGER NOT NULL REFERENCES scopes,
            id TEXT NOT NULL UNIQUE,
            started_at INTEGER NOT NULL,
            manifest TEXT,
            -- The SHA-256 of the market's description; NULL for a built-in one.
            description TEXT,
            tool TEXT NOT NULL,
            -- The overrides of its policies: their names with blanks between, the reason, and the approver.
            overrides TEXT,
            reason TEXT,
            approver TEXT,
            -- Who decided about its plan, how many operations were left out for it, and the SHA-256 of the decisions'
            -- file.
            decided_by TEXT,
            rejected INTEGER,
            decisions TEXT,
            finished_at INTEGER,
            interrupted INTEGER NOT NULL DEFAULT 0,
            done INTEGER NOT NULL DEFAULT 0,
            failed INTEGER NOT NULL DEFAULT 0,
            stale INTEGER NOT NULL DEFAULT 0,
            skipped INTEGER NOT NULL DEFAULT 0,
            unknown INTEGER NOT NULL DEFAULT 0
        ) STRICT;

        CREATE TABLE operations (
            -- The run's number, and in the lower 32 bits the operation's: runs are stored together without a further
            -- index.
            position INTEGER PRIMARY KEY,
            run INTEGER GENERATED ALWAYS AS (position >> 32) VIRTUAL,
            sequence INTEGER GENERATED ALWAYS AS (position & 4294967295) VIRTUAL,
            action TEXT NOT NULL,
            key TEXT NOT NULL,
            status TEXT NOT NULL,
            step TEXT,
            high_water ANY,
            created ANY,
            -- The product named in a reply to a create, which could not be accepted as the new one.
            answered ANY,
            sent_at INTEGER,
            message TEXT,
            -- How many facts were written of it, so that a second writer is noticed.
            facts INTEGER NOT NULL DEFAULT 0,
            -- Whether the entry of the key has the values that were sent.
            described_by_entry INTEGER NOT NULL DEFAULT 0,
            -- Last, so that a scan over the rest does not read it.
            payload TEXT NOT NULL
        ) STRICT;
        CREATE INDEX operations_by_key ON operations (key);
        CREATE INDEX operations_open ON operations (position) WHERE status IN ('sent', 'advanced', 'unknown');

        -- What only the settling of an operation needs, until it is over. A table of its own: pages are free again when
        -- rows leave, not when they shrink.
        CREATE TABLE details (
            position INTEGER PRIMARY KEY,
            details TEXT NOT NULL
        ) STRICT;

        -- The values to send in a create, if no entry has them.
        CREATE TABLE contents (
            position INTEGER PRIMARY KEY,
            wanted TEXT NOT NULL,
            pictures TEXT
        ) STRICT;

        -- The data that a later run needs to send a create again as the same request.
        CREATE TABLE imprints (
            position INTEGER PRIMARY KEY,
            repeat_key TEXT,
            -- The SHA-256 of the request's body.
            body_digest TEXT,
            -- The names of uploaded pictures, as a JSON array.
            picture_references TEXT,
            -- When a request of this repeat key first left.
            sent_at INTEGER NOT NULL
        ) STRICT;
        """
    ])
}
