@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing

struct AdoptionTests {
    @Test func `one product of ours with the same name is taken over`() {
        var shop = PlanFixture()
        shop.wants("lamp") { $0.values.price = 120 }
        shop.shows(7) { $0.issuedAt = "tuesday" }
        shop.shows(8) { $0.vendorID = 30 }
        shop.input.pictureDigests = ["u/71": digest(1)]
        #expect(
            shop.planText == """
                adopt lamp #7 at shop.yaml:1:3: the market has a product of this name that is yours
                    remember lamp #7, vendor 29, name Lamp, description Warm light., currency USD, stock 10, images [p1], [p1=71], t/71, tuesday
                update lamp #7 at shop.yaml:1:3: changed in the manifest
                    price change: – | 100 | 120
                """
        )
    }

    @Test func `a product that an earlier run may have made for another listing is not taken over by its name`() {
        var shop = PlanFixture()
        shop.wants("lamp")
        shop.wants("other lamp")
        shop.shows(7)
        shop.input.blockedKeys = ["other lamp"]
        shop.input.blockedNames = ["Lamp"]
        #expect(shop.planText == "")
        // Whoever says which one means that one.
        shop.input.manifest.listings[0].pinnedID = MarketID(7)
        shop.input.pictureDigests = ["u/71": digest(1)]
        #expect(shop.plan().operations.map(\.action) == [.adopt])
    }

    /// The market may have given it the name of another listing.
    @Test func `a product that may be another listing's is not taken over by any name`() {
        var shop = PlanFixture()
        shop.wants("lamp")
        shop.shows(7)
        shop.input.blockedKeys = ["fan"]
        shop.input.blockedNames = ["Fan"]
        for question in [
            ProductsInQuestion(ids: [7]), ProductsInQuestion(newerThan: [9, 6]), ProductsInQuestion(newerThan: [nil]),
        ] {
            shop.input.inQuestion = question
            #expect(shop.planText == "")
        }
        shop.input.inQuestion = ProductsInQuestion(ids: [8], newerThan: [7])
        shop.input.pictureDigests = ["u/71": digest(1)]
        #expect(shop.plan().operations.map(\.action) == [.adopt])
    }

    @Test func `two products of ours with the same name are an error that lists them`() {
        var shop = PlanFixture()
        shop.wants("lamp")
        for id in (1...12).reversed() { shop.shows(Int64(id)) }
        #expect(
            shop.planText == """
                error at shop.yaml:1:3: 'lamp' could be any of 12 live products of the same name: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …
                    choose one with `id:`
                """
        )
    }

    @Test func `another vendor's product of the same name does not concern us`() {
        var shop = PlanFixture()
        // One of ours shows who we are.
        shop.has("known", 3)
        shop.wants("lamp")
        shop.shows(7) { $0.vendorID = 30 }
        #expect(shop.plan().operations.map(\.action) == [.create])
        #expect(shop.plan().diagnostics.isEmpty)
        // Not even if the user confirms it: the market says otherwise.
        shop.options.adopts = true
        #expect(shop.plan().operations.map(\.action) == [.create])
    }

    @Test func `the user confirms a product of unknown owner`() {
        var shop = PlanFixture(.v1b)
        shop.options.adopts = true
        shop.wants("lamp") {
            $0.secret = ResolvedSecret(reference: .environment("LAMP"), value: Secret("example"))
        }
        shop.shows(7)
        #expect(
            shop.planText == """
                adopt lamp #7 at shop.yaml:1:3: the market has a product of this name that you confirmed
                    remember lamp #7, name Lamp, description Warm light., price 100, currency USD, stock 10, images [p1], [p1=u/71], t/71, password from environment("LAMP")
                    password from environment("LAMP")
                """
        )
        shop.shows(8)
        #expect(shop.plan().diagnostics.map(\.severity) == [.error])
    }

    @Test func `two listings of one name do not share a product`() {
        var shop = PlanFixture()
        shop.wants("lamp")
        shop.wants("lamp-too")
        shop.shows(7)
        shop.input.pictureDigests = ["u/71": digest(1)]
        #expect(shop.plan().operations.map { "\($0.action.symbol) \($0.key)" } == ["= lamp", "+ lamp-too"])
    }

    @Test func `a product that another listing pins or manages is not a candidate`() {
        var shop = PlanFixture()
        shop.wants("lamp")
        shop.wants("pinned") { $0.pinnedID = MarketID(7) }
        shop.shows(7)
        shop.has("managed", 8)
        shop.input.pictureDigests = ["u/71": digest(1)]
        #expect(shop.plan().operations.map { "\($0.action.symbol) \($0.key)" } == ["= pinned", "+ lamp"])
    }

    @Test func `an adopted product is not managed beyond what the manifest says`() {
        var shop = PlanFixture()
        shop.wants("lamp") { $0.values = ProductValues(name: "Lamp") }
        shop.shows(7)
        #expect(
            shop.planText == """
                adopt lamp #7 at shop.yaml:1:3: the market has a product of this name that is yours
                    remember lamp #7, vendor 29, name Lamp, t/71, monday
                """
        )
    }

    // MARK: - Pins

    @Test func `a pinned product is taken over whatever it is called`() {
        var shop = PlanFixture(vendor: nil)
        shop.wants("lamp") { $0.pinnedID = MarketID(7) }
        shop.shows(7) { $0.name = "Old lamp" }
        shop.input.pictureDigests = ["u/71": digest(1)]
        #expect(
            shop.planText == """
                adopt lamp #7 at shop.yaml:1:3: pinned by id in the manifest
                    remember lamp #7, description Warm light., price 100, currency USD, stock 10, images [p1], [p1=71], t/71, monday
                update lamp #7 at shop.yaml:1:3: changed in the manifest
                    name change: – | Old lamp | Lamp
                """
        )
    }

    @Test func `a pinned product that is missing or another vendor's is an error`() {
        var shop = PlanFixture()
        shop.wants("lamp") { $0.pinnedID = MarketID(7) }
        shop.wants("desk") { $0.pinnedID = MarketID(8) }
        shop.shows(8) { $0.vendorID = 30 }
        shop.wants("chair") { $0.pinnedID = MarketID(9) }
        shop.knows("chair", 9)
        #expect(
            shop.planText == """
                error at shop.yaml:1:3: 'lamp' is pinned to product 7, which the market does not have
                    take the line `id: 7` out to create a new product; for another market write 'adjust: [{id: none}]'
                error at shop.yaml:2:3: 'desk' is pinned to product 8, which is not provably yours
                    check the id; if the product is yours, set `market.vendor_id` or adopt by name
                error at shop.yaml:3:3: 'chair' is pinned to product 9, which the market does not have
                    take the line `id: 9` out to create a new product; for another market write 'adjust: [{id: none}]'
                """
        )
    }

    @Test func `a pin and the state must mean the same product`() {
        var shop = PlanFixture()
        shop.has("lamp", 7) { $0.pinnedID = MarketID(9) }
        shop.shows(9)
        shop.has("gone", 8) {
            $0.pinnedID = MarketID(9)
            $0.isAbsent = true
        }
        #expect(
            shop.planText == """
                error at shop.yaml:1:3: 'lamp' has the id 9, but the state has it as product 7
                    write 7 or no id; to manage product 9 instead, take 'lamp' out of the state, which stops managing product 7
                error at shop.yaml:2:3: 'gone' has the id 9, but the state has it as product 8
                    write 8 or no id; to manage product 9 instead, take 'gone' out of the state, which stops managing product 8
                """
        )
    }

    @Test func `a pin to the product that a replace deleted is outdated, not wrong`() {
        var shop = PlanFixture()
        shop.has("lamp", 8) { $0.pinnedID = MarketID(7) }
        #expect(
            shop.planText == """
                1 unchanged
                warning at shop.yaml:1:3: 'lamp' has the id 7, and is product 8 now
                    write 8 or no id
                """
        )
    }

    @Test func `a product has one key, so a pin cannot take it from another`() {
        var shop = PlanFixture()
        shop.has("lamp", 7)
        shop.wants("thief") { $0.pinnedID = MarketID(7) }
        shop.wants("killer") {
            $0.pinnedID = MarketID(7)
            $0.isAbsent = true
        }
        shop.wants("first") { $0.pinnedID = MarketID(8) }
        shop.wants("second") { $0.pinnedID = MarketID(8) }
        shop.shows(8)
        shop.input.pictureDigests = ["u/81": digest(1)]
        #expect(
            shop.planText == """
                adopt first #8 at shop.yaml:4:3: pinned by id in the manifest
                    remember first #8, vendor 29, name Lamp, description Warm light., price 100, currency USD, stock 10, images [p1], [p1=81], t/81, monday
                1 unchanged
                error at shop.yaml:2:3: 'thief' is pinned to product 7, which 'lamp' is already
                    `previously: [lamp]` renames a key; otherwise check the id
                error at shop.yaml:3:3: 'killer' is pinned to product 7, which 'lamp' is already
                    `previously: [lamp]` renames a key; otherwise check the id
                error at shop.yaml:5:3: 'second' is pinned to product 8, which 'first' is already
                    `previously: [first]` renames a key; otherwise check the id
                """
        )
    }

    @Test func `a pinned tombstone deletes what is provably ours or adopts for`() {
        var shop = PlanFixture(vendor: nil)
        shop.wants("lamp") {
            $0.pinnedID = MarketID(7)
            $0.isAbsent = true
        }
        #expect(shop.plan() == Plan())
        shop.shows(7) { $0.vendorID = 29 }
        #expect(
            shop.planText == """
                error at shop.yaml:1:3: 'lamp' is pinned to product 7, which is not provably yours
                    check the id; if the product is yours, set `market.vendor_id` or adopt by name
                """
        )
        shop.options.adopts = true
        #expect(shop.planText == "delete lamp #7 at shop.yaml:1:3: state: absent in the manifest")
        shop.input.state.vendorID = 30
        #expect(shop.plan().operations.isEmpty)
        shop.options.adopts = false
        shop.input.state.vendorID = 29
        #expect(shop.planText == "delete lamp #7 at shop.yaml:1:3: state: absent in the manifest")
    }
}
