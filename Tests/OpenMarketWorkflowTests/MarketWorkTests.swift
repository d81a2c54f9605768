@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketFiles
@testable import OpenMarketTestSupport
import Synchronization
import Testing
@testable import OpenMarketWorkflow

/// Market and state are opened together, in the order in which nothing is done that is not wanted.
struct MarketWorkTests {
    private typealias Connection = LocalConnection<MarketTrustTests.Shelf>

    /// Counts calls that come from anywhere.
    private final class Counter: Sendable {
        private let count = Mutex(0)

        var value: Int { count.withLock { $0 } }

        func add() { count.withLock { $0 += 1 } }
    }

    private let state = MemoryState(name: "old.db")
    private let connection: Connection
    private let work: MarketWork<Connection>

    init() throws {
        let profile = try MarketTrustTests.profile()
        connection = Connection(MarketTrustTests.Shelf(profile))
        work = try MarketWork(connection, MarketSettings(url: "https://a.example", profile: profile), in: state)
    }

    private var digest: ContentDigest { work.target.profile.digest }

    /// Says the same to every question, and counts them.
    private func answering(_ answer: Bool, _ questions: Counter) -> DescriptionAcceptance {
        DescriptionAcceptance(said: nil) { _ in
            questions.add()
            return answer
        }
    }

    @Test func `a session runs as the connection and the market say`() async throws {
        var work = work
        work.configuration.sendsKeys = true
        let session = try await work.reading { session, market in
            #expect(market === connection.market)
            return session
        }
        #expect(session.scope == work.target.scope)
        // The market takes no keys, whatever the configuration says.
        #expect(session.configuration.parallelism == 3 && !session.configuration.sendsKeys)
        #expect(work.state.results == "/shop/.openmarket/runs")
    }

    @Test func `a description is asked about before the state is held, and not while it is`() async throws {
        let questions = Counter()
        let other = try await state.hold(work.target.scope, for: "apply", waiting: .zero)
        let error = await #expect(throws: StateError.self) {
            try await work.holding(for: "apply", accepting: answering(true, questions)) { _ in }
        }
        #expect(error?.code == .locked && questions.value == 1 && connection.opened.isEmpty)
        await other.close()
        #expect(state[work.target.scope].acceptedDescription == nil)
    }

    @Test func `what is answered is remembered although nothing was sent, and not asked again`() async throws {
        let questions = Counter()
        for _ in 0..<2 { try await work.holding(for: "apply", accepting: answering(true, questions)) { _ in } }
        try await work.holding(for: "pull") { _ in }
        #expect(questions.value == 1)
        #expect(state[work.target.scope].acceptedDescription == digest)
        #expect(connection.opened == [digest, digest, digest])
    }

    @Test func `a description that is declined makes no state`() async throws {
        await #expect(throws: CommandFailure(.failure, "the description of shelf was not accepted; no change was sent"))
        {
            try await work.holding(for: "apply", accepting: answering(false, Counter())) { _ in }
        }
        #expect(try await state.markets().isEmpty && connection.opened.isEmpty)
    }

    @Test func `without an answer the market is opened for reads alone`() async throws {
        try await work.holding(for: "pull") { _ in }
        #expect(connection.opened == [nil])
    }

    @Test func `each request of a plan is named with its operation, in the plan's order, but for what is refused`()
        async throws
    {
        func deletion(_ key: String, _ id: MarketID) -> PlannedOperation {
            let deletion = PlannedOperation.Deletion(id: id, live: ProductValues(name: "Fan"))
            return PlannedOperation(key: key, reason: "gone", work: .delete(deletion))
        }
        let forgotten = PlannedOperation(key: "lamp", reason: "gone", work: .forget(8, name: nil))
        let plan = Plan(operations: [deletion("fan", 7), forgotten, deletion("lid", 8), deletion("mug", 9)])
        let recovered = try await work.reading { session, _ in try await session.preview() }
        var planned = PlannedChanges(plan: plan, snapshot: recovered.snapshot, recovery: recovered)
        planned.refusals[2] = OperationRefusal(.stale, "it was changed")
        let requests = work.requests(of: planned).map { ($0.operation.key, $0.request.step) }
        #expect(requests.map(\.0) == ["fan", "mug"] && requests.map(\.1) == [.delete, .delete])
        #expect(planned.refused.map(\.key) == ["lid"] && planned.refused.map(\.error) == ["it was changed"])
        expectEnd(.stalePlan, "1 product moved since the plan was saved") { try planned.requireNoneRefused() }
    }

    @Test func `the page that replies name is reported while the state is held`() async throws {
        let pages = Mutex<[String]>([])
        var connection = connection
        connection.shopPage = "https://a.example/shop/"
        let work = MarketWork(
            target: work.target,
            client: connection,
            state: work.state,
            tool: "test"
        ) { event in
            if case .shopPage(let page) = event { pages.withLock { $0.append(page) } }
        }
        try await work.reading { _, _ in }
        #expect(pages.withLock(\.self).isEmpty)
        try await work.holding(for: "apply") { _ in }
        #expect(pages.withLock(\.self) == ["https://a.example/shop/"])
    }

    @Test func `a state that goes on elsewhere is not read`() async throws {
        try await work.holding(for: "pull") { session in
            let entry = StateEntry(key: "fan", id: 7, applied: ProductValues(name: "Fan"))
            try await session.requireHeld().apply([.put(entry)])
        }
        _ = try await StateCopy(from: state, to: MemoryState(name: "new.db")).run()
        let error = await #expect(throws: StateError.self) { try await work.reading { _, _ in } }
        #expect(error?.code == .moved && connection.opened.count == 1)
    }

    @Test func `an output that would replace an input is refused before anything is opened`() async throws {
        let folder = try TemporaryDirectory()
        let path = try folder.write("openmarket.yaml", "products: []\n")
        let register = FileRegister()
        try register.declare(path, named: "--out", as: .checkedByReader)
        register.note(path, as: .manifest)
        await FileRegister.$current.withValue(register) {
            await #expect(throws: FileConflict.self) { try await work.reading { _, _ in } }
            await #expect(throws: FileConflict.self) { try await work.holding(for: "apply") { _ in } }
        }
        #expect(connection.opened.isEmpty)
        #expect(try await state.markets().isEmpty)
    }
}
