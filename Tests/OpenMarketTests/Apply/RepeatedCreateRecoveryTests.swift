@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// What a later run does about a create without reply, on a market that carries out a repeated request once and shows
/// nothing else of it.
struct RepeatedCreateRecoveryTests {
    /// A market that knows requests for an hour, and whose ids say nothing of age.
    private static func shop() throws -> ApplySimulation {
        var drawn = DrawnDescription()
        drawn.ids = .texts
        drawn.repeatHours = 1
        let simulation = Simulation(seed: 7)
        let market = SimulatedMarket(profile: try drawn.profile(), simulation: simulation)
        return ApplySimulation(simulation: simulation, market: market)
    }

    enum Circumstance: CaseIterable {
        case sameVersion, otherVersion, forgottenKey
    }

    @Test(arguments: Circumstance.allCases)
    func `a create is sent again as it was, and never otherwise or too late`(circumstance: Circumstance) throws {
        let shop = try Self.shop()
        let listings = [Listing.with(key: "lamp", name: "Desk lamp", price: 100, pictures: [1])]
        try shop.simulation.scheduler.run {
            shop.market.set(Faults(lostWithEffect: 1))
            let (_, first) = try await shop.apply(listings, run: 1, configuration: shop.configuration())
            #expect(first.totals.unknown == 1)
            #expect(shop.market.ours.count == 1)

            shop.market.set(.none)
            let known = shop.facts(first.run, 0).count
            switch circumstance {
            case .sameVersion: break
            case .otherVersion: shop.market.encodeOtherwise()
            case .forgottenKey: try await shop.simulation.clock.sleep(for: .seconds(3500))
            }
            let (plan, _) = try await shop.apply(listings, run: 2, configuration: shop.configuration())
            #expect(plan.isEmpty)
            #expect(shop.market.ours.count == 1)
            let open = try await shop.state.reading(shop.scope) { try await $0.unresolved() }
            if circumstance == .sameVersion {
                #expect(shop.snapshot.entries["lamp"]?.id == shop.market.ours[0].id)
                #expect(open.isEmpty)
                #expect(shop.facts(first.run, 0).dropFirst(known).map(\.status) == [.sent, .succeeded])
            } else {
                #expect(shop.snapshot.entries.isEmpty)
                #expect(open.map(\.operation.key) == ["lamp"])
            }
        }
    }

    /// One create is answered when it is sent again; the other one, whose product looks the same, is looked for: it was never
    /// carried out, and what makes its request the same is not known.
    @Test func `the product of a create that was sent again is not another create's`() throws {
        let shop = try Self.shop()
        let (simulation, market) = (shop.simulation, shop.market)
        let lamps = ["lamp", "second"].map { Listing.with(key: $0, name: "Desk lamp", price: 100, pictures: [1]) }
        try simulation.scheduler.run {
            market.set(Faults(lostWithEffect: 1))
            let (_, first) = try await shop.apply([lamps[0]], run: 1, configuration: shop.configuration())
            #expect(first.totals.unknown == 1)
            #expect(market.ours.count == 1)
            let second = RunRecord(id: RunID(rawValue: "run-2"), manifest: nil, tool: "test")
            try await shop.state.holding(shop.scope, for: "test") { session in
                try await session.begin(second, operations: [lamps[1].create])
                let sent = JournalEvent.Fact.sent(.create, highWater: nil)
                _ = try await session.record(JournalEvent(run: second.id, sequence: 0, number: 1, fact: sent))
            }

            market.set(.none)
            _ = try await shop.apply(lamps, run: 3, configuration: shop.configuration())
            let entries = shop.snapshot.entries
            #expect(Set(entries.ids) == Set(market.ours.map(\.id)))
            #expect(entries["lamp"]?.id != entries["second"]?.id)
            #expect(market.ours.count == 2)
        }
    }

    /// The market answers with a product under a name that it made of ours, and does not say that it does that.
    @Test(arguments: [DrawnDescription.IDs.texts, .rising])
    func `a product that a reply named is not made again, also not by a later run`(ids: DrawnDescription.IDs) throws {
        var drawn = DrawnDescription()
        drawn.ids = ids
        drawn.showsOwner = false
        let simulation = Simulation(seed: 7)
        let market = SimulatedMarket(profile: try drawn.profile(), simulation: simulation)
        let shop = ApplySimulation(simulation: simulation, market: market)
        let lamp = Listing.with(key: "lamp", name: "Desk & lamp", price: 100, pictures: [1])
        try simulation.scheduler.run {
            var shown = lamp.values
            shown.name = "Desk &amp; lamp"
            let id = market.add(shown, isOurs: true)
            let record = RunRecord(id: RunID(rawValue: "killed"), manifest: nil, tool: "test")
            try await shop.state.holding(shop.scope, for: "test") { session in
                try await session.begin(record, operations: [lamp.create])
                for (number, fact) in [
                    JournalEvent.Fact.sent(.create, highWater: nil), .unknown(.create, "another name", answered: id),
                ].enumerated() {
                    _ = try await session.record(
                        JournalEvent(run: record.id, sequence: 0, number: number + 1, fact: fact)
                    )
                }
            }
            for run in 1...2 { _ = try await shop.apply([lamp], run: run, configuration: shop.configuration()) }
            #expect(market.ours.map(\.id) == [id])
            // Without an order of ids nothing proves that it is new, so a person decides.
            #expect(Array(shop.snapshot.entries.ids) == (ids == .rising ? [id] : []))
            let open = try await shop.state.reading(shop.scope) { try await $0.unresolved() }
            #expect(open.map(\.operation.key) == (ids == .rising ? [] : ["lamp"]))
        }
    }

    @Test func `a plan only looks, and sends nothing again`() throws {
        let shop = try Self.shop()
        let listings = [Listing.with(key: "lamp", name: "Desk lamp", price: 100, pictures: [1])]
        try shop.simulation.scheduler.run {
            shop.market.set(Faults(lostWithEffect: 1))
            _ = try await shop.apply(listings, run: 1, configuration: shop.configuration())
            shop.market.set(.none)
            let facts = shop.facts(RunID(rawValue: "run-1"), 0)
            let resolution = try await shop.preview()
            #expect(resolution.blockedKeys == ["lamp"])
            #expect(shop.facts(RunID(rawValue: "run-1"), 0) == facts)
        }
    }
}
