import GRDB
import OpenMarket
import OpenMarketFiles
import SystemPackage

extension StateStore {
    /// Opens a state to read it; where there is none, the store is empty and nothing is made.
    ///
    /// An older version's file is read through a migrated copy in memory; the file stays as it is.
    ///
    /// - Parameters:
    ///   - path: the state file, which need not exist.
    ///   - scope: the market.
    /// - Returns: a store that refuses to write.
    /// - Throws: ``StateError``.
    static func reading(_ path: String, scope: MarketScope) throws -> StateStore {
        try reading(path, scope: scope, schema: .current)
    }

    /// Opens a state to write it, made if it is not there.
    ///
    /// Finds a damaged, foreign or newer file, a folder that cannot be written and a full disk now, before any request.
    ///
    /// - Parameters:
    ///   - path: the state file.
    ///   - scope: the market.
    ///   - lock: the lock of this very file; the store holds it for as long as it lives.
    ///   - keptRuns: of how many runs the journal keeps the operations; at least 1.
    /// - Returns: a store that reads and writes.
    /// - Throws: ``StateError``.
    static func writing(
        _ path: String,
        scope: MarketScope,
        lock: StateLock,
        keptRuns: Int = StateFile.standardKeptRuns
    ) throws -> StateStore {
        try writing(path, scope: scope, lock: lock, schema: .current, keptRuns: keptRuns)
    }

    static func reading(_ path: String, scope: MarketScope, schema: StateSchema) throws -> StateStore {
        let files = StateFiles(path)
        guard let database = try openToRead(files, schema: schema) else {
            return StateStore(scope: scope, files: files, database: nil, scopeID: nil, lock: nil)
        }
        let scopeID = try explained(at: files) { try database.read { try $0.scopeID(scope) } }
        return StateStore(scope: scope, files: files, database: database, scopeID: scopeID, lock: nil)
    }

    /// Opens with a schema of one's own; `maximumPages` bounds the file, to meet a full disk on purpose.
    static func writing(
        _ path: String,
        scope: MarketScope,
        lock: StateLock,
        schema: StateSchema,
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
            // A log that was left means that the file was not closed.
            let wasClosed = try StateFiles.size(of: files.writeAheadLog) ?? 0 == 0
            let size = try StateFiles.size(of: files.path) ?? 0
            let database = try connection(files.path, maximumPages: maximumPages)
            try database.read { try check($0, files, schema: schema) }
            try database.read { try checkPages($0, files, all: !wasClosed || size <= wholeCheckLimit) }
            try migrate(database, files, schema: schema)
            try useWriteAheadLog(database)
            // A true write: shows a folder or disk that takes none before anything is sent.
            let (scopeID, number) = try database.write { db in
                let id = try db.scopeID(scope) ?? db.addScope(scope)
                let moved = try String.fetchOne(db, sql: "SELECT moved_to FROM scopes WHERE id = ?", arguments: [id])
                if let moved { throw StateError.moved(files.location, to: StateLocation(moved)) }
                try db.execute(sql: "UPDATE scopes SET sessions = sessions + 1 WHERE id = ?", arguments: [id])
                return (id, try Int64.fetchOne(db, sql: "SELECT sessions FROM scopes WHERE id = ?", arguments: [id]))
            }
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

    /// A file of this size is looked at page by page at every opening, in about a tenth of a second.
    private static let wholeCheckLimit = 16 << 20

    /// Finds damaged pages before anything is sent.
    ///
    /// Of a large file that was closed in good order only the products are looked at, which are read anyway: what the
    /// journal holds of runs that are over decides nothing.
    private static func checkPages(_ db: Database, _ files: StateFiles, all: Bool) throws {
        for argument in all ? ["1"] : ["scopes", "entries"] {
            let words = try String.fetchOne(db, sql: "PRAGMA quick_check(\(argument))") ?? "nothing"
            guard words == "ok" else { throw StateError.damaged(files, because: words) }
        }
    }

    /// Whether there is a state; what is there but cannot be one is an error, never taken for a new state.
    private static func exists(_ files: StateFiles) throws -> Bool {
        switch try StateFiles.size(of: files.path) {
        case .some(0):
            throw StateError.damaged(files, because: "it is empty")
        case .some:
            return true
        case nil:
            // A log without its file would be replayed into the new one.
            if let size = try StateFiles.size(of: files.writeAheadLog), size > 0 {
                throw StateError.damaged(files, because: "the file is gone, only \(files.writeAheadLog) is left")
            }
            return false
        }
    }

    // MARK: - Reading

    /// A connection that is only read; `nil` where there is no file.
    static func openToRead(_ files: StateFiles, schema: StateSchema) throws -> DatabaseQueue? {
        guard try exists(files) else { return nil }
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
            // Able to write, though it never does: the last one to close a log tidies it away.
            let database = try connection(files.path)
            try database.read { try check($0, files, schema: schema) }
            return database
        } catch let error as DatabaseError
            where error.resultCode == .SQLITE_CANTOPEN || error.resultCode == .SQLITE_READONLY
        {
            // A folder that cannot be written has no place for the log's index; without a log, none is needed.
            guard try StateFiles.size(of: files.writeAheadLog) ?? 0 == 0 else { throw error }
            let database = try connection(immutableURI(files.path), readonly: true)
            try database.read { try check($0, files, schema: schema) }
            return database
        }
    }

    private static func immutableURI(_ path: String) -> String {
        var uri = "file:"
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "%"): uri += "%25"
            case UInt8(ascii: "?"): uri += "%3f"
            case UInt8(ascii: "#"): uri += "%23"
            default: uri.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return uri + "?immutable=1"
    }

    // MARK: - Making and migrating

    /// Makes a state beside its place and moves it there whole: an empty file is damage, never a beginning.
    private static func create(_ files: StateFiles, schema: StateSchema) throws {
        try FileSystem.createFolder(files.folder, permissions: .ownerReadWriteExecute)
        try drafted(files.draft, as: files.path) { draft in
            let database = try connection(draft)
            try database.writeWithoutTransaction { db in
                // Before there is anything in it. A page ends with room that is too small for the next row: the larger
                // the pages, the less of it.
                try db.execute(sql: "PRAGMA page_size = 16384")
                // Pages that the journal needs no more go back to the disk.
                try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
            }
            try schema.migrator.migrate(database)
            try useWriteAheadLog(database)
            try database.close()
        }
    }

    /// Makes a file under another name and puts it in its place when it is whole; leaves nothing when that fails.
    private static func drafted(_ draft: String, as path: String, _ fill: (String) throws -> Void) throws {
        func clear() throws {
            for suffix in ["", "-journal", "-wal", "-shm"] { try FileSystem.remove(draft + suffix) }
        }
        // What a killed run left of its own draft.
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
            // The first fault is the one to report.
            try? clear()
            throw error
        }
    }

    /// Takes the steps that a file lacks, each after a copy of the whole file was put beside it.
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

    private static func connection(
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
            // Only macOS needs a pragma to wait for the disk itself.
            try db.execute(sql: "PRAGMA fullfsync = ON")
            try db.execute(sql: "PRAGMA trusted_schema = OFF")
            // The file holds no secret, and Debian's SQLite writes zeros over all that goes.
            try db.execute(sql: "PRAGMA secure_delete = OFF")
            if let maximumPages { try db.execute(sql: "PRAGMA max_page_count = \(maximumPages)") }
        }
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Refuses what is not a state, and one of a version that cannot be read.
    private static func check(_ db: Database, _ files: StateFiles, schema: StateSchema) throws {
        switch try Int32.fetchOne(db, sql: "PRAGMA application_id") {
        case StateSchema.applicationID: break
        case StateSchema.prereleaseApplicationID:
            throw StateError(
                .otherVersion,
                "the state \(files.path) was written by an openmarket from before the first release, which this one does "
                    + "not read; export it with that version (state export), move the file aside, and import the export"
            )
        default: throw StateError.damaged(files, because: "it is an SQLite file, but not an openmarket state")
        }
        let version = try db.stateVersion()
        guard version <= schema.version, try !schema.migrator.hasBeenSuperseded(db) else {
            throw StateError(
                .otherVersion,
                "the state \(files.path) has version \(version) and was written by a newer openmarket; this one reads up "
                    + "to version \(schema.version). Update it, or export the state with the version that wrote it "
                    + "(state export), move the file aside, and import the export"
            )
        }
    }

    static func explained<Value>(at files: StateFiles, _ body: () throws -> Value) throws -> Value {
        do { return try body() } catch { throw StateError(error, at: files) }
    }
}

extension Database {
    func stateVersion() throws -> Int {
        try Int.fetchOne(self, sql: "PRAGMA user_version") ?? 0
    }

    /// The market's row.
    func scopeID(_ scope: MarketScope) throws -> Int64? {
        try Int64.fetchOne(
            self,
            sql: "SELECT id FROM scopes WHERE url = ? AND profile = ? AND parameters = ? AND identifier = ?",
            arguments: arguments(scope)
        )
    }

    func addScope(_ scope: MarketScope) throws -> Int64 {
        try execute(
            sql: "INSERT INTO scopes (url, profile, parameters, identifier) VALUES (?, ?, ?, ?)",
            arguments: arguments(scope)
        )
        return lastInsertedRowID
    }

    private func arguments(_ scope: MarketScope) -> StatementArguments {
        [scope.url, scope.name, MarketParameters.text(scope.parameters), scope.identifier?.hexadecimal ?? ""]
    }
}
