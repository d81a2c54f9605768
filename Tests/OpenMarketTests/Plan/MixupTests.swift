@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing

/// Products that are taken for each other by a slip of the hand are noticed before anything is written.
struct MixupTests {
    /// Five managed products, whose listings have the texts of others: at each place, that of the product with this number.
    ///
    /// With `drifted` the texts wandered on the market, and not in the manifest.
    private func shop(_ places: [Int], _ field: ProductField = .name, isTable: Bool, drifted: Bool = false)
        -> PlanFixture
    {
        var shop = PlanFixture()
        func text(_ number: Int) -> FieldValue { .text("The lamp of number \(number)") }
        for (number, place) in places.enumerated() {
            let id = Int64(number + 1)
            shop.knows("lamp-\(number)", id) { $0.applied[field] = text(number) }
            shop.shows(id) { $0.values[field] = text(drifted ? place : number) }
            shop.wants("lamp-\(number)") {
                $0.values[field] = text(drifted ? number : place)
                if isTable { $0.row = TableRow(header: ["id", field.rawValue]) }
            }
        }
        if isTable { shop.input.manifest.isComplete = false }
        return shop
    }

    @Test(
        arguments: [
            ([1, 2, 3, 4, 0], 5), ([4, 0, 1, 2, 3], 5), ([1, 0, 2, 3, 4], 2), ([4, 3, 2, 1, 0], 4),
            ([0, 1, 3, 4, 5], 2),
        ],
        [true, false]
    )
    func `texts that wander between products are refused`(slip: (places: [Int], moved: Int), isTable: Bool) {
        for field in [ProductField.name, .description] {
            var shop = shop(slip.places, field, isTable: isTable)
            let refusals = shop.plan().refusals
            // In YAML a chain of new names, "2025" to "2026" and so on, is an edit.
            guard isTable || Set(slip.places) == [0, 1, 2, 3, 4] else {
                #expect(refusals == [])
                continue
            }
            #expect(refusals.map(\.override) == [.wanderingTexts])
            #expect(
                refusals.first?.message.hasPrefix(
                    "\(slip.moved) products would get the \(field.rawValue)s that others of them have"
                )
                    ?? false
            )
            shop.options.allowsNamesakes = true
            #expect(shop.plan().refusals == [])
            #expect(self.shop(slip.places, field, isTable: isTable, drifted: true).plan().refusals == [])
        }
    }

    @Test(arguments: [(3, "Rubber clogs"), (2, "Rubber clogs"), (3, "The lamp of number"), (3, nil)])
    func `rows that delete the products of other names are probably another market's`(count: Int, name: String?) {
        var shop = PlanFixture()
        for number in 0..<count {
            let id = Int64(number + 1)
            shop.manages("lamp-\(number)", id) { $0.name = "The lamp of number \(number)" }
            shop.wants("lamp-\(number)") {
                $0.values = ProductValues(name: name)
                $0.isAbsent = true
                $0.pinnedID = MarketID(id)
                $0.row = TableRow(action: .delete, header: ["id", "name"])
            }
        }
        shop.input.manifest.isComplete = false
        let isRefused = shop.plan().refusals.contains { $0.override == .otherMarketsIDs }
        #expect(isRefused == (count == 3 && name == "Rubber clogs"))
    }

    @Test func `one name that another product gives up is not a slip`() {
        #expect(shop([1, 5, 2, 3, 4], isTable: false).plan().refusals == [])
        #expect(shop([5, 6, 7, 8, 9], isTable: false).plan().refusals == [])
    }

    /// Three managed products whose ids the state has in another order.
    private func exchanged(_ order: [Int64], leaving: Int? = nil) -> PlanFixture {
        var shop = PlanFixture()
        for number in Int64(1)...3 { shop.shows(number) { $0.name = "The lamp of number \(number)" } }
        for (number, id) in zip(Int64(1)..., order) {
            let name = "The lamp of number \(number)"
            shop.knows("lamp-\(number)", id) { entry in
                entry.applied.name = name
                entry.images = [.init(digest: digest(1), reference: "\(number)1")]
            }
            if leaving != Int(number) { shop.wants("lamp-\(number)") { $0.values.name = name } }
        }
        return shop
    }

    @Test func `a product that shows what was last applied to another one is not that key's`() {
        #expect(exchanged([1, 2, 3]).plan().refusals == [])
        for order in [[2, 1, 3], [1, 3, 2], [3, 2, 1], [2, 3, 1], [3, 1, 2], [2, 99, 3]] as [[Int64]] {
            var shop = exchanged(order)
            #expect(shop.plan().refusals.first { $0.override == .exchangedIDs } != nil, "\(order)")
            shop.options.allowsNamesakes = true
            #expect(!shop.plan().refusals.contains { $0.override == .exchangedIDs })
        }
        // Nor is one deleted for another.
        #expect(exchanged([2, 1, 3], leaving: 1).plan().refusals.contains { $0.override == .exchangedIDs })
    }

    @Test func `a column of a table that slid or was sorted alone is refused`() {
        // The values of six rows, as places of the rows that had them.
        let slips = [
            [1, 2, 3, 4, 5, 0], [5, 0, 1, 2, 3, 4], [5, 4, 3, 2, 1, 0], [0, 0, 1, 2, 3, 4], [1, 2, 3, 4, 5, 5],
        ]
        let edits = [[1, 0, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5], [7, 8, 9, 10, 11, 12]]
        let prices: [Int64] = [100, 120, 110, 150, 90, 80, 77, 66, 55, 44, 33, 22, 11]
        func shop(_ places: [Int], _ field: ProductField) -> PlanFixture {
            var shop = PlanFixture()
            func value(_ place: Int) -> FieldValue {
                switch field {
                case .price: .number(ExactDecimal(prices[place]))
                case .stock: .integer(prices[place])
                default: .images(pictures(UInt8(place + 1)))
                }
            }
            for (number, place) in places.enumerated() {
                let name = "The lamp of number \(number)"
                shop.knows("lamp-\(number)", Int64(number + 1)) {
                    $0.applied.name = name
                    $0.applied[field] = value(number)
                }
                shop.shows(Int64(number + 1)) {
                    $0.name = name
                    if field != .images { $0.values[field] = value(number) }
                }
                shop.wants("lamp-\(number)") {
                    $0.values = ProductValues()
                    $0.values[field] = value(place)
                    $0.row = TableRow(header: ["key", field.rawValue])
                }
            }
            shop.input.manifest.isComplete = false
            return shop
        }
        for field in [ProductField.price, .stock, .images] {
            for places in slips {
                var shop = shop(places, field)
                #expect(shop.plan().refusals.map(\.override).contains(.wanderingTexts), "\(field) \(places)")
                shop.options.allowsNamesakes = true
                #expect(!shop.plan().refusals.map(\.override).contains(.wanderingTexts))
            }
            for places in edits {
                #expect(
                    !shop(places, field).plan().refusals.map(\.override).contains(.wanderingTexts),
                    "\(field) \(places)"
                )
            }
        }
    }

    @Test func `a table of another market is not written over the products that have its ids`() {
        func shop(_ name: (Int) -> String, price: ExactDecimal?) -> PlanFixture {
            var shop = PlanFixture()
            for number in 1...5 {
                let old = "Production chair \(number)"
                shop.manages("chair-\(number)", Int64(number)) { $0.name = old }
                shop.wants("chair-\(number)") {
                    $0.values = ProductValues(name: name(number), price: price)
                    $0.pinnedID = MarketID(Int64(number))
                    $0.row = TableRow(header: ["id", "name", "price"])
                }
            }
            shop.input.manifest.isComplete = false
            shop.input.manifest.market.url = "http://b"
            return shop
        }
        #expect(shop({ "Staging lamp \($0)" }, price: 200).plan().refusals.map(\.override) == [.otherMarketsIDs])
        #expect(shop({ "Staging lamp \($0)" }, price: nil).plan().refusals.map(\.override) == [.otherMarketsIDs])
        // Translated names keep their prices, a sale of all keeps the names, and two rows are the edit of a hand.
        #expect(shop({ "의자 \($0)" }, price: 100).plan().refusals == [])
        #expect(shop({ "SALE! Production chair \($0)" }, price: 90).plan().refusals == [])
        #expect(shop({ $0 < 3 ? "Staging lamp \($0)" : "Production chair \($0)" }, price: 90).plan().refusals == [])
        // What the certificate says needs no likeness.
        for (url, profile, isRefused) in [
            ("http://a", MarketProfile.v2b, true), ("http://b", .v1b, true), ("http://b", .v2a, false),
        ] {
            var shop = shop({ "Production chair \($0)" }, price: 90)
            let market = MarketScope(url: url, profile: profile, identifier: nil)
            shop.input.manifest.exports = [ExportedTable(file: "shop.yaml", market: market, profile: profile)]
            #expect(shop.plan().refusals.map(\.override) == (isRefused ? [.otherMarketsIDs] : []))
            shop.options.allowsNamesakes = true
            #expect(shop.plan().refusals == [])
        }
    }

    @Test func `a product of another name and other pictures is taken over by its id only when the user confirms it`() {
        for (name, picture, isRefused) in [
            ("Lamp", UInt8(1), false), ("Sofa", 1, false), ("Lamp", 2, false), ("Sofa", 2, true),
        ] {
            var shop = PlanFixture()
            shop.shows(7)
            for url in shop.input.live.products[MarketID(7)]?.images?.map(\.url) ?? [] {
                shop.input.pictureDigests[ExactText(url)] = digest(1)
            }
            shop.wants("sofa") {
                $0.values.name = name
                $0.values.images = pictures(picture)
                $0.pinnedID = MarketID(7)
            }
            let expected: [PlanOverride?] = isRefused ? [.otherProduct] : []
            #expect(shop.plan().refusals.map(\.override) == expected, "\(name) \(picture)")
            shop.options.adopts = true
            #expect(shop.plan().refusals == [])
        }
    }

    @Test(arguments: [2, 5, 40])
    func `a manifest that has none of the managed products leaves them alone`(count: Int) {
        var shop = PlanFixture()
        for number in 1...count {
            shop.manages("ours-\(number)", Int64(number)) { $0.name = "Ours \(number)" }
            shop.wants("other-\(number)") {
                $0.values.name = "Other \(number)"
                $0.values.images = pictures(9)
            }
        }
        #expect(shop.plan().refusals.map(\.override) == [.deletes(count)])
        // The user says how many may go, or the manifest keeps one of them.
        var allowed = shop
        allowed.options.policies.maximumDelete = .count(count)
        #expect(allowed.plan().refusals == [])
        if count < 11 {
            var known = shop
            known.wants("ours-1") { $0.isAbsent = true }
            #expect(known.plan().refusals.map(\.override) == [.deletes(count)], "to delete one is not to keep one")
            known = shop
            known.wants("renamed") { $0.previously = ["ours-1"] }
            #expect(known.plan().refusals == [])
        }
    }

    /// A market that began again has given the numbers of our products, and of their pictures, to others.
    @Test func `what has another name, price and pictures is not deleted unasked`() {
        for (name, price, thumbnail, isAsked) in [
            ("Sofa", 90_000, "t/new", true), ("Sofa", 90_000, "t/71", false), ("Sofa", 1000, "t/new", false),
            ("Lamp", 90_000, "t/new", false),
        ] as [(String, ExactDecimal, String, Bool)] {
            var shop = PlanFixture()
            shop.knows("lamp", 7) { ($0.applied.name, $0.applied.price) = ("Lamp", 1000) }
            shop.shows(7) { ($0.name, $0.price, $0.thumbnailURL) = (name, price, thumbnail) }
            shop.has("mug", 8)
            let plan = shop.plan()
            #expect(plan.operations.map(\.action) == [.delete])
            #expect(plan.refusals.map(\.override) == (isAsked ? [.exchangedIDs] : []), "\(name) \(price) \(thumbnail)")
        }
    }

    @Test func `where pictures are not compared a product of another name and description is not taken over by its id`()
    {
        for isManaged in [true, false] {
            var shop = PlanFixture(isManaged ? .v1b : .v2b)
            shop.wants("sofa") {
                $0.pinnedID = 7
                ($0.values.name, $0.values.description) = ("Sofa red", "Seats three people.")
                if !isManaged { $0.values.images = nil }
            }
            shop.shows(7) { ($0.name, $0.description) = ("Desk lamp", "Warm light, two arms.") }
            #expect(shop.plan().refusals.map(\.override) == [.otherProduct])
            shop.options.adopts = true
            #expect(shop.plan().refusals == [])
        }
    }

    @Test func `a product that leaves while one of its name appears may be renamed`() {
        var shop = PlanFixture()
        shop.manages("lamp-old", 7)
        shop.wants("lamp-new") { $0.values.images = pictures(4) }
        #expect(
            shop.plan().diagnostics.map(\.message) == ["'lamp-old' leaves and 'lamp-new' appears with the same name"]
        )
    }
}
