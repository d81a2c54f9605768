import GRDB
import OpenMarket
import OpenMarketFiles
import SystemPackage

extension StateStore {
    /// Opens a state for reading; if there is none, the store is empty and no file is created.
    ///
    /// A file of an older version is read through a migrated copy in memory and stays unchanged. The store refuses to
    /// write. The error is a ``StateError``.
    static func reading(_ path: String, scope: MarketScope, schema: StateSchema = .current) throws -> StateStore {
        let files = StateFiles(path)
        guard let database = try openToRead(files, schema: schema) else {
            return StateStore(scope: scope, files: files, database: nil, scopeID: nil, lock: nil)
        }
        let scopeID = try explained(at: files) { try database.read { try $0.scopeID(scope) } }
        return StateStore(scope: scope, files: files, database: database, scopeID: scopeID, lock: nil)
    }

    /// Opens a state for writing; creates it if it does not exist.
    ///
    /// Detects a damaged, foreign or newer file, a read-only folder and a full disk now, before any request. The lock
    /// must be the one of this file; the store holds it until it is closed. The journal keeps the operations of
    /// `keptRuns` runs, at least 1. `maximumPages` limits the file, to simulate a full disk. The error is a
    /// ``StateError``.
    static func writing(
        _ path: String,
        scope: MarketScope,
        lock: StateLock,
        schema: StateSchema = .current,
        maximumPages: Int? = nil,
        keptRuns: Int = StateFile.standardKeptRuns,
        clock: @escaping @Sendable () -> Timestamp = { StateLock.now }
    ) throws -> StateStore {
        let files = StateFiles(path)
        guard lock.files == files, lock.isHeld else {
            throw StateError(.locked, "cannot write the state \(files.path) without holding its lock")
        }
        return try explained(at: files) {
            if try !exists(files) { try create(files, schema: schema) }
            try FileSystem.openPrivate(files.path).close()
            // A remaining log means that the file was not closed.
            let wasClosed = try StateFiles.size(of: files.writeAheadLog) ?? 0 == 0
            let size = try StateFiles.size(of: files.path) ?? 0
            let database = try connection(files.path, maximumPages: maximumPages)
            try database.read { try check($0, files, schema: schema) }
            try database.read { try checkPages($0, files, all: !wasClosed || size <= wholeCheckLimit) }
            try migrate(database, files, schema: schema)
            try useWriteAheadLog(database)
            // A real write detects a read-only folder or a full disk before anything is sent.
            let (scopeID, number) = try database.write { try beginSession($0, scope, files) }
            return StateStore(
                scope: scope,
                files: files,
                database: database,
                scopeID: scopeID,
                lock: lock,
                keptRuns: keptRuns,
                number: number,
                clock: clock
            )
        }
    }

    /// Returns the market's row number and the number of its new session.
    static func beginSession(_ db: Database, _ scope: MarketScope, _ files: StateFiles) throws -> (Int64, Int64?) {
        let id = try db.scopeID(scope) ?? db.addScope(scope)
        let moved = try String.fetchOne(db, sql: "SELECT moved_to FROM scopes WHERE id = ?", arguments: [id])
        if let moved { throw StateError.moved(files.location, to: StateLocation(moved)) }
        try db.execute(sql: "UPDATE scopes SET sessions = sessions + 1 WHERE id = ?", arguments: [id])
        try db.numberCommit()
        return (id, try Int64.fetchOne(db, sql: "SELECT sessions FROM scopes WHERE id = ?", arguments: [id]))
    }

    /// Files up to this size are checked completely at every opening, which takes about a tenth of a second.
    private static let wholeCheckLimit = 16 << 20

    /// Finds damaged pages before anything is sent.
    ///
    /// In a larger file that was closed cleanly only the products are checked, which are read anyway. Journal rows of
    /// finished runs are irrelevant.
    private static func checkPages(_ db: Database, _ files: StateFiles, all: Bool) throws {
        for argument in all ? ["1"] : ["scopes", "entries"] {
            let words = try String.fetchOne(db, sql: "PRAGMA quick_check(\(argument))") ?? "nothing"
            guard words == "ok" else { throw StateError.damaged(files.location, because: words) }
        }
    }

    /// Whether there is a state; a file that cannot be one is an error, and is never overwritten by a new state.
    private static func exists(_ files: StateFiles) throws -> Bool {
        try files.requireOneName()
        switch try StateFiles.size(of: files.path) {
        case .some(0):
            throw StateError.damaged(files.location, because: "it is empty")
        case .some:
            try requireOwnLog(files)
            return true
        case nil:
            // A log without its file would be replayed into the new one.
            if let size = try StateFiles.size(of: files.writeAheadLog), size > 0 {
                let reason = "the file is gone, only \(files.writeAheadLog) is left"
                throw StateError.damaged(files.location, because: reason)
            }
            return false
        }
    }

    // MARK: - Reading

    /// A connection for reading; `nil` if there is no file.
    static func openToRead(_ files: StateFiles, schema: StateSchema) throws -> DatabaseQueue? {
        guard try explained(at: files, { try exists(files) }) else { return nil }
        return try explained(at: files) {
            let database = try openChecked(files, schema: schema)
            let version = try database.read { try $0.stateVersion() }
            guard version < schema.version else { return database }
            let copy = try DatabaseQueue()
            try database.backup(to: copy)
            try database.close()
            try schema.migrator.migrate(copy)
            return copy
        }
    }

    private static func openChecked(_ files: StateFiles, schema: StateSchema) throws -> DatabaseQueue {
        do {
            // The connection could write but never does: the last one to close a log must be able to remove it.
            let database = try connection(files.path)
            try database.read { try check($0, files, schema: schema) }
            return database
        } catch let error as DatabaseError
            where error.resultCode == .SQLITE_CANTOPEN || error.resultCode == .SQLITE_READONLY
        {
            // In a read-only folder the log's index cannot be created; without a log, none is needed.
            guard try StateFiles.size(of: files.writeAheadLog) ?? 0 == 0 else { throw error }
            let database = try connection(immutableURI(files.path), readonly: true)
            try database.read { try check($0, files, schema: schema) }
            return database
        }
    }

    static func immutableURI(_ path: String) -> String {
        "file:" + path.percentEncoded { !"%?#".utf8.contains($0) } + "?immutable=1"
    }

    // MARK: - Creating and migrating

    /// Creates a state under a temporary name and moves it once it is complete, because an empty file counts as
    /// damaged.
    private static func create(_ files: StateFiles, schema: StateSchema) throws {
        try FileSystem.createFolder(files.folder, permissions: .ownerReadWriteExecute)
        try drafted(files.draft, as: files.path) { draft in
            let database = try connection(draft)
            try database.writeWithoutTransaction { db in
                // This must precede all content. Each page ends with space too small for the next row; larger pages
                // waste less.
                try db.execute(sql: "PRAGMA page_size = 16384")
                // Pages that the journal no longer needs return to the disk.
                try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
            }
            try schema.migrator.migrate(database)
            try useWriteAheadLog(database)
            try database.close()
        }
    }

    /// Creates a file under a temporary name and moves it once it is complete; removes it if that fails.
    private static func drafted(_ draft: String, as path: String, _ fill: (String) throws -> Void) throws {
        func clear() throws {
            for suffix in ["", "-journal", "-wal", "-shm"] { try FileSystem.remove(draft + suffix) }
        }
        // Removes the draft of a killed run.
        try clear()
        do {
            try FileSystem.openPrivate(draft).close()
            try fill(draft)
            try FileError.explaining(.write, draft) {
                let file = try FileSystem.openPrivate(draft)
                try file.closeAfter { try file.synchronize() }
            }
            try FileError.explaining(.create, path) { try FileSystem.move(draft, to: path) }
        } catch {
            // The first error is the one to report.
            try? clear()
            throw error
        }
    }

    /// Runs the missing migration steps, each after a backup of the whole file.
    private static func migrate(_ database: DatabaseQueue, _ files: StateFiles, schema: StateSchema) throws {
        let found = try database.read { try $0.stateVersion() }
        guard found < schema.version else { return }
        for version in (found + 1)...schema.version {
            let backup = files.backup(beforeVersion: version)
            try drafted(backup + ".new", as: backup) { draft in
                try database.writeWithoutTransaction { try $0.execute(sql: "VACUUM INTO ?", arguments: [draft]) }
            }
            try schema.migrator.migrate(database, upTo: StateSchema.name(version))
        }
    }

    private static func useWriteAheadLog(_ database: DatabaseQueue) throws {
        let mode = try database.writeWithoutTransaction { try String.fetchOne($0, sql: "PRAGMA journal_mode = WAL") }
        guard mode == "wal" else {
            throw DatabaseError(resultCode: .SQLITE_IOERR, message: "its folder cannot hold a write-ahead log")
        }
    }

    // MARK: - Connections

    static func connection(
        _ path: String,
        readonly: Bool = false,
        maximumPages: Int? = nil
    ) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = "openmarket.state"
        configuration.readonly = readonly
        configuration.busyMode = .timeout(10)
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA synchronous = FULL")
            // Only macOS needs a pragma to flush the disk's own cache.
            try db.execute(sql: "PRAGMA fullfsync = ON")
            try db.execute(sql: "PRAGMA trusted_schema = OFF")
            // The file holds no secret, and Debian's SQLite overwrites all deleted data with zeros.
            try db.execute(sql: "PRAGMA secure_delete = OFF")
            if let maximumPages { try db.execute(sql: "PRAGMA max_page_count = \(maximumPages)") }
        }
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Refuses a file that is not a state, or whose version is unreadable.
    private static func check(_ db: Database, _ files: StateFiles, schema: StateSchema) throws {
        let application = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        guard application == StateSchema.applicationID else {
            throw StateError.damaged(files.location, because: "it is an SQLite file, but not an openmarket state")
        }
        let version = try db.stateVersion()
        guard version <= schema.version, try !schema.migrator.hasBeenSuperseded(db) else {
            throw StateError.newer(files.location, version, reads: schema.version)
        }
    }

    static func explained<Value>(at files: StateFiles, _ body: () throws -> Value) throws -> Value {
        do { return try body() } catch { throw StateError(error, at: files) }
    }
}

extension Database {
    func stateVersion() throws -> Int {
        try (Int.fetchOne(self, sql: "PRAGMA user_version") ?? 0) & 0xFF
    }

    func scopeID(_ scope: MarketScope) throws -> Int64? {
        try Int64.fetchOne(
            self,
            sql: "SELECT id FROM scopes WHERE (\(KnownMarket.columns)) = (?, ?, ?, ?)",
            arguments: StatementArguments(scope.columns)
        )
    }

    func addScope(_ scope: MarketScope) throws -> Int64 {
        try execute(
            sql: "INSERT INTO scopes (\(KnownMarket.columns)) VALUES (?, ?, ?, ?)",
            arguments: StatementArguments(scope.columns)
        )
        return lastInsertedRowID
    }
}
