@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import Synchronization
import Testing

/// What can be seen of a run from outside it.
struct RunWatchTests {
    private static let scope = MarketScope(url: "http://market", profile: .v2b, identifier: nil)

    /// A wall clock that is constant until it is moved on.
    private final class Time: Sendable {
        private let seconds = Mutex<Int64>(0)

        var now: Timestamp { Timestamp(milliseconds: seconds.withLock { $0 } * 1000) }

        func pass(_ count: Int64) { seconds.withLock { $0 += count } }
    }

    /// A clock on which no time passes: something happens instead.
    private final class StepClock: Clock, Sendable {
        private let steps = Mutex(0)
        private let step: @Sendable (Int) async throws -> Void

        init(_ step: @escaping @Sendable (Int) async throws -> Void) { self.step = step }

        var now: ContinuousClock.Instant { .now }
        var minimumResolution: Duration { .zero }

        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
            try await step(
                steps.withLock { steps in
                    defer { steps += 1 }
                    return steps
                }
            )
        }
    }

    /// A state in which a session begins runs of so many deletes.
    private struct Shop: Sendable {
        let time = Time()
        let state: MemoryState
        let session: any StateSession

        init() async throws {
            let time = time
            state = MemoryState(sharesRuns: true) { time.now }
            session = try await state.hold(scope, for: "apply", waiting: .zero)
        }

        func begin(_ name: String, _ count: Int) async throws {
            let operations = (0..<count).map { number in
                PlannedOperation(
                    key: "key-\(number)",
                    reason: "gone",
                    source: nil,
                    secret: nil,
                    work: .delete(PlannedOperation.Deletion(id: 9, live: ProductValues(name: "Chair")))
                )
            }
            let record = RunRecord(id: RunID(rawValue: name), manifest: nil, tool: "1")
            let chunks = [RunChunk(phase: 0, sequences: Array(0..<count))]
            try await session.begin(record, operations: operations, chunks: chunks)
        }

        func end(_ sequences: Range<Int>, of run: String, _ fact: JournalEvent.Fact = .failed("no")) async throws {
            for sequence in sequences {
                let event = JournalEvent(run: RunID(rawValue: run), sequence: sequence, number: 1, fact: fact)
                _ = try await session.record(event)
            }
        }

        func finish(_ run: String) async throws {
            try await session.finish(RunID(rawValue: run), totals: RunTotals(), interrupted: false)
        }
    }

    private static func underWay(_ status: RunStatus) throws -> (run: RunUnderWay, pace: RunPace?) {
        guard case .underWay(let run, let pace) = status else { throw IsOver(status: status) }
        return (run, pace)
    }

    private struct IsOver: Error {
        var status: RunStatus
    }

    @Test func `the pace is the run's at the first look, and that of the last half minute later`() async throws {
        let shop = try await Shop()
        var watch = try await RunWatch(shop.state.read(Self.scope))
        #expect(try await watch.look() == .none)
        try await shop.begin("r", 1000)
        #expect(try await Self.underWay(watch.look()).pace == nil, "no time has passed")

        watch = try await RunWatch(shop.state.read(Self.scope))
        shop.time.pass(10)
        try await shop.end(0..<100, of: "r")
        try await shop.end(100..<101, of: "r", .sent(.delete, highWater: nil))
        let first = try await Self.underWay(watch.look())
        #expect(first.run.ended == 100, "what is under way is not over")
        #expect(first.pace == RunPace(perSecond: 10, left: .seconds(90)))
        shop.time.pass(30)
        try await shop.end(200..<260, of: "r")
        let second = try await Self.underWay(watch.look())
        #expect(second.pace == RunPace(perSecond: 2, left: .seconds(420)))
        shop.time.pass(30)
        #expect(try await Self.underWay(watch.look()).pace == RunPace(perSecond: 0, left: nil), "nothing moves")
    }

    @Test func `a watch ends with the run that it saw first, whatever begins since`() async throws {
        let shop = try await Shop()
        try await shop.begin("first", 2)
        var watch = try await RunWatch(shop.state.read(Self.scope))
        #expect(try await Self.underWay(watch.look()).run.record.id.rawValue == "first")
        try await shop.end(0..<2, of: "first")
        try await shop.finish("first")
        try await shop.begin("second", 2)
        guard case .ended(let summary) = try await watch.look() else { throw IsOver(status: .none) }
        #expect(summary.record.id.rawValue == "first")
        #expect(summary.totals.failed == 2)
        var other = try await RunWatch(shop.state.read(Self.scope))
        #expect(try await Self.underWay(other.look()).run.record.id.rawValue == "second")
        await shop.session.close()
        guard case .ended(let killed) = try await other.look() else { throw IsOver(status: .none) }
        #expect(killed.record.id.rawValue == "second" && killed.finishedAt == nil)
    }

    @Test func `history takes a run that goes on neither for one that was killed nor for one that ended`() async throws
    {
        let shop = try await Shop()
        try await shop.begin("first", 1)
        try await shop.end(0..<1, of: "first")
        try await shop.finish("first")
        try await shop.begin("second", 2)
        try await shop.end(0..<1, of: "second", .sent(.delete, highWater: nil))
        func history() async throws -> [RunHistory] {
            try await shop.state.read(Self.scope).history(of: nil, in: nil, limit: 9)
        }
        let during = try await history()
        #expect(during.map(\.summary.record.id.rawValue) == ["second", "first"])
        #expect(during.map(\.isUnderWay) == [true, false])
        #expect(during[0].operations.map(\.isOpen) == [true, true])
        let documents = RunHistory.document(during)["runs"]?.elements ?? []
        #expect(documents.map { $0["under_way"] } == [.bool(true), nil])
        await shop.session.close()
        #expect(try await history().map(\.isUnderWay) == [false, false])
    }

    @Test func `history names the product or the run that it does not know`() async throws {
        let shop = try await Shop()
        let state = try await shop.state.read(Self.scope)
        #expect(try await state.history(of: nil, in: nil, limit: 9).isEmpty)
        try await shop.begin("r", 1)
        #expect(try await state.history(of: "key-0", in: RunID(rawValue: "r"), limit: 9).count == 1)
        await #expect(throws: CommandFailure.notInJournal("no run touched a product 'sofa'")) {
            _ = try await state.history(of: "sofa", in: RunID(rawValue: "r"), limit: 9)
        }
        let error = await #expect(throws: CommandFailure.self) {
            _ = try await state.history(of: nil, in: RunID(rawValue: "yesterday"), limit: 9)
        }
        #expect(error?.status == .failure && error?.description == "run 'yesterday' is not in the journal")
    }

    @Test func `following shows each look, the end last`() async throws {
        let shop = try await Shop()
        try await shop.begin("r", 3)
        var watch = try await RunWatch(shop.state.read(Self.scope))
        var seen: [RunStatus] = []
        let clock = StepClock { step in
            try await shop.end(step..<step + 1, of: "r")
            if step == 2 { try await shop.finish("r") }
        }
        try await watch.follow(every: .seconds(2), on: clock) { seen.append($0) }
        #expect(seen.count == 4)
        #expect(try seen.prefix(3).map { try Self.underWay($0).run.ended } == [0, 1, 2])
        guard case .ended(let summary)? = seen.last else { throw IsOver(status: .none) }
        #expect(summary.totals.failed == 3)
    }

    @Test func `a run as JSON says who takes part in it`() async throws {
        let shop = try await Shop()
        shop.time.pass(1)
        try await shop.begin("r", 4)
        _ = try #require(try await shop.state.join(Self.scope, for: "work"))
        shop.time.pass(2)
        try await shop.end(0..<1, of: "r")
        var watch = try await RunWatch(shop.state.read(Self.scope))
        let status = try await watch.look()
        let document = String(decoding: status.document(of: Self.scope).bytes(), as: UTF8.self)
        #expect(
            document == """
                {"format_version":1,"market":{"url":"http://market","profile":"v2b"},"under_way":true,"run":"r",\
                "started_at":"1970-01-01T00:00:01.000Z","seen_at":"1970-01-01T00:00:03.000Z","operation_count":4,\
                "totals":{"done":0,"failed":1,"stale":0,"skipped":0,"unknown":0},"per_second":0.5,"left_ms":6000,\
                "sessions":[{"session":1,"host":"memory","process":0,"command":"apply",\
                "started_at":"1970-01-01T00:00:01.000Z"},{"session":2,"host":"memory","process":0,"command":"work",\
                "started_at":"1970-01-01T00:00:01.000Z"}]}
                """
        )
    }
}
