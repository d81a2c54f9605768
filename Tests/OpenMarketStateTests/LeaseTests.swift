@testable import OpenMarket
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import Testing
@testable import OpenMarketState

/// Sessions that end without being closed, and backends that say stop.
struct LeaseTests {
    @Test func `a session is valid for as long as it is used, and its place is taken when it is not`() async throws {
        let time = TestTime()
        let state = MemoryState(lifetime: .seconds(10)) { time.now }
        let first = try await state.hold(Samples.staging, for: "apply", waiting: .zero)
        try await first.begin(Samples.run("r"), operations: [Samples.operation(.create, "a")])
        #expect(try await first.lease == StateLease(number: 1, deadline: Timestamp(milliseconds: 11_000)))
        time.set(10_000)
        #expect(try await first.record(event(1, .sent(.create, highWater: nil))) == .proceed)
        #expect(try await first.lease.deadline == Timestamp(milliseconds: 20_000))

        time.set(20_000)
        #expect(try await first.record(event(2, .unknown(.create, "lost"))) != .proceed, "written, and to be stopped")
        #expect(try await first.operations(of: run).map(\.status) == [.unknown])

        let second = try await state.hold(Samples.staging, for: "apply", waiting: .zero)
        #expect(try await second.lease.number == 2)
        await expectSuperseded { _ = try await first.record(event(3, .succeeded(1))) }
        await expectSuperseded { try await first.apply([.put(Samples.lamp)]) }
        await expectSuperseded { _ = try await first.lease }
        await first.close()
        #expect(try await second.unresolved().map(\.facts) == [2])
        #expect(try await second.record(event(3, .failed("never happened"))) == .proceed, "closing took nothing away")
    }

    @Test func `a session that is dead can be removed, a valid one cannot`() async throws {
        let time = TestTime()
        let state = MemoryState(lifetime: .seconds(10)) { time.now }
        _ = try await state.hold(Samples.staging, for: "apply", waiting: .zero)
        await #expect(throws: StateError.self) { _ = try await state.unlock(Samples.staging, force: false) }
        time.set(11_000)
        #expect(try await state.unlock(Samples.staging, force: false) == "session 1, apply")
        #expect(try await state.unlock(Samples.staging, force: false) == nil)
    }

    @Test func `what a lost session of a run left unknown is settled by another one`() async throws {
        let time = TestTime()
        let state = MemoryState(lifetime: .seconds(10), sharesRuns: true) { time.now }
        let first = try await state.hold(Samples.staging, for: "apply", waiting: .zero)
        let operations = ["a", "b"].map { Samples.operation(.create, $0) }
        try await first.begin(
            Samples.run("r"),
            operations: operations,
            chunks: [RunChunk(phase: 1, sequences: [0]), RunChunk(phase: 2, sequences: [1])]
        )
        let second = try #require(try await state.join(Samples.staging, for: "work"))
        #expect(try await second.claim().chunk?.number == 0)
        _ = try await second.record(event(1, .sent(.create, highWater: 41)))
        _ = try await second.record(event(2, .unknown(.create, "lost")))
        try await second.finish(0, as: .known)
        time.set(10_000)
        #expect(try await first.claim().chunk?.number == 1, "its session settles it")
        try await first.finish(1, as: .final)
        #expect(try await first.claim().chunk == nil)
        time.set(15_000)
        let taken = try #require(try await first.claim().chunk)
        #expect((taken.number, taken.phase, taken.isTakenOver) == (0, 1, true))
        #expect(taken.operations.map(\.unresolved?.highWater) == [41])
        try await first.finish(0, as: .known)
        #expect(try await first.claim().chunk == nil)

        // Who leaves a run has tried.
        let third = try #require(try await state.join(Samples.staging, for: "work"))
        try await first.finish(run, totals: RunTotals(), interrupted: false)
        #expect(try await third.claim().chunk == nil)
    }

    @Test func `a run that is ordered to stop still writes down what becomes of it`() async throws {
        let state = MemoryState()
        try await state.holding(Samples.staging, for: "apply") { (session) async throws in
            try await session.begin(Samples.run("r"), operations: [Samples.operation(.create, "a")])
            state.order(stop: "maintenance")
            #expect(try await session.record(event(1, .sent(.create, highWater: nil))) == .stop("maintenance"))
            #expect(try await session.record(event(2, .failed("not sent"))) == .stop("maintenance"))
            #expect(try await session.operations(of: run).map(\.status) == [.failed])
        }
    }

    @Test func `a file whose lock did not reach another machine is written by the newer session only`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/state.db"
        let first = try await open(path)
        // The other machine's kernel knows of no lock.
        let second = try await open(path, lock: first.lock)
        #expect(try first.lease == StateLease(number: 1, deadline: nil))
        #expect(try second.lease == StateLease(number: 2, deadline: nil))
        try await second.begin(Samples.run("r"), operations: [Samples.operation(.create, "a")])
        await expectSuperseded { _ = try await first.record(event(1, .sent(.create, highWater: nil))) }
        await expectSuperseded { try first.apply([.put(Samples.lamp)]) }
        #expect(try await second.record(event(1, .sent(.create, highWater: nil))) == .proceed)
        #expect(try await second.entries().isEmpty)
    }
}

private let run = RunID(rawValue: "r")

private func event(_ number: Int, _ fact: JournalEvent.Fact) -> JournalEvent {
    JournalEvent(run: run, sequence: 0, number: number, fact: fact)
}

private func expectSuperseded(
    sourceLocation: Testing.SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
) async {
    let error = await #expect(throws: StateError.self, sourceLocation: sourceLocation) { try await body() }
    #expect(error?.code == .superseded, sourceLocation: sourceLocation)
}

extension RunClaim {
    fileprivate var chunk: ClaimedChunk? { if case .chunk(let chunk) = self { chunk } else { nil } }
}
