@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import Testing

/// A delete whose reply was lost is done when its product is proved to be gone, and not before.
struct LostDeleteTests {
    private static let listings: [Listing] = [
        .with(key: "stays", name: "Desk lamp", price: 100, pictures: [1]),
        .with(key: "goes", name: "Old phone", price: 200, pictures: [2]),
        .with(key: "goes-too", name: "Old radio", price: 300, pictures: [3]),
    ]

    @Test(arguments: MarketProfile.builtIns)
    func `no crash makes a deleted product one that is missing: built-in markets`(profile: MarketProfile) async throws {
        try await crashEverywhere { ApplySimulation(seed: $0, profile: profile) }
    }

    @Test(arguments: IdentityGrade.allCases)
    func `no crash makes a deleted product one that is missing: described markets`(grade: IdentityGrade) async throws {
        var drawn = DrawnDescription()
        drawn.repeatHours = grade == .a ? 1 : nil
        drawn.uniqueness = grade == .b ? .enforced : grade == .c ? .racy : nil
        drawn.ids = grade == .d ? .rising : .texts
        let profile = try drawn.profile()
        #expect(MarketDescription(of: profile).grade == grade)
        try await crashEverywhere { ApplySimulation(seed: $0, profile: profile, sendsKeys: drawn.isKeyed) }
    }

    /// One run that deletes two products, killed at each of its moments in turn, and once more while the next run settles.
    private func crashEverywhere(_ makeShop: (UInt64) -> ApplySimulation) async throws {
        var moment = 0
        var isDone = false
        var settled: Set<String> = []
        while !isDone {
            // The few threads are shared with tests that wait for answers.
            await Task.yield()
            moment += 1
            let shop = makeShop(UInt64(moment))
            let crashAt = moment
            isDone = try shop.simulation.scheduler.run {
                _ = try await shop.apply(Self.listings, run: 0, configuration: shop.configuration())
                try await shop.simulation.clock.sleep(for: .seconds(10))
                shop.simulation.restart(crashAt: crashAt)
                do {
                    _ = try await shop.apply([Self.listings[0]], run: 1, configuration: shop.configuration())
                    return true
                } catch is Crash {}
                return false
            }
            let outcomes = try shop.simulation.scheduler.run {
                shop.simulation.restart()
                // A plan that looks says what apply does; at once, so it may still see what goes in this moment.
                _ = try await shop.preview()
                let resolution = try await shop.settle()
                #expect(resolution.snapshot.entries == shop.snapshot.entries, "crash at \(crashAt)")
                let present = Set(shop.market.ours.map(\.id))
                let missing = resolution.snapshot.entries.values.filter { !present.contains($0.id) }.map(\.key)
                #expect(missing.isEmpty, "crash at \(crashAt)")
                // Nothing of it is in the journal any more, as after another crash.
                let (plan, _, _) = try await shop.plan([Self.listings[0]], shop.preview())
                #expect(plan.refusals.isEmpty, "crash at \(crashAt)")
                _ = try await shop.apply([Self.listings[0]], run: 2, configuration: shop.configuration())
                return resolution.settled.map(\.outcome)
            }
            settled.formUnion(outcomes)
            let failure = try shop.simulation.scheduler.run { try await shop.difference(from: [Self.listings[0]]) }
            #expect(failure == nil, "crash at \(crashAt)")
        }
        #expect(moment > 10)
        #expect(settled == ["it is gone", "planned again"])
    }

    @Test func `a product that is hidden for a moment keeps its entry`() throws {
        let shop = ApplySimulation(seed: 3, profile: .v1b)
        try shop.simulation.scheduler.run {
            _ = try await shop.apply(Self.listings, run: 0, configuration: shop.configuration())
            try await shop.simulation.clock.sleep(for: .seconds(10))
            let id = try #require(shop.snapshot.entries["goes"]?.id)
            try await leaveOpen(delete: "goes", in: shop)
            // The request never arrived, and while the next run waits a colleague writes to the product: v1 hides it.
            async let resolution = shop.settle()
            try await shop.simulation.clock.sleep(for: .milliseconds(4900))
            shop.market.hide(id, for: .seconds(2))
            #expect(try await resolution.settled.map(\.outcome) == ["planned again"])
            #expect(shop.snapshot.entries["goes"]?.id == id)
        }
    }

    @Test func `a product that is listed keeps its entry, whatever its detail answers`() throws {
        let shop = ApplySimulation(seed: 4, profile: .v2b)
        try shop.simulation.scheduler.run {
            _ = try await shop.apply(Self.listings, run: 0, configuration: shop.configuration())
            let id = try #require(shop.snapshot.entries["goes"]?.id)
            try await leaveOpen(delete: "goes", in: shop)
            shop.market.deny(id)
            let resolution = try await shop.settle()
            #expect(resolution.settled.map(\.outcome) == ["planned again"])
            #expect(shop.snapshot.entries["goes"]?.id == id)
        }
    }

    @Test func `a key that means another product by now keeps it`() throws {
        let shop = ApplySimulation(seed: 5, profile: .v2b)
        try shop.simulation.scheduler.run {
            _ = try await shop.apply(Self.listings, run: 0, configuration: shop.configuration())
            let ids = shop.snapshot.entries.mapValues(\.id)
            try await leaveOpen(delete: "goes", in: shop)
            shop.market.remove(try #require(ids["goes"]))
            var other = try #require(shop.snapshot.entries["goes"])
            other.id = MarketID(4711)
            try await shop.state.holding(shop.scope, for: "test") { try await $0.apply([.put(other)]) }
            let resolution = try await shop.settle()
            #expect(resolution.settled.map(\.outcome) == ["it is gone"])
            #expect(shop.snapshot.entries["goes"]?.id == MarketID(4711))
        }
    }

    /// Sends a delete that neither arrives nor is answered.
    private func leaveOpen(delete key: String, in shop: ApplySimulation) async throws {
        let rest = Self.listings.filter { $0.key != key }
        let configuration = shop.configuration()
        let attempt: [WriteOutcome] =
            (shop.capabilities.deletesInTwoSteps ? [.succeeded(WriteReply(deleteKey: "key"))] : [])
            + [.uncertain(WriteTrouble("connection reset"))]
        shop.market.script((0..<configuration.maximumAttempts).flatMap { _ in attempt })
        _ = try await shop.apply(rest, run: 1, configuration: configuration)
        shop.market.script([])
        let open = try await shop.state.reading(shop.scope) { try await $0.unresolved() }
        #expect(open.map(\.operation.key) == [key])
        #expect(shop.market.ours.count == Self.listings.count)
    }
}
