@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import Testing

/// Replaces that a killed run left between the new product and the old one.
struct UnfinishedReplaceTests {
    private static let lamp = Listing.with(key: "lamp", name: "Desk lamp", price: 100, pictures: [1])
    private static let mug = Listing.with(key: "mug", name: "Mug", price: 200, pictures: [2])

    private static func shop(_ change: (inout DrawnDescription) -> Void) throws -> ApplySimulation {
        var drawn = DrawnDescription()
        change(&drawn)
        return ApplySimulation(profile: try drawn.profile())
    }

    /// Lists the products, and begins to replace the lamp: the market has the new one, and the run is killed.
    ///
    /// The new one has the pictures by then. The facts are what the run wrote down behind the create that left.
    private static func begin(
        in shop: ApplySimulation,
        pictures: [PictureIdentity]? = [.digest(.picture(1))],
        facts: (_ new: MarketID, _ entry: StateEntry) -> [(JournalEvent.Fact, [StateMutation])] = { _, _ in [] }
    ) async throws -> (old: MarketID, new: MarketID) {
        _ = try await shop.apply([lamp, mug], run: 1, configuration: shop.configuration())
        // Until everything shows.
        try await shop.simulation.clock.sleep(for: .seconds(10))
        var entry = try #require(shop.snapshot.entries["lamp"])
        let old = entry.id
        let plan = try await shop.plan([lamp, mug], shop.preview(), replaced: KeyPatterns(["lamp"])).plan
        #expect(plan.operations.map(\.action) == [.replace])
        let highWater = shop.market.ours.map(\.id).max(by: MarketID.precedes)
        var values = lamp.values
        values.images = pictures
        let new = shop.market.add(values, isOurs: true)
        entry.id = new
        let record = RunRecord(id: RunID(rawValue: "killed"), manifest: nil, tool: "test")
        try await shop.state.holding(shop.scope, for: "test") { [entry] session in
            try await session.begin(record, operations: plan.operations)
            let all = [(JournalEvent.Fact.sent(.create, highWater: highWater), [])] + facts(new, entry)
            for (number, (fact, mutations)) in all.enumerated() {
                _ = try await session.record(
                    JournalEvent(run: record.id, sequence: 0, number: number + 1, fact: fact, mutations: mutations)
                )
            }
        }
        return (old, new)
    }

    @Test func `a new product without its pictures does not take the old one's place`() throws {
        let shop = try Self.shop {
            $0.style = .attach
            $0.changesPicturesInPlace = false
        }
        try shop.simulation.scheduler.run { () async throws in
            let (old, new) = try await Self.begin(in: shop, pictures: nil)
            let resolution = try await shop.settle()
            #expect(resolution.pendingDeletes.map(\.operation.id) == [new])
            #expect(resolution.blockedKeys == ["lamp"])
            #expect(shop.facts(RunID(rawValue: "killed"), 0).last == .advanced(.create, created: new))
            _ = try await shop.apply([Self.lamp, Self.mug], run: 2, configuration: shop.configuration())
            #expect(shop.snapshot.entries["lamp"]?.id == old)
            #expect(shop.market.ours.map(\.id).contains(old))
            #expect(!shop.market.ours.map(\.id).contains(new))
            #expect(try await shop.state.reading(shop.scope) { try await $0.unresolved() } == [])
        }
    }

    @Test func `a new product has the key at once, and the old one is owed until it is gone`() throws {
        let shop = try Self.shop { $0.changesPicturesInPlace = false }
        try shop.simulation.scheduler.run { () async throws in
            let (old, new) = try await Self.begin(in: shop)
            #expect(try await shop.settle().pendingDeletes.map(\.operation.id) == [old])
            #expect(shop.snapshot.entries["lamp"]?.id == new)
            #expect(shop.facts(RunID(rawValue: "killed"), 0).last == .advanced(.create, created: new))
            func open() async throws -> [String] {
                try await shop.state.reading(shop.scope) { try await $0.unresolved() }.map(\.operation.key)
            }
            shop.market.script([.refused(WriteRefusal(.other, status: 400, message: "not now"))])
            _ = try await shop.apply([Self.lamp, Self.mug], run: 2, configuration: shop.configuration())
            #expect(try await open() == ["lamp"])
            _ = try await shop.apply([Self.lamp, Self.mug], run: 3, configuration: shop.configuration())
            #expect(try await open() == [])
            #expect(!shop.market.ours.map(\.id).contains(old))
        }
    }

    enum Hidden: CaseIterable {
        /// The new product, which is not as it was sent.
        case new
        /// The old product, after another person wrote to it.
        case old
    }

    @Test(arguments: Hidden.allCases)
    func `a product that the market hides for a moment is not taken for gone`(hidden: Hidden) throws {
        let shop = try Self.shop {
            $0.readAfterWrite = 2
            $0.changesPicturesInPlace = false
        }
        try shop.simulation.scheduler.run { () async throws in
            let (old, new) = try await Self.begin(in: shop) { new, entry in
                [(.advanced(.create, created: new), hidden == .old ? [.put(entry)] : [])]
            }
            // What was killed long ago has had its time.
            try await shop.simulation.clock.sleep(for: .seconds(100))
            let owed = hidden == .old ? old : new
            shop.market.hide(owed, for: .seconds(1))
            #expect(try await shop.settle().pendingDeletes.map(\.operation.id) == [owed])
        }
    }

    @Test func `a run that leaves the old product is not complete`() throws {
        let shop = ApplySimulation(seed: 7, profile: .v2b)
        var changed = Self.mug
        changed.values.price = 250
        let wanted = Manifest([Self.lamp, changed], shop.profile)
        try shop.simulation.scheduler.run { () async throws in
            _ = try await shop.apply([Self.lamp, Self.mug], run: 0, configuration: shop.configuration())
            let saved = try await shop.state.reading(shop.scope) { reader in
                let session = Session(
                    market: shop.market,
                    reading: reader,
                    tool: "test",
                    environment: shop.simulation.environment
                )
                return try await session.saved(session.plan(wanted), wanted)
            }
            #expect(saved.plan.operations.map(\.key) == ["mug"])
            let (old, _) = try await Self.begin(in: shop) { new, entry in
                [(.advanced(.create, created: new), [.put(entry)])]
            }
            try await shop.state.holding(shop.scope, for: "test") { held in
                let session = shop.session(held, ExecutorConfiguration())
                let elsewhere = try await session.apply(saved)
                #expect(elsewhere.unresolved.map(\.operation.operation.key) == ["lamp"])
                var others = PlannerOptions()
                others.filter = KeyFilter(targets: ["mug"])
                let filtered = try await session.apply(wanted, options: others)
                #expect(filtered.unresolved.map(\.operation.operation.key) == ["lamp"])
                #expect(shop.market.ours.map(\.id).contains(old))
                let all = try await session.apply(wanted)
                #expect(all.unresolved.isEmpty)
                #expect(!shop.market.ours.map(\.id).contains(old))
            }
        }
    }
}
