import OpenMarket
import Testing

/// Products that are taken for each other by a slip of the hand are noticed before anything is written.
struct MixupTests {
    /// Five managed products, whose listings have the texts of others.
    ///
    /// - Parameters:
    ///   - places: for each listing, which product's text it has.
    ///   - field: the text that wanders.
    ///   - drifted: whether the texts wandered on the market, and not in the manifest.
    private func shop(_ places: [Int], _ field: ProductField = .name, isTable: Bool, drifted: Bool = false)
        -> PlanFixture
    {
        var shop = PlanFixture()
        func text(_ number: Int) -> FieldValue { .text("The lamp of number \(number)") }
        for (number, place) in places.enumerated() {
            let id = Int64(number + 1)
            shop.knows("lamp-\(number)", id) { $0.applied[field] = text(number) }
            shop.shows(id) { product in
                guard case .text(let shown) = text(drifted ? place : number) else { return }
                if field == .name { product.name = shown } else { product.description = shown }
            }
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

    @Test func `one name that another product gives up is not a slip`() {
        #expect(shop([1, 5, 2, 3, 4], isTable: false).plan().refusals == [])
        #expect(shop([5, 6, 7, 8, 9], isTable: false).plan().refusals == [])
    }

    @Test func `a product of another name and other pictures is taken over by its id only when the user vouches`() {
        for (name, picture, isRefused) in [
            ("Lamp", UInt8(1), false), ("Sofa", 1, false), ("Lamp", 2, false), ("Sofa", 2, true),
        ] {
            var shop = PlanFixture()
            shop.shows(7)
            for url in shop.input.live.products[ProductID(7)]?.images?.map(\.url) ?? [] {
                shop.input.pictureDigests[ExactText(url)] = digest(1)
            }
            shop.wants("sofa") {
                $0.values.name = name
                $0.values.images = pictures(picture)
                $0.pinnedID = ProductID(7)
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
            shop.knows("ours-\(number)", Int64(number)) { $0.applied.name = "Ours \(number)" }
            shop.shows(Int64(number)) { $0.name = "Ours \(number)" }
            shop.wants("other-\(number)") {
                $0.values.name = "Other \(number)"
                $0.values.images = pictures(9)
            }
        }
        #expect(shop.plan().refusals.map(\.override) == [.deletes(count)])
        // The user says how many may go, or the manifest knows one of them, if only to delete it.
        var allowed = shop
        allowed.options.policies.maximumDelete = .count(count)
        #expect(allowed.plan().refusals == [])
        if count < 11 {
            var known = shop
            known.wants("ours-1") { $0.isAbsent = true }
            #expect(known.plan().refusals == [])
            known = shop
            known.wants("renamed") { $0.previously = ["ours-1"] }
            #expect(known.plan().refusals == [])
        }
    }

    @Test func `a product that leaves while one of its name appears may be renamed`() {
        var shop = PlanFixture()
        shop.knows("lamp-old", 7)
        shop.shows(7)
        shop.wants("lamp-new") { $0.values.images = pictures(4) }
        #expect(
            shop.plan().diagnostics.map(\.message) == ["'lamp-old' leaves and 'lamp-new' appears with the same name"]
        )
    }
}
