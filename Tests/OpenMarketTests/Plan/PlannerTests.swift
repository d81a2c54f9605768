@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing

struct PlannerTests {
    // MARK: - Life of a product

    @Test func `a product that is new in the manifest is made with every field`() {
        var shop = PlanFixture()
        shop.wants("lamp") {
            $0.values.sale = .price(90)
            $0.values.images = pictures(1, 2)
            $0.values.thumbnail = .digest(digest(2))
            $0.ignoreChanges = [.stock]
            $0.isProtected = true
            $0.secret = ResolvedSecret(reference: .environment("LAMP"), value: Secret("example"))
        }
        #expect(
            shop.planText == """
                create lamp at shop.yaml:1:3: new in the manifest
                    makes name Lamp, description Warm light., price 100, currency USD, sale_price 90, stock 10, images [p1 p2], thumbnail p2
                    sends p1.png p2.png
                    password from environment("LAMP")
                    protected
                """
        )
        #expect(shop.plan().operations[0].changes.map(\.field) == ProductField.allCases)
    }

    @Test func `a product that lacks what the market demands is not made`() {
        var shop = PlanFixture(.v1b)
        shop.wants("lamp") {
            $0.values.stock = nil
            $0.values.images = nil
        }
        #expect(
            shop.planText == """
                error at shop.yaml:1:3: 'lamp' has to be created, but the manifest lacks: stock, images
                """
        )
        shop.profile = .v2b
        #expect(shop.planText == "error at shop.yaml:1:3: 'lamp' has to be created, but the manifest lacks: images")
    }

    @Test(arguments: [Int64?.none, 29])
    func `what is another vendor's under our number is never planned over`(said: Int64?) {
        var shop = PlanFixture(.v2b, vendor: said)
        shop.wants("lamp")
        shop.wants("desk") { $0.isAbsent = true }
        shop.wants("rug") { $0.pinnedID = MarketID(9) }
        for (key, id) in [("lamp", Int64(7)), ("desk", 8), ("rug", 9), ("dropped", 10)] {
            // Where our number is not known otherwise, the state still knows whose each product was.
            shop.knows(key, id) { $0.vendorID = 29 }
            shop.shows(id) {
                $0.name = "A neighbour's"
                $0.vendorID = 30
            }
        }
        let plan = shop.plan()
        #expect(
            plan.operations.map { "\($0.action) \($0.key): \($0.reason)" } == [
                "create lamp: gone from the market (product 7 is vendor 30's now)",
                "forget desk: state: absent in the manifest, and gone from the market (product 8 is vendor 30's now)",
                "forget dropped: no longer in the manifest, and gone from the market (product 10 is vendor 30's now)",
            ]
        )
        #expect(
            plan.diagnostics.map(\.message) == ["'rug' is pinned to product 9, which is not provably yours"]
        )
    }

    @Test func `a product that is gone from the market is made again`() {
        var shop = PlanFixture()
        shop.wants("lamp")
        shop.knows("lamp", 7)
        #expect(shop.plan().operations.map(\.action) == [.create])
        #expect(shop.plan().operations.map(\.reason) == ["gone from the market (was product 7)"])
    }

    @Test func `a product that the manifest no longer names is deleted`() {
        var shop = PlanFixture()
        shop.has("desk", 8)
        shop.knows("lamp", 7) { $0.secret = .environment("LAMP") }
        shop.shows(7)
        #expect(
            shop.planText == """
                delete lamp #7: no longer in the manifest
                    password from environment("LAMP")
                1 unchanged
                """
        )
        var live = PlanFixture.values
        (live.sale, live.thumbnail) = (.fullPrice, .digest(digest(1)))
        guard case .delete(let deletion) = shop.plan().operations[0].work else {
            Issue.record("\(shop.plan().operations)")
            return
        }
        #expect(deletion.id == MarketID(7))
        #expect(deletion.live == live)
        #expect(deletion.livePictures.images?.map(\.url) == ["u/71"])
    }

    @Test(arguments: [nil, "NEW"])
    func `a tombstone's own password counts before the one that the state knows`(variable: String?) {
        var shop = PlanFixture(.v1b)
        shop.wants("lamp") { listing in
            listing.isAbsent = true
            listing.secret = variable.map { ResolvedSecret(reference: .environment($0), value: Secret("x")) }
        }
        shop.knows("lamp", 7) { $0.secret = .environment("OLD") }
        shop.shows(7)
        #expect(shop.plan().operations.map(\.secret) == [.environment(variable ?? "OLD")])
    }

    @Test func `what is to go and is gone already is forgotten`() {
        var shop = PlanFixture()
        shop.wants("lamp") { $0.isAbsent = true }
        shop.knows("lamp", 7)
        shop.knows("desk", 8)
        #expect(
            shop.planText == """
                forget lamp #7 at shop.yaml:1:3: state: absent in the manifest, and gone from the market
                forget desk #8: no longer in the manifest, and gone from the market
                """
        )
    }

    @Test func `a tombstone of a product that never was is quiet and never goes by name`() {
        var shop = PlanFixture()
        shop.wants("lamp") { $0.isAbsent = true }
        shop.shows(7)
        #expect(shop.plan() == Plan())
    }

    @Test func `a product that we do not manage is never touched`() {
        var shop = PlanFixture()
        shop.has("lamp", 7)
        shop.shows(8) { $0.vendorID = 30 }
        shop.shows(9) { $0.name = "Our other lamp" }
        #expect(shop.plan() == Plan(unchanged: 1))
    }

    @Test func `the state learns protection and password without a request`() throws {
        var shop = PlanFixture(.v1b)
        shop.has("lamp", 7) {
            $0.isProtected = true
            $0.secret = ResolvedSecret(reference: .environment("LAMP"), value: Secret("example"))
        }
        let entry = try #require(shop.input.state.entries["lamp"]).with {
            $0.isProtected = true
            $0.secret = .environment("LAMP")
        }
        #expect(shop.plan() == Plan(unchanged: 1, stateUpdates: [.put(entry)]))
    }

    // MARK: - Protection

    @Test func `a protected product is neither deleted nor replaced, whoever asks`() {
        var shop = PlanFixture()
        shop.wants("lamp") { $0.isAbsent = true }
        shop.knows("lamp", 7) { $0.isProtected = true }
        shop.shows(7)
        shop.wants("desk") {
            $0.isProtected = true
            $0.values.images = pictures(2)
        }
        shop.knows("desk", 8) { $0.isProtected = true }
        shop.shows(8)
        shop.knows("chair", 9) { $0.isProtected = true }
        shop.shows(9)
        shop.wants("sofa") {
            $0.isProtected = true
            $0.isAbsent = true
            $0.pinnedID = MarketID(10)
        }
        shop.shows(10)
        let override = "[set `protected: false` on it and apply that first]"
        #expect(
            shop.planText == """
                refused at shop.yaml:1:3: 'lamp' is protected and would be deleted \(override)
                refused at shop.yaml:2:3: 'desk' is protected and would be replaced \(override)
                refused at shop.yaml:3:3: 'sofa' is protected and would be deleted \(override)
                refused: 'chair' is protected and would be deleted \(override.dropLast()); `openmarket state forget` leaves it on the market]
                """
        )
    }

    @Test func `a protected product can be changed, and forgotten once it is gone`() {
        var shop = PlanFixture()
        shop.wants("lamp") {
            $0.isProtected = true
            $0.values.price = 120
        }
        shop.knows("lamp", 7) { $0.isProtected = true }
        shop.shows(7)
        shop.knows("desk", 8) { $0.isProtected = true }
        #expect(
            shop.planText == """
                update lamp #7 at shop.yaml:1:3: changed in the manifest
                    price change: 100 | 100 | 120
                    protected
                forget desk #8: no longer in the manifest, and gone from the market
                """
        )
    }

    // MARK: - Order, leftovers

    @Test func `operations come by action, then as the manifest has them, then by key`() {
        var shop = PlanFixture()
        shop.wants("new-2") { $0.values.name = "New" }
        shop.wants("dead") { $0.isAbsent = true }
        shop.wants("moved") { $0.values.images = pictures(2) }
        shop.wants("dearer") { $0.values.price = 120 }
        shop.wants("known") {
            $0.values.name = "Known"
            $0.values.price = 120
        }
        shop.wants("new-1") { $0.values.name = "New too" }
        for (key, id) in [("dead", 1), ("moved", 2), ("dearer", 3), ("b-dropped", 4), ("a-dropped", 5), ("gone", 6)] {
            shop.knows(key, Int64(id))
            if id != 6 { shop.shows(Int64(id)) }
        }
        shop.shows(7) { $0.name = "Known" }
        shop.input.pictureDigests = ["u/71": digest(1)]
        let plan = shop.plan()
        #expect(
            plan.operations.map { "\($0.action.symbol) \($0.key)" } == [
                "= known", "+ new-2", "+ new-1", "~ dearer", "~ known", "-/+ moved", "- dead", "- a-dropped",
                "- b-dropped", "- gone",
            ]
        )
        var summary = PlanSummary(unchanged: 0)
        (summary.add, summary.change, summary.replace, summary.delete) = (2, 2, 1, 3)
        (summary.adopt, summary.forget) = (1, 1)
        #expect(plan.summary == summary)
        #expect(!plan.isEmpty)
    }

    @Test func `deletes that a replace still owes are planned once and trip no brake`() {
        var shop = PlanFixture()
        shop.options.policies.maximumDelete = .count(0)
        shop.has("lamp", 8)
        shop.shows(7)
        shop.wants("twin") { $0.values.images = pictures(2) }
        shop.wants("pinned") { $0.pinnedID = MarketID(7) }
        let owed = PlannedOperation(
            key: "lamp",
            reason: "replaced by product 8",
            work: .delete(PlannedOperation.Deletion(id: MarketID(7), live: ProductValues()))
        )
        shop.input.owedDeletes = [owed, owed]
        // The old product has the twin's name and is still no candidate for anything.
        #expect(
            shop.planText == """
                create twin at shop.yaml:2:3: new in the manifest
                    makes name Lamp, description Warm light., price 100, currency USD, stock 10, images [p2]
                    sends p2.png
                delete lamp #7: replaced by product 8
                1 unchanged
                error at shop.yaml:3:3: 'pinned' is pinned to product 7, which an unfinished replace is about to delete
                    take the line `id: 7` out
                """
        )
    }

    @Test func `a key that is blocked is left alone under all its names`() {
        var shop = PlanFixture()
        shop.wants("lamp")
        shop.wants("desk-lamp") { $0.previously = ["old-lamp"] }
        shop.manages("chair", 9)
        shop.input.blockedKeys = ["lamp", "old-lamp", "chair"]
        #expect(shop.plan() == Plan())
    }

    @Test func `a product whose row cannot be read is neither made again nor forgotten`() {
        var shop = PlanFixture()
        shop.wants("lamp")
        shop.knows("lamp", 7)
        shop.knows("desk", 8)
        shop.input.live.problems = [
            RowProblem(id: MarketID(7), place: "page 3, row 7", message: "price is null"),
            RowProblem(id: MarketID(8), place: "page 3, row 8", message: "no object"),
            RowProblem(place: "page 4, row 1", message: "no id"),
        ]
        #expect(
            shop.planText == """
                warning at shop.yaml:1:3: 'lamp' is left alone, because the market's row could not be read: page 3, row 7: price is null
                warning: 'desk' is left alone, because the market's row could not be read: page 3, row 8: no object
                """
        )
        // What could be read in detail after all is a product like others.
        shop.shows(7)
        shop.input.state.entries["desk"] = nil
        #expect(shop.plan() == Plan(unchanged: 1))
    }
}

extension StateEntry {
    func with(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }
}
