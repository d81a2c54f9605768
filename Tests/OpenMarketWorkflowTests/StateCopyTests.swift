@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import Synchronization
import Testing

/// Moving a state to another place, interrupted at each of its commits.
struct StateCopyTests {
    private static let scopes = ["http://a.example", "http://b.example"].map {
        MarketScope(url: $0, profile: .v2b, identifier: nil)
    }

    private static let run = RunID(rawValue: "r")

    /// A state that knows two markets: products, a run, and an operation whose outcome is not known.
    private static func filled(onCommit: @escaping MemoryState.Commit = { _, _ in }) async throws -> MemoryState {
        let state = MemoryState(name: "old.db", wallTime: { Timestamp(milliseconds: 1000) }, onCommit: onCommit)
        for scope in scopes {
            try await state.holding(scope, for: "apply") { (session) async throws in
                let entry = StateEntry(key: "lamp", id: 7, applied: ProductValues(name: "Lamp"))
                try await session.apply([.put(entry), .vendor(29)])
                let gone = PlannedOperation(
                    key: "chair",
                    reason: "gone",
                    source: nil,
                    secret: nil,
                    work: .delete(PlannedOperation.Deletion(id: 9, live: ProductValues(name: "Chair")))
                )
                try await session.begin(RunRecord(id: run, manifest: nil, tool: "1"), operations: [gone])
                let sent = JournalEvent.Fact.sent(.delete, highWater: nil)
                _ = try await session.record(JournalEvent(run: run, sequence: 0, number: 1, fact: sent))
            }
        }
        return state
    }

    @Test func `products, runs and what is unresolved move, and the old state says where they are`() async throws {
        let old = try await Self.filled()
        let new = MemoryState(name: "new.db")
        let moved = try await StateCopy(from: old, to: new).run()
        #expect(moved.map(\.scope) == Self.scopes)
        #expect(moved.map(\.products) == [1, 1])
        #expect(moved.map(\.runs) == [1, 1])
        #expect(moved.map(\.unresolved) == [1, 1])
        for scope in Self.scopes {
            let error = await #expect(throws: StateError.self) {
                _ = try await old.hold(scope, for: "apply", waiting: .zero)
            }
            #expect(error?.code == .moved)
            #expect(error?.message == "the state old.db was copied to new.db and is no longer used")
            try await new.holding(scope, for: "apply") { (session) async throws in
                #expect(try await session.entry("lamp")?.id == 7)
                #expect(try await session.unresolved().map(\.sentAt) == [Timestamp(milliseconds: 1000)])
            }
        }
        #expect(try await StateCopy(from: old, to: new).run().isEmpty, "nothing is left to move")
        let other = MemoryState(name: "third.db")
        await Self.fails(.moved) { _ = try await StateCopy(from: old, to: other).run() }
    }

    @Test func `an interrupted move leaves each market whole in one place or alike in both, and goes on`() async throws
    {
        struct Killed: Error {}
        // Each market is written to twice: once there, once here.
        for point in 0..<4 {
            let left = Mutex<Int?>(nil)
            let kill: MemoryState.Commit = { isDone, _ in
                let isNow = left.withLock { left in
                    guard !isDone, let count = left else { return false }
                    left = count - 1
                    return count == 0
                }
                if isNow { throw Killed() }
            }
            let old = try await Self.filled(onCommit: kill)
            let new = MemoryState(name: "new.db", wallTime: { .now }, onCommit: kill)
            left.withLock { $0 = point }
            await #expect(throws: Killed.self) { _ = try await StateCopy(from: old, to: new).run() }
            left.withLock { $0 = nil }
            _ = try await StateCopy(from: old, to: new).run()
            for scope in Self.scopes {
                #expect(try await new.reading(scope) { try await $0.snapshot().entries.count } == 1)
                #expect(try await new.reading(scope) { try await $0.unresolved().count } == 1)
                #expect(try await old.reading(scope) { try await $0.movedTo() } == new.location)
            }
        }
    }

    @Test func `nothing is moved over what another state knows, from nowhere, or to itself`() async throws {
        let old = try await Self.filled()
        let other = MemoryState(name: "other.db")
        try await other.holding(Self.scopes[0], for: "apply") {
            try await $0.apply([.put(StateEntry(key: "cup", id: 3, applied: ProductValues(name: "Cup")))])
        }
        await Self.fails(.conflict) { _ = try await StateCopy(from: old, to: other).run() }
        await Self.fails(.conflict) { _ = try await StateCopy(from: old, to: old).run() }
        await Self.fails(.missing) { _ = try await StateCopy(from: MemoryState(name: "none.db"), to: other).run() }
        #expect(try await old.reading(Self.scopes[0]) { try await $0.movedTo() } == nil)
    }

    private static func fails(
        _ code: StateError.Code,
        sourceLocation: Testing.SourceLocation = #_sourceLocation,
        _ body: () async throws -> Void
    ) async {
        let error = await #expect(throws: StateError.self, sourceLocation: sourceLocation) { try await body() }
        #expect(error?.code == code, sourceLocation: sourceLocation)
    }
}
