import OpenMarket
import OpenMarketApply
import OpenMarketTestSupport
import Testing

/// What a later run does about a create without reply, on a market that carries out a repeated request once and shows
/// nothing else of it.
struct RepeatedCreateRecoveryTests {
    enum Circumstance: CaseIterable {
        case sameVersion, otherVersion, forgottenKey
    }

    @Test(arguments: Circumstance.allCases)
    func `a create is sent again as it was, and never otherwise or too late`(circumstance: Circumstance) throws {
        var traits = MarketTraits()
        traits.ids = .texts
        traits.window = .seconds(3600)
        let simulation = Simulation(seed: 7)
        let shop = ShopSimulation(
            simulation: simulation,
            market: GradedMarket(traits, simulation: simulation)
        )
        let listings = [Listing.with(key: "lamp", name: "Desk lamp", price: 100, pictures: [1])]
        try simulation.scheduler.run {
            shop.market.set(Faults(lostWithEffect: 1))
            let (_, first) = try await shop.apply(listings, run: 1, configuration: shop.configuration())
            #expect(first.totals.unknown == 1)
            #expect(shop.market.ours.count == 1)

            shop.market.set(.none)
            switch circumstance {
            case .sameVersion: break
            case .otherVersion: shop.market.encodeOtherwise()
            case .forgottenKey: try await simulation.clock.sleep(for: .seconds(3500))
            }
            let (plan, _) = try await shop.apply(listings, run: 2, configuration: shop.configuration())
            #expect(plan.isEmpty)
            #expect(shop.market.ours.count == 1)
            let open = try await shop.state.reading(shop.scope) { try await $0.unresolved() }
            if circumstance == .sameVersion {
                #expect(shop.snapshot.entries["lamp"]?.id == shop.market.ours[0].id)
                #expect(open.isEmpty)
            } else {
                #expect(shop.snapshot.entries.isEmpty)
                #expect(open.map(\.operation.key) == ["lamp"])
            }
        }
    }

    @Test func `a plan only looks, and sends nothing again`() throws {
        var traits = MarketTraits()
        traits.ids = .texts
        traits.window = .seconds(3600)
        let simulation = Simulation(seed: 7)
        let shop = ShopSimulation(simulation: simulation, market: GradedMarket(traits, simulation: simulation))
        let listings = [Listing.with(key: "lamp", name: "Desk lamp", price: 100, pictures: [1])]
        try simulation.scheduler.run {
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
