@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing

/// Fields that a market shows otherwise than they were sent: what it made of them is not drift, and a missing field is not an echo.
struct EchoTests {
    /// A market that rewrites names, where the state knows what it made of one.
    private static func shop() throws -> PlanFixture {
        var market = DescribedShop()
        market.fields["name"] = "{at: /name, echo: normalised}"
        var shop = PlanFixture(try market.profile())
        shop.has("lamp", 7)
        shop.input.state.entries["lamp"]?.shown = ProductValues(name: "LAMP")
        shop.input.live.products[MarketID(7)]?.name = "LAMP"
        return shop
    }

    @Test func `what the market made of it is what was applied`() throws {
        var shop = try Self.shop()
        #expect(shop.planText == "1 unchanged")
        #expect(shop.detailsNeeded == [])
        shop.input.live.products[MarketID(7)]?.name = "Lamp"
        #expect(shop.planText == "1 unchanged")
        #expect(shop.input.drift(capabilities: shop.profile.capabilities).products.isEmpty)
    }

    @Test(arguments: ["LAMP", "<p>Lamp</p>", "lamp ", "Lamp &amp;", "Lamp&#8217;", "Lamp &lt;", "L&#97;mp", "Lamp < "])
    func `without its state a product is not made beside one of its name in another spelling`(name: String) throws {
        var shop = try Self.shop()
        shop.options.policies.allowsUnsettledCreates = true
        shop.input.state = StateSnapshot(vendorID: 29)
        shop.input.live.products[MarketID(7)]?.name = name
        #expect(shop.plan().refusals.map(\.override) == [.namesakes([7])])
        shop.options.adopts = true
        #expect(shop.plan().operations.first?.action == .adopt)
        shop.options.adopts = false
        shop.input.live.products[MarketID(7)]?.name = "Desk lamp"
        #expect(shop.plan().refusals == [])
    }

    /// Of a text that grows with the square of its length, this one would take minutes.
    @Test(.timeLimit(.minutes(1))) func `a name of signs that nothing closes is compared at once`() throws {
        var shop = try Self.shop()
        shop.options.policies.allowsUnsettledCreates = true
        shop.input.state = StateSnapshot(vendorID: 29)
        for (name, isOne) in [
            ("La<mp" + String(repeating: "<", count: 5), true), (String(repeating: "<a", count: 150_000), false),
        ] {
            shop.input.live.products[MarketID(7)]?.name = name
            #expect(shop.plan().refusals.map(\.override) == (isOne ? [.namesakes([7])] : []))
        }
    }

    @Test func `another value is drift, and puts back what was sent`() throws {
        var shop = try Self.shop()
        shop.input.live.products[MarketID(7)]?.name = "LAMPS"
        #expect(
            shop.planText == """
                update lamp #7 at shop.yaml:1:3: changed on the market since the last apply
                    name drift: Lamp | LAMPS | Lamp
                """
        )
        #expect(shop.detailsNeeded == [7])
    }

    @Test func `a field that is missing is written again`() throws {
        var shop = try Self.shop()
        shop.input.live.products[MarketID(7)]?.name = nil
        shop.input.live.products[MarketID(7)]?.blank = [.name]
        #expect(
            shop.planText == """
                update lamp #7 at shop.yaml:1:3: changed on the market since the last apply
                    name drift: Lamp | – | Lamp
                """
        )
    }

    @Test func `another wish is a change, not a conflict`() throws {
        var shop = try Self.shop()
        shop.input.manifest.listings[0].values.name = "Desk"
        #expect(
            shop.planText == """
                update lamp #7 at shop.yaml:1:3: changed in the manifest
                    name change: Lamp | Lamp | Desk
                """
        )
        // What the market shows is as good as what was sent.
        shop.input.manifest.listings[0].values.name = "LAMP"
        #expect(shop.plan().operations.count == 1)
    }

    @Test func `an echo is forgotten with the value that it is of`() throws {
        var entry = StateEntry(key: "a", id: MarketID(1), applied: ProductValues(name: "A", description: "B"))
        entry.shown = ProductValues(name: "a", description: "b")
        entry.applied.name = "C"
        #expect(entry.shown == ProductValues(description: "b"))
        entry.applied = ProductValues(name: "C", description: "B", stock: 1)
        #expect(entry.shown == ProductValues(description: "b"))
        entry.applied.description = nil
        #expect(entry.shown.isEmpty)
    }

    @Test func `an entry keeps its echoes in memory and in documents`() throws {
        var entry = StateEntry(key: "a", id: MarketID(1), applied: ProductValues(name: "A", price: 1))
        entry.shown = ProductValues(name: "<p>A</p>", price: ExactDecimal("1.01"))
        let entries: StateEntries = ["a": entry]
        #expect(entries["a"] == entry && entries["a"]?.shown == entry.shown)
        #expect(try StateEntry(document: DocumentValue(entry.document, at: "")) == entry)
        #expect(entry.document["shown"]?.members?.map(\.name) == ["name", "price"])
        entry.shown = ProductValues()
        #expect(entry.document["shown"] == nil && entries["a"] != entry)
    }
}
