@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing

/// A state that is lost, empty or old doubles nothing: what may be there already is not made.
struct NamesakeTests {
    @Test(arguments: [MarketProfile.v1a, .v1b, .v2a, .v2b])
    func `a create whose name is on the market, with an unknown owner, is refused`(profile: MarketProfile) {
        var shop = PlanFixture(profile, vendor: nil)
        shop.wants("lamp")
        shop.shows(7) { $0.vendorID = profile.capabilities.listShowsVendor ? 29 : nil }
        #expect(
            shop.planText == """
                create lamp at shop.yaml:1:3: new in the manifest
                    makes name Lamp, description Warm light., price 100, currency USD, stock 10, images [p1]
                    sends p1.png
                refused at shop.yaml:1:3: 'lamp' would be created although the market has product 7 of its name, which may be yours [--adopt or `id: 7` if it is, --allow-namesakes if another one is meant]
                """
        )
        shop.options.allowsNamesakes = true
        #expect(shop.plan().refusals == [])
        #expect(shop.plan().operations.map(\.action) == [.create])
        #expect(shop.plan().namesakes.others == [MarketID(7)])
        shop.options = PlannerOptions(adopts: true)
        shop.input.pictureDigests = ["u/71": digest(1)]
        #expect(shop.plan().refusals == [])
        #expect(shop.plan().operations.map(\.action) == [.adopt])
    }

    @Test(arguments: [MarketProfile.v1b, .v2b])
    func `a second product of a name that another key has, with other pictures, is made without a question`(
        profile: MarketProfile
    ) {
        var shop = PlanFixture(profile)
        shop.has("lamp", 7)
        shop.wants("lamp-too") { $0.values.images = pictures(2) }
        #expect(shop.plan().refusals == [])
        #expect(shop.plan().operations.map { "\($0.action.symbol) \($0.key)" } == ["+ lamp-too"])
    }

    @Test(arguments: Spellings.all)
    func `a namesake is one as people see it, so no second listing is made`(spellings: Spellings) {
        for (name, live) in [(spellings.composed, spellings.decomposed), (spellings.decomposed, spellings.composed)] {
            var shop = PlanFixture()
            shop.wants("lamp") { $0.values.name = name }
            shop.shows(7) { $0.name = live }
            shop.input.pictureDigests = ["u/71": digest(1)]
            let operations = shop.plan().operations
            // Taken over, and its name written as the manifest has it.
            #expect(operations.map(\.action) == [.adopt, .update] && operations.map(\.id) == [7, 7])
            #expect(operations.last?.changes.map(\.manifest) == [.text(name)])
        }
    }

    @Test func `all are listed, the first twenty one by one`() {
        var shop = PlanFixture(.v1b)
        for number in 1...23 {
            shop.wants("thing-\(number)") { $0.values.name = "Thing \(number)" }
            shop.shows(Int64(number)) { $0.name = "Thing \(number)" }
        }
        let refusals = shop.plan().refusals
        #expect(refusals.count == 21)
        #expect(refusals.prefix(20).map(\.source?.position?.line) == (1...20).map { UInt32($0) })
        #expect(
            refusals.last
                == PlanRefusal(
                    "3 more would be created although the market has others of their names that may be yours",
                    override: .manyNamesakes
                )
        )
    }

    @Test func `several namesakes ask for an id`() {
        var shop = PlanFixture(.v1b)
        shop.wants("lamp")
        for id in 1...12 { shop.shows(Int64(id)) }
        #expect(
            shop.plan().refusals.map(\.message) == [
                "'lamp' would be created although the market has products 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, … of its name, "
                    + "which may be yours"
            ]
        )
        #expect(
            shop.plan().refusals.map(\.override) == [.namesakes((1...12).map { MarketID($0) })]
        )
    }

    @Test func `of several products of ours, an override makes another one`() {
        var shop = PlanFixture()
        shop.wants("lamp") { $0.values.price = 7 }
        shop.shows(7)
        shop.shows(8)
        #expect(shop.plan().diagnostics.map(\.severity) == [.error])
        shop.options.allowsNamesakes = true
        #expect(shop.plan().diagnostics == [])
        #expect(shop.plan().operations.map(\.action) == [.create])
        #expect(shop.plan().namesakes.others == [MarketID(7), MarketID(8)])
    }

    @Test func `a vendor number that no product of ours confirms makes nothing another's`() {
        // The market was set up again: our listings are there under another number of ours.
        var shop = PlanFixture()
        shop.wants("lamp")
        shop.knows("lamp", 1)
        shop.shows(7) { $0.vendorID = 3 }
        #expect(shop.plan().refusals.map(\.source) == [shop.input.manifest.listings[0].location()])
        // A product that is still there shows that the number still means us.
        shop.has("desk", 2)
        #expect(shop.plan().refusals == [])
        #expect(shop.plan().operations.map(\.action) == [.create])
    }

    @Test func `a product of the same number and name under another vendor's number is not made a second time`() {
        // A market that was restored with other numbers for its vendors: ours may be vendor 3 by now.
        var shop = PlanFixture()
        shop.wants("lamp")
        shop.knows("lamp", 1)
        shop.shows(1) { $0.vendorID = 3 }
        #expect(shop.plan().operations.map(\.action) == [.create])
        #expect(shop.plan().refusals.map(\.source) == [shop.input.manifest.listings[0].location()])
        shop.input.manifest.market.vendorID = 3
        shop.input.pictureDigests = ["u/11": digest(1)]
        #expect(shop.plan().refusals == [])
        #expect(!shop.plan().operations.contains { $0.action == .create })
        // That it is another's is said, and nothing on the market confirms it.
        shop.input.manifest.market.vendorID = 29
        #expect(shop.plan().refusals.map(\.code) == [.vendorUnconfirmed])
    }

    @Test func `products of two vendors are not adopted`() {
        var shop = PlanFixture(.v2b, vendor: nil)
        for (number, name) in ["Lamp", "Desk"].enumerated() {
            shop.wants(name) { $0.values.name = name }
            shop.shows(Int64(number + 1)) {
                $0.name = name
                $0.vendorID = Int64(number + 3)
            }
            shop.input.pictureDigests["u/\(number + 1)1"] = digest(1)
        }
        shop.options = PlannerOptions(adopts: true)
        #expect(
            shop.plan().refusals == [
                PlanRefusal(
                    "products of the vendors 3, 4 would be adopted, and you are one of them",
                    override: .vendor
                )
            ]
        )
        shop.input.manifest.market.vendorID = 3
        #expect(shop.plan().refusals == [])
        #expect(shop.plan().operations.map { "\($0.action.symbol) \($0.key)" } == ["= Lamp", "+ Desk"])
    }

    // MARK: - Markets that cut names

    @Test(arguments: [MarketProfile.v1b, .v2b])
    func `a product that has the beginning of a name and its price may be it`(profile: MarketProfile) {
        var shop = PlanFixture(profile)
        shop.wants("garden") { $0.values.name = "The Secret Garden" }
        shop.shows(7) {
            $0.name = "The Secret G"
            $0.description = "Warm"
        }
        #expect(
            shop.plan().refusals == [
                PlanRefusal(
                    "'garden' would be created although the market has product 7 of the beginning of its name, which "
                        + "may be yours",
                    override: .namesakes([MarketID(7)]),
                    source: shop.input.manifest.listings[0].location()
                )
            ]
        )
        shop.options.allowsNamesakes = true
        #expect(shop.plan().refusals == [])
        #expect(shop.plan().namesakes.others == [MarketID(7)])
        shop.input.pictureDigests = ["u/71": digest(1)]
        shop.options = PlannerOptions(adopts: true)
        #expect(shop.plan().operations.map(\.action) == [.adopt, .update])
    }

    @Test func `a product of which only the name shows, and not its number, may be it`() {
        var shop = PlanFixture(.v1b)
        shop.wants("lamp")
        shop.input.live.problems = [RowProblem(name: "Lamp", place: "page 1, row 1", message: "id is null")]
        #expect(
            shop.plan().refusals == [
                PlanRefusal(
                    "'lamp' would be created although the market lists a product with this name but an unreadable id",
                    override: .unread,
                    source: shop.input.manifest.listings[0].location()
                )
            ]
        )
    }

    @Test(arguments: MarketProfile.builtIns)
    func `nothing is made while a row of the list may be it, and what is known by its id goes on`(
        profile: MarketProfile
    ) {
        var shop = PlanFixture(profile)
        shop.wants("fan") { $0.values.name = "Round fan" }
        shop.has("lamp", 7)
        shop.wants("desk") {
            $0.values.name = "Desk"
            $0.values.price = 90
        }
        shop.manages("desk", 8) { $0.name = "Desk" }
        // The list shows neither; one of them is the row that could not be read, and the other is gone.
        shop.wants("rug") { $0.values.name = "Rug" }
        shop.knows("rug", 9) { $0.applied.name = "Rug" }
        shop.knows("bin", 10) { $0.applied.name = "Bin" }
        for row in 1...2 {
            shop.input.live.problems.append(RowProblem(place: "page 1, row \(row)", message: "it is not an object"))
            shop.input.live.problems.append(RowProblem(place: "page 1, row \(row)", message: "id is missing"))
        }
        let plan = shop.plan()
        #expect(plan.operations.map { "\($0.action.symbol) \($0.key)" } == ["+ fan", "~ desk"])
        #expect(plan.unchanged == 1)
        #expect(plan.diagnostics.map(\.code) == [.unreadableRow, .unreadableRow])
        #expect(
            plan.refusals == [
                PlanRefusal(
                    "'fan' would be created although 2 rows of the market's list show neither id nor name, and may be it",
                    override: .unread,
                    source: shop.input.manifest.listings[0].location()
                )
            ]
        )
        shop.options.allowsNamesakes = true
        #expect(shop.plan().refusals == [])
        #expect(shop.plan().namesakes.unreadRows == 2)
        shop.options.allowsNamesakes = false
        shop.input.manifest.listings.removeAll { $0 == 0 }
        #expect(shop.plan().refusals == [])
    }

    @Test func `a product without a name may be any of its description`() {
        for (description, isRefused) in [("Warm light.", true), ("Cold light.", false)] {
            var shop = PlanFixture(.v1b)
            shop.wants("fan") { $0.values.name = "Round fan" }
            shop.shows(6) {
                $0.name = nil
                $0.description = description
            }
            #expect(shop.plan().refusals.map(\.override) == (isRefused ? [.namesakes([MarketID(6)])] : []))
        }
    }

    @Test func `a product of another description, or of another listing's name, is another product`() {
        var shop = PlanFixture(.v1b)
        shop.wants("garden") { $0.values.name = "The Secret Garden" }
        shop.wants("secret") { $0.values.name = "The Secret" }
        shop.manages("secret", 6) { $0.name = "The Secret" }
        shop.shows(8) {
            // Of the same price, as many products are that another seller lists.
            $0.name = "The Secret G"
            $0.description = "Cold light."
        }
        shop.shows(9) { $0.name = "A Secret" }
        let plan = shop.plan()
        #expect(plan.refusals == [])
        #expect(plan.operations.map { "\($0.action.symbol) \($0.key)" } == ["+ garden"])
        // Rows of lists show no descriptions: what was distinguished by them now is not asked about again.
        #expect(plan.namesakes.others == [MarketID(6), MarketID(8)])
    }

    @Test(arguments: ["Lamp", "La", "LAMP!"])
    func `a replace is not repeated while a product of its name, also a rewritten one, may be there`(name: String) {
        var shop = PlanFixture()
        shop.has("lamp", 7) { $0.values.images = pictures(2) }
        shop.shows(6) { $0.name = name }
        shop.input.pictureDigests = ["u/71": digest(1), "u/61": digest(1)]
        #expect(shop.plan().refusals == [])
        shop.shows(9) { $0.name = name }
        #expect(shop.plan().refusals.map(\.override) == [.leftover])
        guard name == "Lamp" else { return }
        #expect(
            shop.plan().refusals.map(\.message) == [
                "'lamp' would be created once more, although product 9 of its name without a key may come from an earlier replace"
            ]
        )
        shop.options.allowsNamesakes = true
        #expect(shop.plan().refusals == [])
        #expect(shop.plan().namesakes.others == [MarketID(7), MarketID(9)])
    }

    /// Its key was renamed, its price was changed, and perhaps a person renamed it on the market.
    @Test(arguments: ["The Secret G", "Renamed by hand"], ["garden", "flower"])
    func `a saved plan does not make what the market has under a cut name`(name: String, key: String) {
        var shop = PlanFixture(.v1b)
        shop.wants("garden") { $0.values.name = "The Secret Garden" }
        let plan = shop.plan()
        var catalog = LiveCatalog()
        catalog.products[7] = LiveProduct(id: 7, name: name, price: 90)
        let entry = StateEntry(key: key, id: 7, applied: ProductValues(name: "The Secret G", price: 90))
        let check = NamesakeCheck(known: plan.namesakes, identity: shop.input.identity, operations: plan.operations)
        let refusal = OperationRefusal(
            .stale,
            "the market has product 7 of the beginning of its name, unlike in the plan"
        )
        // That its own key means a product by now shows without its name.
        let isShown = name == "The Secret G" || key == "flower"
        #expect(
            check.refusals(catalog: catalog, snapshot: StateSnapshot(entries: [key: entry]))
                == (isShown ? [0: refusal] : [:])
        )
    }

    @Test func `a saved plan does not make what the market has by now under its key, without a name, or unread`() {
        var shop = PlanFixture(.v1b)
        shop.input.sendsKeys = true
        shop.wants("garden") { $0.values.name = "The Secret Garden" }
        let plan = shop.plan()
        var (carried, nameless, unread) = (LiveCatalog(), LiveCatalog(), LiveCatalog())
        carried.products[7] = LiveProduct(id: 7, name: "Renamed")
        carried.products[7]?.key = "garden"
        nameless.products[7] = LiveProduct(id: 7)
        unread.problems = [RowProblem(place: "page 1, row 1", message: "it is not an object")]
        let check = NamesakeCheck(known: plan.namesakes, identity: shop.input.identity, operations: plan.operations)
        for (catalog, reason) in [
            (carried, "product 7 carries its key, which is new since the plan"),
            (nameless, "the market has product 7 without a name, unlike in the plan"),
            (unread, "1 row of the market's list shows neither id nor name, and may be it"),
            (LiveCatalog(), nil),
        ] as [(LiveCatalog, String?)] {
            #expect(
                check.refusals(catalog: catalog, snapshot: StateSnapshot())
                    == (reason.map { [0: OperationRefusal(.stale, $0)] } ?? [:])
            )
        }
    }

    // MARK: - A restored market

    @Test func `products of ours that are under other ids are taken over, not made again`() {
        var shop = PlanFixture()
        for (number, name) in ["Lamp", "Desk", "Chair"].enumerated() {
            let id = Int64(number + 1)
            shop.wants(name) { $0.values.name = name }
            shop.knows(name, id) { $0.applied.name = name }
            // What the list shows of them; the details are read because ours are gone.
            shop.shows(id + 10) {
                $0.name = name
                $0.images = nil
            }
        }
        #expect(shop.detailsNeeded == [1, 2, 3, 11, 12, 13])
        for id in 11...13 {
            let row = shop.input.live.products[MarketID(Int64(id))]
            shop.shows(Int64(id)) { $0.name = row?.name }
            shop.input.pictureDigests["u/\(id)1"] = digest(1)
        }
        let plan = shop.plan()
        #expect(
            plan.operations.map { "\($0.action.symbol) \($0.key) \($0.id?.whole ?? 0)" } == [
                "= Lamp 11", "= Desk 12", "= Chair 13",
            ]
        )
        #expect(plan.refusals == [])
    }

    @Test func `of products that share a name, each listing gets the one that shows what it wants`() {
        var shop = PlanFixture()
        shop.wants("cheap") { $0.values.price = 100 }
        shop.wants("dear") { $0.values.price = 900 }
        shop.wants("twin-1") { $0.values.price = 500 }
        shop.wants("twin-2") { $0.values.price = 500 }
        for (id, price) in [(1, 900), (2, 500), (3, 100), (4, 500)] {
            shop.shows(Int64(id)) { $0.price = ExactDecimal(Int64(price)) }
            shop.input.pictureDigests["u/\(id)1"] = digest(1)
        }
        #expect(
            shop.plan().operations.map { "\($0.action.symbol) \($0.key) \($0.id?.whole ?? 0)" } == [
                "= cheap 3", "= dear 1", "= twin-1 2", "= twin-2 4",
            ]
        )
    }

    @Test func `of more products than listings want, none is guessed`() {
        var shop = PlanFixture()
        shop.wants("twin-1")
        shop.wants("twin-2")
        for id in 1...3 {
            shop.shows(Int64(id))
            shop.input.pictureDigests["u/\(id)1"] = digest(1)
        }
        #expect(shop.plan().diagnostics.map(\.severity) == [.error, .error])
        #expect(shop.plan().operations == [])
    }

    // MARK: - Many gone

    private func shop(_ managed: Int, gone: Int) -> PlanFixture {
        var shop = PlanFixture()
        for id in 1...managed {
            shop.wants("thing-\(id)") { $0.values.name = "Thing \(id)" }
            shop.knows("thing-\(id)", Int64(id)) { $0.applied.name = "Thing \(id)" }
            if id > gone { shop.shows(Int64(id)) { $0.name = "Thing \(id)" } }
        }
        return shop
    }

    @Test func `a plan in which a large share of managed products is gone is refused`() {
        #expect(shop(40, gone: 12).plan().refusals == [])
        #expect(
            shop(40, gone: 13).plan().refusals == [
                PlanRefusal(
                    "13 of 40 managed products are gone from the market or replaced by others there, more than 30%: "
                        + "it may be another market, or one that was reset",
                    override: .gone(13)
                )
            ]
        )
        #expect(shop(10, gone: 10).plan().refusals == [])
        var meant = shop(40, gone: 40)
        meant.options.maximumGone = .count(40)
        #expect(meant.plan().refusals == [])
        meant.options.maximumGone = .count(39)
        #expect(meant.plan().refusals.map(\.override) == [.gone(40)])
    }

    @Test func `products that are gone and no longer wanted count too, but not what an earlier run began to delete`() {
        var shop = shop(20, gone: 7)
        shop.input.manifest.listings.removeFirst(7)
        #expect(shop.plan().operations.map(\.action) == Array(repeating: .forget, count: 7))
        #expect(shop.plan().refusals.map(\.override) == [.gone(7)])
        shop.input.begunDeletes = ["thing-1"]
        #expect(shop.plan().refusals == [])
    }

    @Test func `products that are others by now count as gone`() {
        var shop = shop(12, gone: 0)
        for id in 1...12 {
            shop.shows(Int64(id)) {
                $0.name = "Thing \(13 - id)"
                $0.price = ExactDecimal(Int64(200 + id))
            }
        }
        #expect(shop.plan().refusals.map(\.override) == [.gone(12)])
        // Prices alone are drift.
        for id in 1...12 {
            shop.shows(Int64(id)) {
                $0.name = "Thing \(id)"; $0.price = 300
            }
        }
        #expect(shop.plan().refusals == [])
    }

    @Test func `a product of our former number is another vendor's, although nothing else changed`() {
        var shop = PlanFixture()
        shop.has("lamp", 7)
        #expect(shop.plan().unchanged == 1)
        shop.input.state.vendorID = 30
        // As the list is read where it equals the state.
        var live = LiveProducts(comparedWith: shop.input.state.entries)
        var page = live.emptyPage
        for var product in shop.input.live.products.values {
            product.images = nil
            product.withRow { page.append($0) }
        }
        live.append(page)
        shop.input.live.products = live
        #expect(shop.plan().unchanged == 0)
        #expect(shop.plan().operations.map(\.action) == [.create])
    }

    @Test func `of two keys with one product, the one whose product it is keeps it`() {
        // A market that was reset gave its numbers once more, and the run that noticed was broken off.
        var shop = PlanFixture()
        shop.wants("desk") { $0.values.name = "Desk" }
        shop.wants("lamp")
        shop.knows("desk", 7) { $0.applied.name = "Desk" }
        shop.manages("lamp", 7)
        #expect(shop.plan().operations.map { "\($0.action.symbol) \($0.key)" } == ["+ desk"])
        #expect(shop.plan().unchanged == 1)
    }

    @Test func `products that were found again are not gone`() {
        var shop = shop(20, gone: 20)
        for id in 1...20 {
            shop.shows(Int64(100 + id)) { $0.name = "Thing \(id)" }
            shop.input.pictureDigests["u/\(100 + id)1"] = digest(1)
        }
        #expect(shop.plan().refusals == [])
        #expect(shop.plan().operations.map(\.action) == Array(repeating: .adopt, count: 20))
    }
}
