import GRDB
import Synchronization

/// Lets writes that come together share one transaction, one after the other on the thread of the writing connection.
///
/// Most of what a small write costs is the transaction around it: the way to that thread and back, and the pages that it
/// changes, which are written once per transaction. So what arrives while one transaction runs goes into the next one.
final class SharedTransactions: Sendable {
    private typealias Work = @Sendable (Database) throws -> Void

    private struct Waiting {
        var work: Work
        var turn: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var waiting: [Waiting] = []
        var isRunning = false
    }

    private let pool: DatabasePool
    private let state = Mutex(State())

    init(_ pool: DatabasePool) {
        self.pool = pool
    }

    /// How many wait for the next transaction.
    var waiting: Int { state.withLock(\.waiting.count) }

    /// Does some work in a transaction that others may share.
    ///
    /// - Parameter work: done again, alone, where something else of its transaction failed.
    /// - Returns: what the work returns, once it is committed.
    /// - Throws: what the work throws, after its changes are undone.
    func write<Result: Sendable>(_ work: @escaping @Sendable (Database) throws -> Result) async throws -> Result {
        let result = Latest<Result>()
        try await withCheckedThrowingContinuation { turn in
            let isFirst = state.withLock { state in
                state.waiting.append(Waiting(work: { result.value = try work($0) }, turn: turn))
                defer { state.isRunning = true }
                return !state.isRunning
            }
            if isFirst { pool.asyncWriteWithoutTransaction { self.run(in: $0) } }
        }
        guard let value = result.value else { throw DatabaseError(message: "a transaction without its result") }
        return value
    }

    /// Runs transactions until no caller waits.
    private func run(in database: Database) {
        while true {
            let batch = state.withLock { state in
                defer { state.waiting = [] }
                state.isRunning = !state.waiting.isEmpty
                return state.waiting
            }
            guard !batch.isEmpty else { return }
            if batch.count == 1 || !commit(batch, in: database) {
                for member in batch {
                    do {
                        try transaction([member], in: database)
                        member.turn.resume()
                    } catch {
                        member.turn.resume(throwing: error)
                    }
                }
            }
        }
    }

    /// Whether all of a batch is committed; nothing of it is where it is not.
    private func commit(_ batch: [Waiting], in database: Database) -> Bool {
        do { try transaction(batch, in: database) } catch { return false }
        for member in batch { member.turn.resume() }
        return true
    }

    private func transaction(_ batch: [Waiting], in database: Database) throws {
        try database.inTransaction(.immediate) {
            for member in batch { try member.work(database) }
            return .commit
        }
    }

    /// The result of the last time that a work was done.
    private final class Latest<Value: Sendable>: Sendable {
        private let content = Mutex<Value?>(nil)

        var value: Value? {
            get { content.withLock { $0 } }
            set { content.withLock { $0 = newValue } }
        }
    }
}
