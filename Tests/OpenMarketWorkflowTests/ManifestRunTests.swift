@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Synchronization
import Testing
@testable import OpenMarketWorkflow

/// What keeps the plan of a manifest from being carried out is found in one order, and the user is asked last.
struct ManifestRunTests {
    private struct Declined: Error {}

    /// A manifest, and what it is applied with.
    private struct Run {
        let manifest: Manifest
        let work: MarketWork<LocalConnection<StandInMarket>>
        let options: PlannerOptions
        let content: ContentDigest?

        func apply(
            ask: (() throws -> Void)? = nil,
            review: (SavedPlan, Session) async throws -> Void = { _, _ in }
        ) async throws -> AppliedRun {
            var terms = RunTerms()
            terms.content = content
            return try await work.apply(manifest, options: options, on: terms, ask: ask, review: review)
        }

        func previewing(
            review: (PlannedChanges) throws -> Void,
            _ body: (PlannedChanges, StandInMarket) async throws -> Void
        ) async throws {
            try await work.previewing(manifest, options: options, expecting: content, review: review, body)
        }
    }

    private let stall = StandInMarket(
        list: [LiveProduct(id: 7, vendorID: 1, name: "Fan", price: 1000, currency: .krw, stock: 5)]
    )
    private let state = MemoryState()

    /// A manifest without products, on a market with one that the state knows: it is deleted.
    private func run(
        secret: Bool = true,
        allowing limit: Policies.Bound = .count(1),
        expecting content: ContentDigest? = nil
    ) async throws -> Run {
        var settings = MarketSettings(url: "https://a.example", profile: .v2b)
        settings.identifier = ResolvedSecret(reference: .environment("ID"), value: Secret("me"))
        settings.secret = ResolvedSecret(reference: .environment("KEY"), value: Secret(secret ? "s" : ""))
        let target = try MarketTarget(settings)
        let fan = StateEntry(key: "fan", id: 7, applied: stall.list[0].values, origin: "-")
        try await state.holding(target.scope, for: "test") { try await $0.apply([.put(fan)]) }
        var options = PlannerOptions()
        options.policies.maximumDelete = limit
        options.allowsEmptyManifest = true
        return Run(
            manifest: Manifest(
                market: settings,
                policies: options.policies,
                listings: [],
                files: ["<stdin>"],
                digest: .zero
            ),
            work: try MarketWork(LocalConnection(stall), settings, in: state),
            options: options,
            content: content
        )
    }

    /// Carries out, and shows, without anything being sent; both fail for the same reason.
    private func refused(_ run: Run, _ reason: CommandFailure) async {
        let shown = Mutex(0)
        await #expect(throws: reason) {
            _ = try await run.apply(ask: { Issue.record("asked") }) { _, _ in shown.withLock { $0 += 1 } }
        }
        await #expect(throws: reason) {
            try await run.previewing { _ in
                shown.withLock { $0 += 1 }
            } _: { _, _ in
                Issue.record("described")
            }
        }
        #expect(shown.withLock(\.self) == 2 && stall.requests.isEmpty)
    }

    @Test func `the plan is shown, then it is sound, then the approved one, then there is something to write with`()
        async throws
    {
        try await refused(run(secret: false, allowing: .count(0), expecting: .zero), CommandFailure.unsoundPlan)
        try await run().previewing(review: { #expect($0.plan.isSound) }) { planned, market in
            #expect(planned.plan.operations.map(\.action) == [.delete] && market === stall)
        }
        let digest = Mutex(ContentDigest.zero)
        await #expect(throws: Declined.self) {
            _ = try await run().apply(review: { saved, _ in
                digest.withLock { $0 = saved.contentDigest }
                throw Declined()
            })
        }
        let approved = digest.withLock(\.self)
        try await refused(
            run(secret: false, expecting: .zero),
            CommandFailure.unexpectedPlan(approved, expected: .zero)
        )
        try await refused(
            run(secret: false, expecting: approved),
            CommandFailure(.invalidInput, "the environment variable KEY is not set")
        )
    }

    @Test func `the user is asked last, and nothing is sent where that is declined`() async throws {
        await #expect(throws: Declined.self) { _ = try await run().apply(ask: { throw Declined() }) }
        #expect(stall.requests.isEmpty)
        let applied = try await run().apply(ask: {})
        #expect(applied.result?.totals.failed == 1 && applied.remaining == nil)
        #expect(stall.requests.map(\.step) == [.deleteKey])
    }
}
