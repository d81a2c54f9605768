@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import Testing

/// A saved plan with every action and two renames, and what goes with them.
enum EveryAction {
    /// Passes the plan to `body`, and a function that plans for some keys alone; `prepare` changes the market before.
    static func planned<Result: Sendable>(
        prepare: @escaping @Sendable (SimulatedMarket) -> Void = { _ in },
        _ body: @escaping @Sendable (SavedPlan, (Set<String>) async throws -> Plan) async throws -> Result
    ) throws -> Result {
        let shop = ApplySimulation(seed: 1, profile: .v2b)
        let keys = ["cheap", "shown", "goes", "vanishes", "old", "quiet", "was"]
        let before = keys.enumerated().map { number, key in
            Listing.with(key: key, name: "Product \(key)", price: 100, pictures: [UInt8(number + 1)])
        }
        var after = before.filter { $0.key != "goes" && $0.key != "vanishes" }
        after[0].values.price = 150
        after[0].ignoreChanges = [.stock]
        after[1].values.images = [.digest(.picture(9))]
        after[1].pictures = [.numbered(9)]
        (after[2].key, after[2].previously, after[2].values.price) = ("new", ["old"], 90)
        (after[4].key, after[4].previously) = ("is", ["was"])
        after.append(.with(key: "found", name: "Product found", price: 80, pictures: [7]))
        after.append(
            .with(key: "made", name: "Product made", price: 90, sale: .price(80), pictures: [8, 6], thumbnail: 6)
        )
        after[6].isProtected = true
        let (first, second) = (manifest(before), manifest(after))
        return try shop.simulation.scheduler.run {
            try await shop.state.holding(shop.scope, for: "test") { held in
                let session = shop.session(held)
                _ = try await session.apply(first)
                let gone = try #require(shop.market.ours.first { $0.name == "Product vanishes" })
                shop.market.remove(gone.id)
                var found = second.listings[5].values
                found.price = 70
                shop.market.add(found, isOurs: true)
                prepare(shop.market)
                let planned = try await session.plan(second, refresh: .full)
                #expect(planned.plan.isSound)
                let saved = SavedPlan(
                    planned,
                    tool: "test",
                    scope: MarketScope(url: "http://market", profile: .v2b, identifier: .picture(9)),
                    profile: .v2b,
                    manifest: second,
                    state: StateLocation("/shop/.openmarket/state.db"),
                    lastRun: try await session.state.runs(limit: 1).first?.record.id,
                    in: "/shop"
                )
                return try await body(saved) { keys in
                    let options = PlannerOptions(filter: KeyFilter(keys: keys))
                    return try await session.plan(second, options: options, refresh: .full).plan
                }
            }
        }
    }

    private static func manifest(_ listings: [Listing]) -> Manifest {
        var market = MarketSettings(profile: .v2b)
        market.identifier = ResolvedSecret(reference: .environment("IDENTIFIER"), value: Secret("id"))
        market.secret = ResolvedSecret(reference: .file("/shop/secret.txt"), value: Secret("secret"))
        market.pictureHosts = ["pictures.example", "more.example"]
        return Manifest(
            market: market,
            policies: Policies(maximumDelete: .count(1000)),
            listings: Listings(listings),
            files: ["openmarket.yaml", "more/products.yaml"],
            digest: .picture(0)
        )
    }
}
