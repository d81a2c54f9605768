@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing

/// A replace that was asked for by hand, of a product whose key the market gives no second one, is killed at every moment.
///
/// The old product goes before the new one comes. What is left to do is what a person does: the next run is asked for the replace
/// again as long as its plan says so, and what was deleted it makes by itself.
struct ReplaceByHandTests {
    private static let before: [Listing] = [
        .with(key: "stays", name: "Desk lamp", price: 100, pictures: [1]),
        .with(key: "goes", name: "Old phone", price: 200, pictures: [2]),
    ]
    private static let after: [Listing] = [before[0], .with(key: "goes", name: "Old phone", price: 300, pictures: [3])]

    /// What leaves no room for two products of a key.
    enum Room: CaseIterable {
        case uniqueKeys, uniqueKeysAndRepeats, racyKeys, chosenIDs
    }

    private static func profile(_ room: Room, _ style: DrawnDescription.Style) throws -> MarketProfile {
        var drawn = DrawnDescription()
        drawn.uniqueness = room == .chosenIDs ? nil : room == .racyKeys ? .racy : .enforced
        drawn.ids = room == .chosenIDs ? .chosen : .texts
        drawn.repeatHours = room == .uniqueKeysAndRepeats ? 24 : nil
        drawn.style = style
        drawn.changesPicturesInPlace = false
        let profile = try drawn.profile()
        #expect(profile.capabilities.refusesSuccessors(sendsKeys: true))
        return profile
    }

    @Test(arguments: Room.allCases, DrawnDescription.Style.allCases.filter { $0 != .none })
    func `whenever it is killed, there is one product at the end, as wanted`(
        room: Room,
        style: DrawnDescription.Style
    ) async throws {
        let profile = try Self.profile(room, style)
        var moment = 0
        var isKilled = true
        while isKilled {
            // The few threads are shared with tests that wait for answers.
            await Task.yield()
            moment += 1
            isKilled = false
            for seed in 0..<3 {
                let shop = ApplySimulation(seed: UInt64(1000 * moment + seed), profile: profile, sendsKeys: true)
                let end = try Self.replaced(in: shop, crashAt: moment)
                #expect(end.fault == nil, "killed at \(moment), seed \(seed)")
                isKilled = isKilled || end.isKilled
            }
        }
        #expect(moment > 10)
    }

    /// Replaces a product by hand, dies at one moment, and does what there is to do then.
    private static func replaced(in shop: ApplySimulation, crashAt: Int) throws -> (isKilled: Bool, fault: String?) {
        try shop.simulation.scheduler.run {
            _ = try await shop.apply(before, run: 0, configuration: shop.configuration())
            try await shop.simulation.clock.sleep(for: .seconds(10))
            let ids = shop.snapshot.entries.mapValues(\.id)
            shop.simulation.restart(crashAt: crashAt)
            var isKilled = false
            do {
                let replaced = KeyPatterns(["goes"])
                _ = try await shop.apply(after, run: 1, configuration: shop.configuration(), replaced: replaced)
            } catch is Crash {
                isKilled = true
            }
            shop.simulation.restart()
            var advice: [String] = []
            for run in 2..<8 {
                let (plan, _) = try await shop.apply(
                    after,
                    run: run,
                    configuration: shop.configuration(),
                    replaced: KeyPatterns(advice)
                )
                advice = plan.replacements
                if plan.isEmpty, advice.isEmpty { break }
                try await shop.simulation.clock.sleep(for: .seconds(1))
            }
            let now = shop.snapshot.entries.mapValues(\.id)
            var fault = try await shop.difference(from: after)
            if now["stays"] != ids["stays"] { fault = fault ?? "another product was replaced" }
            if now["goes"] == ids["goes"], !shop.capabilities.choosesIDs { fault = fault ?? "it was not replaced" }
            return (isKilled, fault)
        }
    }
}
