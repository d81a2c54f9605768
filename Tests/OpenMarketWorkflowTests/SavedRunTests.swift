@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketFiles
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketWorkflow

/// What keeps a saved plan from being carried out is found in one order, and before the market is opened.
struct SavedRunTests {
    private typealias Shelf = MarketTrustTests.Shelf

    private static let delete = PlannedOperation(
        key: "fan",
        reason: "not in the manifest any more",
        work: .delete(PlannedOperation.Deletion(id: 7, live: ProductValues(name: "Fan")))
    )

    private let settings: MarketSettings
    private let connection: LocalConnection<Shelf>

    init() throws {
        let profile = try MarketTrustTests.profile()
        settings = MarketSettings(url: "https://a.example", profile: profile)
        connection = LocalConnection(Shelf(profile))
    }

    private func work(_ state: MemoryState, secret: Bool = true) throws -> MarketWork<LocalConnection<Shelf>> {
        var settings = settings
        if secret { settings.secret = ResolvedSecret(reference: .environment("KEY"), value: Secret("s")) }
        return try MarketWork(connection, settings, in: state)
    }

    /// A state that knows the product.
    private func filledState() async throws -> MemoryState {
        let state = MemoryState()
        try await state.holding(MarketTarget(settings).scope, for: "test") { held in
            try await held.apply([.put(StateEntry(key: "fan", id: 7, applied: ProductValues(name: "Fan")))])
        }
        return state
    }

    /// A plan that was made from a manifest and a state.
    private func saved(
        from manifest: String = "/shop/openmarket.yaml",
        _ state: MemoryState,
        _ plan: Plan = Plan(operations: [delete])
    ) async throws -> SavedPlan {
        let manifest = Manifest(
            market: settings,
            policies: Policies(),
            listings: [],
            files: [manifest],
            digest: .zero
        )
        return try await work(state).reading { session, _ in
            let recovered = try await session.preview()
            let planned = PlannedChanges(plan: plan, snapshot: recovered.snapshot, recovery: recovered)
            return try await session.saved(planned, manifest)
        }
    }

    @Test func `a plan that was not approved is refused before its state is looked at`() async throws {
        let saved = try await saved(filledState())
        let elsewhere = MemoryState(name: "elsewhere")
        await #expect(throws: CommandFailure.unexpectedPlan(saved.contentDigest, expected: .zero)) {
            try await work(elsewhere).previewing(saved, expecting: .zero) { _, _ in }
        }
        await expectAsyncEnd(.stalePlan, "a state with 1 product, which \(elsewhere.location) lacks") {
            try await work(elsewhere).previewing(saved, expecting: saved.contentDigest) { _, _ in }
        }
    }

    @Test func `an output in the place of an input is found before missing credentials, and both before anything`()
        async throws
    {
        let folder = try TemporaryDirectory()
        let manifest = try folder.write("openmarket.yaml", "products: []\n")
        let state = try await filledState()
        let (saved, work) = (try await saved(from: manifest, state), try work(state, secret: false))
        let opened = connection.opened.count
        let register = FileRegister()
        try register.declare(manifest, named: "the result", as: .checkedByReader)
        await FileRegister.$current.withValue(register) {
            await #expect(throws: FileConflict.self) { _ = try await work.apply(saved) }
            await #expect(throws: FileConflict.self) { try await work.previewing(saved) { _, _ in } }
        }
        await expectAsyncEnd(.invalidInput, "no credentials to write with: secret not set") {
            _ = try await work.apply(saved)
        }
        await expectAsyncEnd(.invalidInput, "no credentials to write with: secret not set") {
            try await work.previewing(saved) { _, _ in }
        }
        #expect(connection.opened.count == opened)
    }

    @Test func `what passes is carried out once it was shown`() async throws {
        let state = try await filledState()
        let plan = try await saved(state)
        let work = try work(state)
        try await work.previewing(plan, expecting: plan.contentDigest) { planned, market in
            #expect(market === connection.market && planned.refused.isEmpty && planned.plan == plan.plan)
        }
        var terms = RunTerms()
        terms.content = plan.contentDigest
        terms.acceptance = DescriptionAcceptance(said: nil) { _ in true }
        let applied = try await work.apply(plan, on: terms) { session in
            #expect(session.scope.url == "https://a.example")
            #expect(connection.market.requests.isEmpty)
        }
        #expect(applied.result?.isComplete == true && applied.remaining == nil)
        #expect(connection.market.requests.map(\.step) == [.delete])
    }

    @Test func `nothing is deleted or recorded for a key that means another product since the plan`() async throws {
        let (state, scope) = (try await filledState(), try MarketTarget(settings).scope)
        var plan = Plan(operations: [Self.delete])
        plan.stateUpdates = [.put(StateEntry(key: "fan", id: 7, applied: ProductValues(name: "Fan", stock: 5)))]
        let saved = try await saved(state, plan)
        let other = StateEntry(key: "fan", id: 8, applied: ProductValues(name: "Fan"))
        try await state.holding(scope, for: "test") { try await $0.apply([.put(other)]) }
        var terms = RunTerms()
        terms.acceptance = DescriptionAcceptance(said: nil) { _ in true }
        let applied = try await work(state).apply(saved, on: terms)
        #expect(applied.result?.operations.map(\.status) == [.stale] && connection.market.requests.isEmpty)
        #expect(state[scope].snapshot.entries["fan"] == other)
    }

    @Test func `what planning again finds is a failure, and an apply that was not verified is not`() async throws {
        let run = RunID(rawValue: "r")
        var applied = AppliedRun(run: run, result: nil, unresolved: [])
        try applied.requireNothingLeft()
        let state = MemoryState()
        applied.remaining = try await work(state).reading { session, _ in
            let recovered = try await session.preview()
            return PlannedChanges(plan: Plan(), snapshot: recovered.snapshot, recovery: recovered)
        }
        try applied.requireNothingLeft()
        applied.remaining?.plan = Plan(operations: [Self.delete])
        #expect(throws: CommandFailure(.partialFailure, "the market differs from the manifest")) {
            try applied.requireNothingLeft()
        }
    }
}
