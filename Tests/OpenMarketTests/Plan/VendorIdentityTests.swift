@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing

/// A vendor number that a person typed is a claim: it makes no product another's.
struct VendorIdentityTests {
    /// Our shop on a market with another vendor, and a manifest that says a number.
    struct Trial: CustomTestStringConvertible {
        static let profiles: [MarketProfile] = [.v2a, .v2b]
        static let all: [Trial] = profiles.flatMap { profile in
            [3, 20].flatMap { count in
                [true, false].flatMap { hasState in
                    [false, true].flatMap { adopts in
                        [nil, 29, 30, 31].map {
                            Trial(profile: profile, count: count, hasState: hasState, adopts: adopts, claim: $0)
                        }
                    }
                }
            }
        }

        var profile: MarketProfile
        var count: Int
        var hasState: Bool
        var adopts: Bool
        var claim: Int64?

        /// Products 1 to `count` are ours, of vendor 29; the last two are vendor 30's, one with the name of a product that is
        /// new in the manifest.
        var shop: PlanFixture {
            var shop = PlanFixture(profile)
            for number in 1...count {
                let name = "Lamp \(number)"
                shop.wants("lamp-\(number)") { $0.values.name = name }
                if hasState { shop.knows("lamp-\(number)", Int64(number)) { $0.applied.name = name } }
                shop.shows(Int64(number)) { $0.name = name }
                shop.input.pictureDigests[ExactText("u/\(number)1")] = digest(1)
            }
            shop.wants("new") { $0.values.name = "New" }
            shop.wants("common") { $0.values.name = "Common" }
            for (id, name) in [(count + 1, "Common"), (count + 2, "Other")] {
                shop.shows(Int64(id)) {
                    $0.name = name
                    $0.vendorID = 30
                }
            }
            if !hasState { shop.input.state = StateSnapshot() }
            shop.options.adopts = adopts
            shop.options.policies.maximumDelete = .count(1000)
            shop.input.manifest.market.vendorID = claim
            return shop
        }

        var testDescription: String { "\(profile), \(count), state \(hasState), adopt \(adopts), claim \(claim ?? 0)" }
    }

    @Test(arguments: Trial.all)
    func `no claim makes a plan that lists a product of ours once more`(trial: Trial) {
        let plan = trial.shop.plan()
        let made = Set(plan.operations.filter(\.makesProduct).map(\.key))
        switch (trial.claim, trial.hasState) {
        case (nil, true), (29, true):
            #expect(plan.refusals == [])
            #expect(made == ["new", "common"])
            #expect(plan.unchanged == trial.count)
        case (29, false):
            // Most of what is new has the claimed number: apply asks the market before it makes anything.
            #expect(plan.refusals == [])
            #expect(made == ["new", "common"])
            #expect(plan.operations.count { $0.action == .adopt } == trial.count)
            #expect(plan.namesakes == KnownNamesakes(vendorID: 29, contested: ["common"]))
        case (nil, false):
            #expect(!plan.isSound)
        case (_, true):
            #expect(plan.refusals.map(\.code) == [.vendorContradicted])
            // What the plan shows is what the market says.
            #expect(made == ["new", "common"])
            #expect(plan.unchanged == trial.count)
        case (_, false):
            #expect(plan.refusals.map(\.code) == [.vendorUnconfirmed])
            #expect(!plan.isSound)
        }
        #expect(plan.stateUpdates.isEmpty, "the state learns no number that was typed")
    }

    @Test func `a number is confirmed by a product of ours that still shows it, and looks like ours`() {
        func identity(_ change: (inout PlanFixture) -> Void) -> VendorIdentity {
            var shop = PlanFixture()
            shop.has("lamp", 7)
            change(&shop)
            return shop.input.identity
        }
        #expect(identity { _ in }.evidence == .product(MarketID(7)))
        #expect(identity { _ in }.isProven)
        #expect(identity { $0.shows(7) { $0.vendorID = 3 } }.confirmed == nil)
        #expect(identity { $0.shows(7) { $0.vendorID = nil } }.confirmed == nil)
        // The same number and vendor, another product: a market that began again.
        #expect(identity { $0.shows(7) { ($0.name, $0.thumbnailURL) = ("Sofa", "t/9") } }.confirmed == nil)
        #expect(identity { $0.shows(7) { $0.name = "Renamed" } }.confirmed == 29)
        #expect(identity { $0.input.live = LiveCatalog() }.confirmed == nil)
        // Without products nothing shows today what an earlier reply said: it is a claim, unless there is another one.
        let remembered = identity { $0.input.state = StateSnapshot(vendorID: 29) }
        #expect(remembered.claim == 29 && remembered.isClaimRemembered && remembered.presumed == 29)
        #expect(remembered.confirmed == nil && !remembered.isProven)
        let other = identity {
            $0.input.state = StateSnapshot(vendorID: 29)
            $0.input.manifest.market.vendorID = 30
        }
        #expect(other.confirmed == nil)
        #expect(other.contradiction == nil)
        #expect(other.presumed == 30)
    }

    @Test func `the number of a state without products is a claim, and no reason to refuse a plan`() {
        var shop = Trial(profile: .v2b, count: 3, hasState: false, adopts: false).shop
        shop.input.state = StateSnapshot(vendorID: 31)
        let plan = shop.plan()
        #expect(plan.refusals == [])
        #expect(plan.namesakes.contested == ["lamp-1", "lamp-2", "lamp-3", "common"])
        // It is not written down as what a person says.
        #expect(plan.namesakes.vendorID == nil)
        // Whoever reviews the plan hears of it.
        let warning =
            "4 products, 'lamp-1' first, would be created although vendor 29, 30 has products of the same names, such as "
            + "product 1, and the market does not confirm that you are vendor 31"
        #expect(plan.diagnostics.map(\.message) == [warning])
        shop.input.manifest.market.vendorID = 29
        #expect(shop.plan().operations.count { $0.action == .adopt } == 3)
    }

    @Test func `witnesses are products of the state, or else such as show the claimed number`() {
        var shop = PlanFixture(vendor: nil)
        shop.input.manifest.market.vendorID = 29
        for id in 1...5 { shop.shows(Int64(id)) { $0.vendorID = id < 4 ? 29 : 30 } }
        func witnesses() -> [VendorIdentity.Witness] {
            var identity = shop.input.identity
            identity.findWitnesses(state: shop.input.state, live: shop.input.live.products)
            return identity.witnesses
        }
        #expect(witnesses().map(\.id) == [MarketID(3), MarketID(2)])
        #expect(witnesses().allSatisfy { $0.vendorID == 29 && !$0.isManaged })
        shop.knows("lamp", 5) { $0.vendorID = 30 }
        #expect(witnesses() == [VendorIdentity.Witness(id: MarketID(5), vendorID: 30, isManaged: true)])
    }
}
