@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing

/// Plans on a market whose products carry the manifest's keys.
struct CarriedKeyTests {
    private static func shop() -> PlanFixture {
        var shop = PlanFixture(vendor: nil)
        shop.input.sendsKeys = true
        return shop
    }

    @Test func `a lost state is harmless: what carries a listing's key is its product, whatever its name and vendor`() {
        var shop = Self.shop()
        shop.wants("lamp")
        shop.wants("fan")
        shop.shows(7) { ($0.key, $0.vendorID) = ("fan", 77) }
        shop.shows(8) { ($0.key, $0.name, $0.vendorID) = ("lamp", "Renamed", 78) }
        shop.shows(9) { $0.key = "another's" }
        shop.input.pictureDigests = ["u/71": digest(1), "u/81": digest(1)]
        let plan = shop.plan()
        #expect(plan.operations.map(\.action) == [.adopt, .adopt, .update])
        #expect(plan.operations.map(\.key) == ["lamp", "fan", "lamp"])
        #expect(plan.operations.map(\.id) == [8, 7, 8])
        #expect(plan.operations[0].reason == "the product on the market carries this key")
        // Where the manifest does not agree, a key means nothing.
        shop.input.sendsKeys = false
        #expect(!shop.plan().operations.contains { $0.action == .adopt })
    }

    @Test func `two products of one key are named, and no third is made`() {
        for isKnown in [false, true] {
            var shop = Self.shop()
            shop.wants("lamp")
            shop.shows(7) { $0.key = "lamp" }
            shop.shows(8) { $0.key = "lamp" }
            if isKnown { shop.knows("lamp", 7) }
            #expect(
                shop.planText == """
                    error at shop.yaml:1:3: 2 live products may be 'lamp', and at least one carries the key: 7, 8
                        remove the key from the wrong product there, or give this listing another (`previously:`)
                    """
            )
        }
    }

    @Test func `of two products that carry a listing's former key none is taken over`() {
        var shop = Self.shop()
        shop.wants("lamp") { $0.previously = ["old"] }
        shop.shows(7) { $0.key = "old" }
        shop.shows(8) { $0.key = "old" }
        #expect(shop.plan().operations.isEmpty)
        #expect(!shop.plan().isSound)
    }

    @Test func `an id in the manifest does not take the key from the product that carries it`() {
        var shop = Self.shop()
        shop.wants("lamp") { $0.pinnedID = 9 }
        shop.shows(7) { $0.key = "lamp" }
        shop.shows(9)
        #expect(shop.plan().operations.isEmpty)
        #expect(!shop.plan().isSound)
    }

    @Test func `a product that carries another listing's key is not taken over by its name`() {
        var shop = PlanFixture()
        shop.input.sendsKeys = true
        shop.wants("lamp")
        shop.wants("fan") { $0.values.name = "Fan" }
        shop.shows(7) { $0.key = "fan" }
        shop.input.pictureDigests = ["u/71": digest(1)]
        #expect(shop.plan().operations.filter { $0.action == .adopt }.map(\.key) == ["fan"])
    }

    /// Whatever else the plan is about, two products of one key are said.
    @Test(arguments: [false, true])
    func `two products that show one of our keys are named although nothing else changes`(sendsKeys: Bool) throws {
        var market = DescribedShop()
        market.identity += "\n  key: {at: /sku, unique: racy, find: {query: {sku: \"{key}\"}}}"
        let profile = try market.profile()
        for shown in ["lamp", "LAMP"] {
            var shop = PlanFixture(profile)
            shop.input.sendsKeys = sendsKeys
            shop.has("lamp", 7)
            shop.shows(7) { $0.key = shown }
            shop.shows(8) { ($0.key, $0.name) = (shown, "Renamed") }
            shop.shows(9) { ($0.key, $0.name) = ("another's", "A") }
            shop.shows(10) { ($0.key, $0.name) = ("another's", "B") }
            #expect(shop.plan().operations.isEmpty)
            let messages = shop.plan().diagnostics.map(\.message)
            #expect(messages.count == 1 && messages[0].hasSuffix(": 7, 8"), "\(messages)")
        }
    }

    @Test func `two products of a key that the manifest names no more are named`() {
        var shop = Self.shop()
        shop.knows("lamp", 7)
        shop.shows(7) { $0.key = "lamp" }
        shop.shows(8) { $0.key = "lamp" }
        shop.has("fan", 9)
        #expect(shop.plan().diagnostics.map(\.message).contains("2 live products carry the key 'lamp': 7, 8"))
    }

    @Test func `a product that the state knows and another one that carries the key are named`() {
        var shop = Self.shop()
        shop.has("lamp", 7)
        shop.shows(8) { $0.key = "lamp" }
        #expect(shop.plan().operations.isEmpty)
        #expect(shop.plan().diagnostics.map(\.severity) == [.error])
    }

    @Test func `a renamed listing whose product goes on carrying its former key is named once`() {
        var shop = Self.shop()
        shop.knows("old", 7)
        shop.shows(7) { $0.key = "old" }
        shop.wants("lamp") { $0.previously = ["old"] }
        #expect(
            shop.plan().diagnostics.map(\.message) == [
                "'lamp' is product 7, which keeps the key 'old' on v2b: it cannot be changed"
            ]
        )
        // Where keys mean nothing there is nothing to say; nor where it carries the new one.
        shop.shows(7) { $0.key = "lamp" }
        #expect(shop.plan().diagnostics.isEmpty)
        shop.shows(7) { $0.key = "old" }
        shop.input.sendsKeys = false
        #expect(shop.plan().diagnostics.isEmpty)
    }

    @Test func `a product that carries a former key of its listing is given the new one, where an update can say it`()
        throws
    {
        var market = DescribedShop()
        market.identity +=
            "\n  key: {at: /sku, unique: enforced, find: {query: {sku: \"{key}\"}}, for: [create, update]}"
        var shop = PlanFixture(try market.profile())
        shop.input.sendsKeys = true
        shop.has("lamp", 7) { $0.previously = ["old"] }
        // A row may not show it, so the details are asked for.
        #expect(shop.detailsNeeded == [7])
        shop.shows(7) { $0.key = "old" }
        let operation = try #require(shop.plan().operations.first)
        #expect(operation.action == .update && operation.changes.isEmpty && operation.formerKey == "old")
        #expect(operation.reason == "the product carries the former key 'old'")
        #expect(shop.plan().diagnostics.isEmpty)
        shop.input.manifest.listings[0].values.price = 90
        #expect(shop.plan().operations.map(\.formerKey) == ["old"])
        #expect(
            shop.plan().operations.map(\.reason) == [
                "changed in the manifest; the product carries the former key 'old'"
            ]
        )
        // An article number of other people's is left alone, and so is a key that is right.
        for key in ["lamp", "77-3412"] {
            shop.shows(7) { $0.key = key }
            #expect(shop.plan().operations.map(\.formerKey) == [nil])
        }
        // The state is lost, and the listing has another key by now.
        shop.shows(7) { $0.key = "old" }
        shop.input.state.entries = StateEntries()
        #expect(shop.plan().operations.map(\.action) == [.adopt, .update])
        #expect(shop.plan().operations.last?.formerKey == "old")
    }

    @Test func `a product of the same name that carries another key of ours is not asked about`() {
        var shop = Self.shop()
        shop.has("twin", 7)
        shop.shows(7) { ($0.key, $0.name) = ("twin", "Desk lamp") }
        shop.wants("lamp") { ($0.values.name, $0.values.images) = ("Desk lamp", [.digest(digest(2))]) }
        let plan = shop.plan()
        #expect(plan.operations.filter { $0.action == .create }.map(\.key) == ["lamp"])
        #expect(plan.refusals.isEmpty)
    }

    @Test func `a product that is about to be deleted does not count`() {
        var shop = Self.shop()
        shop.has("lamp", 8)
        shop.shows(7) { $0.key = "lamp" }
        shop.shows(8) { $0.key = "lamp" }
        shop.input.owedDeletes = [
            PlannedOperation(
                key: "lamp",
                reason: "the old product of an unfinished replace",
                work: .delete(PlannedOperation.Deletion(id: 7, live: ProductValues(name: "Lamp")))
            )
        ]
        #expect(shop.plan().diagnostics.isEmpty)
        #expect(shop.plan().operations.map(\.action) == [.delete])
    }

    @Test func `a product with another key of the manifest is not a namesake`() {
        var shop = Self.shop()
        shop.has("lamp", 7)
        shop.input.live.products[7]?.key = "lamp"
        shop.wants("twin")
        let plan = shop.plan()
        #expect(plan.operations.map(\.action) == [.create])
        let namesakes = plan.refusals.filter { $0.override == .namesakes([7]) }
        #expect(namesakes.isEmpty)
    }

    @Test func `a key that a product of another listing carries is an error`() {
        var shop = Self.shop()
        shop.wants("lamp")
        shop.wants("shade")
        shop.knows("shade", 7)
        shop.shows(7) { $0.key = "lamp" }
        #expect(
            shop.plan().diagnostics.map(\.message)
                == ["product 7 carries the key 'lamp', and is 'shade' already"]
        )
        let makes = shop.plan().operations.contains { $0.makesProduct }
        #expect(!makes)
    }

    @Test func `an id that was given out again is the product of the key that it carries`() {
        var shop = Self.shop()
        shop.has("lamp", 7)
        shop.has("fan", 8)
        shop.input.live.products[7]?.key = "fan"
        shop.input.live.products[8]?.key = "lamp"
        let adopted = shop.plan().operations.filter { $0.action == .adopt }
        #expect(adopted.map(\.key) == ["lamp", "fan"] && adopted.map(\.id) == [8, 7])
    }

    @Test func `what is absent is deleted by its key although the state is lost`() {
        var shop = Self.shop()
        shop.wants("lamp") { $0.isAbsent = true }
        shop.shows(7) { $0.key = "lamp" }
        #expect(shop.plan().operations.map(\.action) == [.delete])
    }

    @Test func `the details of what carries a key are read before it is taken over`() {
        var shop = Self.shop()
        shop.wants("lamp")
        shop.shows(7) { ($0.key, $0.name, $0.images) = ("lamp", "Renamed", nil) }
        shop.shows(8) { ($0.key, $0.name, $0.images) = ("other", "Other", nil) }
        #expect(shop.detailsNeeded == [7])
    }
}
