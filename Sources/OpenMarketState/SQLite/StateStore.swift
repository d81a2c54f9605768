import GRDB
import OpenMarket
import OpenMarketFiles
import Synchronization

/// The state of one market and the journal of its runs, in one SQLite file with one connection.
///
/// Every transaction is on disk when its call returns (`synchronous=FULL`). The file never holds a secret, only a
/// reference to it.
final class StateStore: Sendable {
    /// The market of this store; one file keeps any number of markets apart.
    let scope: MarketScope

    let files: StateFiles
    /// `nil` while there is no file: the state is empty.
    let database: DatabaseQueue?
    /// The market's row number; `nil` while the file lacks the market.
    let scopeID: Int64?
    /// Held until the store is closed; `nil` if the store is read-only.
    let lock: StateLock?
    /// This session's unfinished runs; their operations are not left over from an earlier run.
    let runningRuns = Mutex<Set<RunID>>([])
    let commits: GroupCommit
    /// The row numbers of runs with recorded facts.
    let runNumbers = Mutex<[RunID: Int64]>([:])
    let keptRuns: Int
    /// The session's number; `nil` if the store is read-only.
    let number: Int64?
    let clock: @Sendable () -> Timestamp
    /// The files as they were opened for writing.
    private let opened: [FileIdentity?]

    init(
        scope: MarketScope,
        files: StateFiles,
        database: DatabaseQueue?,
        scopeID: Int64?,
        lock: StateLock?,
        keptRuns: Int = StateFile.standardKeptRuns,
        number: Int64? = nil,
        clock: @escaping @Sendable () -> Timestamp = { StateLock.now }
    ) {
        self.scope = scope
        self.files = files
        self.database = database
        self.scopeID = scopeID
        self.lock = lock
        self.commits = GroupCommit()
        self.keptRuns = max(1, keptRuns)
        self.number = number
        self.clock = clock
        opened = files.identities
    }

    /// The file's path with symbolic links resolved.
    var location: StateLocation { files.location }

    var now: Timestamp { clock() }

    /// Closes the file, so that only the database stays in the folder, and releases the lock.
    func close() {
        closeFile()
        lock?.release()
    }

    /// Closes the file and leaves the lock to its owner.
    func closeFile() {
        // Everything written is on disk already.
        try? database?.close()
    }

    // MARK: - Access

    /// Reads; returns `empty` if there is no file.
    func read<Value>(_ empty: @autoclosure () -> Value, _ body: (Database, Int64) throws -> Value) throws -> Value {
        guard let database, let scopeID else { return empty() }
        do {
            return try database.read { try body($0, scopeID) }
        } catch {
            throw StateError(error, at: files)
        }
    }

    func write<Value>(_ body: (Database, Int64) throws -> Value) throws -> Value {
        let (database, scopeID) = try writable()
        do {
            let value = try database.write { db in
                try requireCurrent(db, scopeID)
                return try body(db, scopeID)
            }
            try requireInPlace()
            return value
        } catch {
            throw StateError(error, at: files)
        }
    }

    /// Writes in one transaction without blocking the caller's thread.
    ///
    /// It also completes if the calling task is cancelled: the second Ctrl-C must not lose a fact.
    func writeInBackground<Value: Sendable>(
        _ body: @escaping @Sendable (Database, Int64) throws -> Value
    ) async throws -> Value {
        let (database, scopeID) = try writable()
        // A database in memory waits for no disk.
        guard database.path != ":memory:" else { return try write(body) }
        return try await withCheckedThrowingContinuation { continuation in
            database.asyncWriteWithoutTransaction { db in
                let result = Result<Value, any Error> {
                    var value: Value?
                    try db.inTransaction(.immediate) {
                        try self.requireCurrent(db, scopeID)
                        value = try body(db, scopeID)
                        return .commit
                    }
                    try self.requireInPlace()
                    guard let value else { throw StateError(.io, "the transaction did not run") }
                    return value
                }
                continuation.resume(with: result.mapError { StateError($0, at: self.files) })
            }
        }
    }

    /// Checks that no other session has taken over, and numbers the commit; the lock does not work over some network
    /// shares.
    private func requireCurrent(_ db: Database, _ scope: Int64) throws {
        let newest = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT sessions FROM scopes WHERE id = ?"),
            arguments: [scope]
        )
        guard newest == number else { throw StateError.superseded(location, number ?? 0) }
        try db.numberCommit()
    }

    /// Checks after a commit that the written files are still at the state's path, before anything is sent because of
    /// it.
    private func requireInPlace() throws {
        guard files.identities != opened else { return }
        throw StateError(
            .io,
            "the state \(location) was moved, replaced or deleted while this session wrote it; move it back to its place "
                + "with all its files and run again, the next apply settles operations in flight"
        )
    }

    private func writable() throws -> (DatabaseQueue, Int64) {
        guard number != nil, let database, let scopeID else {
            throw readOnly
        }
        return (database, scopeID)
    }

    var readOnly: StateError { StateError(.readOnly, "the state \(location) was opened for reading only") }
}
