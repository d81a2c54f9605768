import GRDB
import OpenMarket
import Synchronization

/// The state of one market and the journal of its runs, in one SQLite file with one connection.
///
/// Every transaction is on the disk when its call returns (`synchronous=FULL`). The file never holds a secret, only
/// how to find one.
final class StateStore: Sendable {
    /// The market that this store is about; one file keeps any number apart.
    let scope: MarketScope

    let files: StateFiles
    /// `nil` while there is no file: the state is empty.
    let database: DatabaseQueue?
    /// The scope's row; `nil` while the file does not know the market.
    let scopeID: Int64?
    /// Held for as long as the store lives; `nil` for a store that only reads.
    let lock: StateLock?
    /// Runs of ours that go on: their operations are not left over from anything.
    let runningRuns = Mutex<Set<RunID>>([])
    let commits: GroupCommit
    /// The rows of runs that facts were written about.
    let runNumbers = Mutex<[RunID: Int64]>([:])
    /// Of how many runs the journal keeps the operations.
    let keptRuns: Int
    /// The session's number; `nil` for a store that only reads.
    let number: Int64?
    let clock: @Sendable () -> Timestamp

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
    }

    /// The file's path, symbolic links resolved.
    var location: StateLocation { files.location }

    /// Whether there is a file.
    var exists: Bool { database != nil }

    /// The time of this machine.
    var now: Timestamp { clock() }

    /// Closes the file, so that nothing but the state itself stays in the folder, and releases the lock.
    func close() {
        closeFile()
        lock?.release()
    }

    /// Closes the file; the lock stays with its owner.
    func closeFile() {
        // All that was written is on the disk already.
        try? database?.close()
    }

    // MARK: - Access

    /// Reads; `empty` where there is no file.
    func read<Value>(_ empty: @autoclosure () -> Value, _ body: (Database, Int64) throws -> Value) throws -> Value {
        guard let database, let scopeID else { return empty() }
        do {
            return try database.read { try body($0, scopeID) }
        } catch {
            throw StateError(error, at: files)
        }
    }

    /// Writes in one transaction.
    func write<Value>(_ body: (Database, Int64) throws -> Value) throws -> Value {
        let (database, scopeID) = try writable()
        do {
            return try database.write { db in
                try requireCurrent(db, scopeID)
                return try body(db, scopeID)
            }
        } catch {
            throw StateError(error, at: files)
        }
    }

    /// Writes in one transaction without blocking the caller's thread.
    ///
    /// Runs to its end also when the calling task is cancelled: the second Ctrl-C must not tear a fact that is true.
    func writeInBackground<Value: Sendable>(
        _ body: @escaping @Sendable (Database, Int64) throws -> Value
    ) async throws -> Value {
        let (database, scopeID) = try writable()
        return try await withCheckedThrowingContinuation { continuation in
            database.asyncWriteWithoutTransaction { db in
                let result = Result<Value, any Error> {
                    var value: Value?
                    try db.inTransaction(.immediate) {
                        try self.requireCurrent(db, scopeID)
                        value = try body(db, scopeID)
                        return .commit
                    }
                    guard let value else { throw StateError(.io, "the transaction did not run") }
                    return value
                }
                continuation.resume(with: result.mapError { StateError($0, at: self.files) })
            }
        }
    }

    /// Checks that no other session has taken this one's place: over some network shares the lock does not reach.
    private func requireCurrent(_ db: Database, _ scope: Int64) throws {
        let newest = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT sessions FROM scopes WHERE id = ?"),
            arguments: [scope]
        )
        guard newest == number else { throw StateError.superseded(location, number ?? 0) }
    }

    private func writable() throws -> (DatabaseQueue, Int64) {
        guard lock != nil, let database, let scopeID else {
            throw readOnly
        }
        return (database, scopeID)
    }

    var readOnly: StateError { StateError(.readOnly, "the state \(location) was opened for reading only") }

    // MARK: - Seams for tests

    /// The value of a pragma of the connection.
    func pragma(_ name: String) throws -> String? {
        try database?.read { try String.fetchOne($0, sql: "PRAGMA \(name)") }
    }
}
