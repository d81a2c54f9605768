import GRDB
@testable import OpenMarket
@testable import OpenMarketState
@testable import OpenMarketTestSupport

/// States of markets in an SQLite database in memory: the journal that ships, without a file and its lock.
///
/// A new session ends the one before. Each commit is a moment at which the process may die.
struct StateInMemory: StateBackend {
    private static let empty = Result {
        let database = try DatabaseQueue()
        try StateSchema.current.migrator.migrate(database)
        return database
    }

    let location = StateLocation("/nowhere/state.db")
    private let database: DatabaseQueue
    private let simulation: Simulation

    init(_ simulation: Simulation) throws {
        self.simulation = simulation
        database = try DatabaseQueue()
        try clear()
    }

    /// Loses all that it knows.
    func clear() throws { try Self.empty.get().backup(to: database) }

    private func beginSession(_ scope: MarketScope) throws -> (id: Int64, number: Int64?) {
        try database.write { try StateStore.beginSession($0, scope, StateFiles(location.revealed)) }
    }

    private func reader(_ scope: MarketScope) throws -> StateStore {
        store(scope, try database.read { try $0.scopeID(scope) }, number: nil)
    }

    private func store(_ scope: MarketScope, _ id: Int64?, number: Int64?) -> StateStore {
        StateStore(
            scope: scope,
            files: StateFiles(location.revealed),
            database: database,
            scopeID: id,
            lock: nil,
            number: number,
            clock: { [simulation] in simulation.wall }
        )
    }

    func markets() async throws -> [KnownMarket] { [] }

    // The database outlives its sessions, so nothing closes a store.
    func read(_ scope: MarketScope) async throws -> any StateReader {
        TamperedSession(inner: try reader(scope), isClosed: { false })
    }

    func hold(_ scope: MarketScope, for command: String, waiting timeout: Duration) async throws -> any StateSession {
        let (id, number) = try beginSession(scope)
        return TamperedSession(
            inner: store(scope, id, number: number),
            onCommit: { [simulation] isDone in
                if !isDone { simulation.log("commit") }
                guard simulation.survives() else { throw Crash() }
            },
            isClosed: { false }
        )
    }

    func unlock(_ scope: MarketScope, force: Bool) async throws -> String? { nil }
}
