@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing

/// A product that is probably there under another key is not made a second time until the user says that it is another.
struct KeyLikenessTests {
    private static let keys = ["Desk-007", "007", "cafe\u{301}-1".composed]

    @Test(arguments: [true, false], [true, false])
    func `a slip of a managed key is refused, in manifests and tables`(isTable: Bool, isListed: Bool) {
        var tried = 0
        for key in Self.keys {
            for slip in KeySlip.allCases where slip.of(key) != key {
                let typed = slip.of(key)
                tried += 1
                var shop = PlanFixture()
                shop.manages(key, 7)
                if isListed { shop.wants(key) }
                shop.wants(typed) {
                    $0.values.name = "Another name"
                    if isTable { $0.row = TableRow(header: ["key", "name"]) }
                }
                if isTable { shop.input.manifest.isComplete = false }
                let plan = shop.plan()
                let place = isTable ? "shop.yaml:\(isListed ? 2 : 1):key" : "shop.yaml:\(isListed ? 2 : 1):3"
                #expect(
                    plan.refusals.map(\.message) == [
                        "'\(typed)' would be created although '\(key)', which is product 7, is probably the same key"
                    ],
                    "\(slip) of \(key)"
                )
                #expect(plan.refusals.map { $0.source?.description } == [place])
                let canRename = !isListed && !isTable
                #expect(plan.refusals.map(\.override) == [.respelling(of: key, canRename: canRename)])
                #expect(plan.doubtfulKeys == [typed])
                // The user says that it is another one, or did when an earlier run was to create it.
                shop.options.allowsNamesakes = true
                #expect(shop.plan().refusals == [] && shop.plan().operations.contains { $0.action == .create })
                shop.options.allowsNamesakes = false
                guard !isTable else { continue }
                shop.input.begunCreates = [typed]
                #expect(shop.plan().refusals == [], "\(slip) of \(key)")
            }
        }
        #expect(tried > 20)
    }

    @Test func `a key that an unfinished run may have created is known, too`() {
        var shop = PlanFixture()
        shop.input.blockedKeys = ["lamp"]
        shop.wants("Lamp")
        #expect(
            shop.plan().refusals.map(\.message) == [
                "'Lamp' would be created although 'lamp', which an unfinished run may have created, is probably the same key"
            ]
        )
    }

    @Test func `new keys that are alike are made with a word`() {
        var shop = PlanFixture()
        shop.wants("lamp-1")
        shop.wants("Lamp-1") { $0.values.name = "Desk" }
        let plan = shop.plan()
        #expect(plan.operations.map(\.action) == [.create, .create])
        #expect(
            plan.diagnostics.map { "\($0.severity): \($0.message)" } == [
                "warning: the keys 'lamp-1' and 'Lamp-1' are probably meant to be one, and are two products"
            ]
        )
        for number in 0..<30 {
            shop.wants("k\(number)") { $0.values.name = "Chair \(number)" }
            shop.wants("K\(number)") { $0.values.name = "Chair \(number)" }
        }
        #expect(shop.plan().diagnostics.count == 21)
        #expect(shop.plan().diagnostics.last?.message == "11 more new keys are like another new one")
    }

    @Test func `keys that are alike and managed both stay as they are`() {
        var shop = PlanFixture()
        shop.has("lamp", 7)
        shop.has("Lamp", 8)
        #expect(shop.plan() == Plan(unchanged: 2))
        // One that is gone from the market is made again: its key is known.
        shop.input.live.products[MarketID(8)] = nil
        #expect(shop.plan().refusals == [])
        #expect(shop.plan().operations.map(\.key) == ["Lamp"])
    }

    @Test func `a row that is to update or delete a key that is not known names the one that is meant`() {
        var shop = PlanFixture()
        shop.input.manifest.isComplete = false
        shop.manages("lamp", 7)
        shop.wants("Lamp") { $0.row = TableRow(action: .update) }
        shop.wants("LAMP") {
            $0.row = TableRow(action: .delete)
            $0.isAbsent = true
        }
        #expect(shop.plan().operations == [])
        #expect(shop.plan().diagnostics.map(\.help) == Array(repeating: "write 'lamp' if it is that product", count: 2))
    }

    // MARK: - Name and pictures

    @Test(arguments: MarketProfile.builtIns)
    func `a second product of the name and the pictures of a managed one is refused`(profile: MarketProfile) {
        var shop = PlanFixture(profile)
        shop.has("lamp", 7)
        shop.wants("lamp-too") { $0.values.price = 900 }
        let place = shop.input.manifest.listings[1].location()
        #expect(
            shop.plan().refusals == [
                PlanRefusal(
                    "'lamp-too' would be created although product 7, which 'lamp' manages, has its name and its pictures",
                    override: .secondListing(of: "lamp", canRename: false),
                    source: place
                )
            ]
        )
        var meant = shop
        meant.options.allowsNamesakes = true
        #expect(meant.plan().refusals == [])
        #expect(meant.plan().namesakes.others == [MarketID(7)])
        meant = shop
        meant.input.begunCreates = ["lamp-too"]
        #expect(meant.plan().refusals == [])
        // Where the other key is given up, it may be the same product under a new one.
        shop.input.manifest.listings.remove(at: 0)
        #expect(shop.plan().refusals.map(\.override) == [.secondListing(of: "lamp", canRename: true)])
        shop.input.manifest.listings[0].previously = ["lamp"]
        #expect(shop.plan().refusals == [])
        #expect(!shop.plan().operations.contains { $0.makesProduct })
    }

    @Test func `other pictures or another name make another product, another order of pictures does not`() {
        func refusals(_ change: (inout Listing) -> Void) -> Int {
            var shop = PlanFixture()
            shop.wants("lamp") { $0.values.images = pictures(1, 2) }
            shop.knows("lamp", 7) { $0.applied.images = pictures(1, 2) }
            shop.shows(7, pictures: 2)
            shop.wants("other") {
                $0.values.images = pictures(1, 2)
                change(&$0)
            }
            return shop.plan().refusals.count
        }
        #expect(refusals { _ in } == 1)
        #expect(refusals { $0.values.images = pictures(2, 1) } == 1)
        #expect(refusals { $0.values.description = "Other words." } == 1)
        #expect(refusals { $0.values.images = pictures(1) } == 0)
        #expect(refusals { $0.values.images = pictures(1, 3) } == 0)
        #expect(refusals { $0.values.name = "Desk" } == 0)
    }

    @Test func `a copy of a product that is edited in the same manifest is refused`() {
        var shop = PlanFixture()
        shop.has("lamp", 7) { $0.values.name = "Floor lamp" }
        shop.wants("lamp-copy") { $0.values.name = "Floor lamp" }
        #expect(shop.plan().refusals.map(\.override) == [.secondListing(of: "lamp", canRename: false)])
    }

    @Test func `twins of one manifest are made the first time, and one whose twin has to go`() {
        var shop = PlanFixture()
        shop.wants("left")
        shop.wants("right")
        #expect(shop.plan().refusals == [])
        #expect(shop.plan().operations.map(\.action) == [.create, .create])
        // A run that was broken off between them goes on.
        shop.manages("left", 7)
        #expect(shop.plan().refusals.count == 1)
        shop.input.begunCreates = ["right"]
        #expect(shop.plan().refusals == [])
        // The other one has to go.
        shop.input.begunCreates = []
        shop.input.manifest.listings[0].isAbsent = true
        #expect(shop.plan().refusals == [])
        // The other one does not show, and is made again.
        shop.input.manifest.listings[0].isAbsent = false
        shop.input.live.products[MarketID(7)] = nil
        #expect(shop.plan().operations.map(\.key) == ["left", "right"])
        #expect(shop.plan().refusals.map(\.override) == [.secondListing(of: "left", canRename: false)])
    }

    @Test func `of many slips the first twenty are reported one by one`() {
        var shop = PlanFixture()
        for id in Int64(1)...23 {
            shop.has("k\(id)", id)
            shop.wants("K\(id)") { $0.values.name = "Another \(id)" }
        }
        let refusals = shop.plan().refusals
        #expect(refusals.count == 21)
        #expect(
            refusals.last
                == PlanRefusal(
                    "3 more would be created although other keys are probably the same products",
                    override: .manyRespellings
                )
        )
    }
}
