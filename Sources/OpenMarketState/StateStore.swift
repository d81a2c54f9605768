import GRDB
public import OpenMarket
import Synchronization

/// The state of one market and the journal of its runs, in one SQLite file with one connection.
///
/// Every transaction is on the disk when its call returns (`synchronous=FULL`). The file never holds a secret, only
/// how to find one.
public final class StateStore: Sendable {
    /// The market that this store is about; one file keeps any number apart.
    public let scope: MarketScope

    let location: StateLocation
    /// `nil` while there is no file: the state is empty.
    let database: DatabaseQueue?
    /// The scope's row; `nil` while the file does not know the market.
    let scopeID: Int64?
    /// Held for as long as the store lives; `nil` for a store that only reads.
    package let lock: StateLock?
    /// Runs of ours that go on: their operations are not left over from anything.
    let runningRuns = Mutex<Set<RunID>>([])
    let commits: GroupCommit
    /// Of how many runs the journal keeps the operations.
    let keptRuns: Int

    /// Of how many runs the journal keeps the operations by default.
    public static let standardKeptRuns = 100

    init(
        scope: MarketScope,
        location: StateLocation,
        database: DatabaseQueue?,
        scopeID: Int64?,
        lock: StateLock?,
        keptRuns: Int = standardKeptRuns
    ) {
        self.scope = scope
        self.location = location
        self.database = database
        self.scopeID = scopeID
        self.lock = lock
        self.commits = GroupCommit()
        self.keptRuns = max(1, keptRuns)
    }

    /// The file's path, symbolic links resolved.
    public var place: String { location.path }

    /// Closes the file, so that nothing but the state itself stays in the folder; the lock stays with its owner.
    ///
    /// - Throws: ``StateError``.
    public func close() throws {
        do { try database?.close() } catch { throw StateError(error, at: location) }
    }

    // MARK: - Access

    /// Reads; `empty` where there is no file.
    func read<Value>(_ empty: @autoclosure () -> Value, _ body: (Database, Int64) throws -> Value) throws -> Value {
        guard let database, let scopeID else { return empty() }
        do {
            return try database.read { try body($0, scopeID) }
        } catch {
            throw StateError(error, at: location)
        }
    }

    /// Writes in one transaction.
    func write<Value>(_ body: (Database, Int64) throws -> Value) throws -> Value {
        let (database, scopeID) = try writable()
        do {
            return try database.write { try body($0, scopeID) }
        } catch {
            throw StateError(error, at: location)
        }
    }

    /// Writes in one transaction without blocking the caller's thread.
    ///
    /// Runs to its end also when the calling task is cancelled: the second Ctrl-C must not tear a fact that is true.
    func writeInBackground<Value: Sendable>(
        _ body: @escaping @Sendable (Database, Int64) throws -> Value
    ) async throws -> Value {
        let (database, scopeID) = try writable()
        let location = self.location
        return try await withCheckedThrowingContinuation { continuation in
            database.asyncWriteWithoutTransaction { db in
                let result = Result<Value, any Error> {
                    var value: Value?
                    try db.inTransaction(.immediate) {
                        value = try body(db, scopeID)
                        return .commit
                    }
                    guard let value else { throw StateError(.io, "the transaction did not run") }
                    return value
                }
                continuation.resume(with: result.mapError { StateError($0, at: location) })
            }
        }
    }

    private func writable() throws -> (DatabaseQueue, Int64) {
        guard lock != nil, let database, let scopeID else {
            throw StateError(.readOnly, "the state \(location.path) was opened for reading only")
        }
        return (database, scopeID)
    }

    // MARK: - Seams for tests

    /// The value of a pragma of the connection.
    package func pragma(_ name: String) throws -> String? {
        try database?.read { try String.fetchOne($0, sql: "PRAGMA \(name)") }
    }
}
