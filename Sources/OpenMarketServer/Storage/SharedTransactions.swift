import GRDB
import Synchronization

/// Lets concurrent writes share one transaction, one after the other on the thread of the writing connection.
///
/// Most of the cost of a small write is its transaction: the switch to that thread and back, and the changed pages,
/// which are written once per transaction. So writes that arrive during one transaction go into the next.
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

    var waiting: Int { state.withLock(\.waiting.count) }

    /// Runs work in a transaction that others may share; returns its result after the commit.
    ///
    /// The work runs again, alone, if other work of the same transaction failed. If the work throws, its changes are
    /// undone.
    func write<Result: Sendable>(_ work: @escaping @Sendable (Database) throws -> Result) async throws -> Result {
        let result = Box<Result?>(nil)
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

    /// Whether the whole batch is committed; otherwise none of it is.
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
}
