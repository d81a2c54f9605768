@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing

struct RefreshTests {
    private func details(_ shop: PlanFixture, _ mode: RefreshMode = .changed, _ filter: KeyFilter = KeyFilter())
        -> [Int64]
    {
        shop.input.detailsNeeded(mode: mode, capabilities: shop.profile.capabilities, filter: filter).map(\.whole)
    }

    private func pictures(_ shop: PlanFixture, _ filter: KeyFilter = KeyFilter()) -> [String] {
        shop.input.picturesNeeded(capabilities: shop.profile.capabilities, filter: filter)
    }

    /// Three products as a list shows them.
    private func shop(_ profile: MarketProfile = .v2b) -> PlanFixture {
        var shop = PlanFixture(profile)
        for (key, id) in [("lamp", 7), ("desk", 8), ("chair", 9)] {
            shop.has(key, Int64(id))
            shop.input.live.products[MarketID(Int64(id))]?.images = nil
            if !profile.capabilities.listShowsDescription {
                shop.input.live.products[MarketID(Int64(id))]?.description = nil
            }
        }
        return shop
    }

    @Test(arguments: MarketProfile.builtIns)
    func `where rows and listings are as they were, the list is enough`(profile: MarketProfile) {
        let shop = shop(profile)
        #expect(details(shop) == [])
        #expect(details(shop, .nothing) == [])
        #expect(details(shop, .full) == [7, 8, 9])
        #expect(pictures(shop) == [])
        #expect(shop.plan() == Plan(unchanged: 3))
    }

    @Test func `a row that moved is looked at in detail`() {
        let moves: [(inout LiveProduct) -> Void] = [
            { $0.name = "Other" }, { $0.description = "Other words." }, { $0.price = 1 }, { $0.currency = .krw },
            { $0.thumbnailURL = "t/72" }, { $0.issuedAt = "tuesday" },
        ]
        for move in moves {
            var shop = shop()
            shop.shows(8) { row in
                row.images = nil
                move(&row)
            }
            #expect(details(shop) == [8])
            #expect(details(shop, .changed, KeyFilter(exclusions: ["desk"])) == [])
        }
    }

    @Test func `a listing that changed is looked at in detail, unless the field is ignored`() {
        var shop = shop()
        shop.input.manifest.listings[0].values.stock = 20
        shop.input.manifest.listings[1].values.stock = 20
        shop.input.manifest.listings[1].ignoreChanges = [.stock]
        #expect(details(shop) == [7])
    }

    @Test func `units that were sold are not a reason to look, where the row shows them`() {
        var shop = shop()
        shop.input.live.products[MarketID(7)]?.stock = 3
        #expect(details(shop) == [])
        #expect(shop.plan().isEmpty)
        shop.input.manifest.listings[0].ignoreChanges = [.stock]
        #expect(details(shop) == [])
        #expect(shop.plan() == Plan(unchanged: 3))
    }

    @Test func `an ended sale that the manifest does not name is not a change`() {
        var shop = shop()
        shop.input.state.entries["lamp"]?.applied.sale = Sale.fullPrice
        #expect(details(shop) == [])
        shop.input.state.entries["lamp"]?.applied.sale = .price(90)
        shop.input.live.products[MarketID(7)]?.sale = .price(90)
        #expect(details(shop) == [7])
        // Where the row shows that it is over, nothing is left to write, and the state catches up.
        shop.input.live.products[MarketID(7)]?.sale = Sale.fullPrice
        #expect(details(shop) == [])
        guard case .put(let entry)? = shop.plan().stateUpdates.first else {
            Issue.record("the state learns nothing")
            return
        }
        #expect(entry.key == "lamp" && entry.applied.sale == Sale.fullPrice && shop.plan().isEmpty)
    }

    @Test func `only a detail proves a managed product gone`() {
        var shop = shop()
        shop.input.live.products[MarketID(7)] = nil
        shop.input.live.products[MarketID(8)] = nil
        shop.input.manifest.listings[1].isAbsent = true
        shop.input.manifest.listings[2].isAbsent = true
        shop.knows("dropped", 10)
        #expect(details(shop) == [7, 8, 10])
        #expect(details(shop, .changed, KeyFilter(targets: ["d*"])) == [8, 10])
    }

    @Test func `candidates for adoption are looked at, other vendors' products are not`() {
        var shop = shop()
        shop.wants("new") { $0.values.name = "New" }
        shop.shows(20) { $0.name = "New" }
        shop.shows(21) {
            $0.name = "New"; $0.vendorID = 30
        }
        shop.shows(22)
        #expect(details(shop) == [20])
        #expect(pictures(shop) == ["u/201"])
        #expect(details(shop, .changed, KeyFilter(targets: ["lamp"])) == [])
        #expect(pictures(shop, KeyFilter(targets: ["lamp"])) == [])
    }

    @Test func `a pinned product is looked at, listed or not`() {
        var shop = shop()
        shop.wants("listed") { $0.pinnedID = MarketID(20) }
        shop.shows(20) { $0.name = "Other" }
        shop.wants("unlisted") { $0.pinnedID = MarketID(21) }
        shop.wants("doomed") {
            $0.pinnedID = MarketID(22); $0.isAbsent = true
        }
        #expect(details(shop) == [20, 21, 22])
    }

    @Test func `a product is found by its old key`() {
        var shop = PlanFixture()
        shop.wants("desk-lamp") { $0.previously = ["lamp"] }
        shop.manages("lamp", 7)
        #expect(details(shop) == [])
        shop.input.state.entries["lamp"]?.images = nil
        #expect(pictures(shop) == ["u/71"])
    }

    @Test func `only pictures that no reply of ours named are fetched, each once`() {
        var shop = PlanFixture()
        shop.has("lamp", 7)
        shop.shows(7, pictures: 2)
        shop.input.live.products[MarketID(7)]?.images?.append(.init(id: 73, url: "u/72"))
        #expect(pictures(shop) == ["u/72"])
        shop.input.manifest.listings[0].ignoreChanges = [.images]
        #expect(pictures(shop) == [])
        shop.input.manifest.listings[0].ignoreChanges = []
        shop.input.manifest.listings[0].values.images = nil
        #expect(pictures(shop) == [])
    }

    @Test(arguments: [MarketProfile.v1a, .v1b])
    func `v1 changes the bytes, so none are fetched`(profile: MarketProfile) {
        var shop = PlanFixture(profile)
        shop.wants("lamp")
        shop.shows(7)
        #expect(pictures(shop) == [])
    }

    // MARK: - Trusting the state

    @Test(arguments: MarketProfile.builtIns)
    func `the remembered catalog needs nothing`(profile: MarketProfile) {
        var shop = PlanFixture(profile)
        for (key, id) in [("lamp", 7), ("desk", 8)] { shop.has(key, Int64(id)) }
        shop.input.live = .remembered(by: shop.input.state)
        #expect(shop.plan() == Plan(unchanged: 2))
    }

    @Test func `the remembered catalog knows the pictures`() {
        var shop = PlanFixture()
        shop.wants("lamp") {
            $0.values.images = OpenMarketTests.pictures(1, 2)
            $0.values.thumbnail = .digest(digest(2))
            $0.values.price = 120
        }
        shop.knows("lamp", 7) {
            $0.applied.images = OpenMarketTests.pictures(1, 2)
            $0.applied.thumbnail = .digest(digest(1))
        }
        shop.input.live = .remembered(by: shop.input.state)
        #expect(
            shop.planText == """
                update lamp #7 at shop.yaml:1:3: changed in the manifest
                    price change: 100 | 100 | 120
                    thumbnail change: p1 | p1 | p2
                    thumbnail is picture 72
                """
        )
    }
}
