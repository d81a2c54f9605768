@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing

/// The three-way table for every field: what was applied, what is live, what the manifest wants.
struct ThreeWayTests {
    /// Three different values of a field.
    struct Values: CustomTestStringConvertible, Sendable {
        var field: ProductField
        var values: [FieldValue]
        var words: [String] { values.map(\.words) }
        var testDescription: String { field.rawValue }
    }

    static let fields: [Values] = [
        Values(field: .name, values: ["Lamp", "Desk lamp", "Floor lamp"].map { .text($0) }),
        Values(field: .description, values: ["Warm light.", "Cold light.", "No light."].map { .text($0) }),
        // Two spellings that look the same are two values.
        Values(field: .name, values: (Spellings.korean.both + ["Floor lamp"]).map { .text($0) }),
        Values(field: .description, values: (Spellings.latin.both.reversed() + ["No light."]).map { .text($0) }),
        Values(field: .price, values: [.number(100), .number(120), .number(130)]),
        Values(field: .currency, values: ["USD", "KRW", "JPY"].map { .text($0) }),
        Values(field: .salePrice, values: [.sale(.price(90)), .sale(.price(80)), .sale(.fullPrice)]),
        Values(field: .stock, values: [.integer(10), .integer(0), .integer(1_000_000_000_000)]),
    ]

    private func shop(_ field: ProductField, base: FieldValue?, live: FieldValue, manifest: FieldValue?) -> PlanFixture
    {
        var shop = PlanFixture()
        shop.options.onDrift = .restore
        shop.wants("lamp") { $0.values[field] = manifest }
        shop.knows("lamp", 7) { $0.applied[field] = base }
        shop.shows(7) { $0.values[field] = live }
        return shop
    }

    /// What was applied, is live and is wanted, by their places in the values of a field.
    struct Row: Sendable {
        var base: Int?
        var live: Int
        var wanted: Int
        var reason: String
        var kind: FieldChange.Kind
    }

    static let rows = [
        Row(base: 0, live: 0, wanted: 1, reason: "changed in the manifest", kind: .change),
        Row(base: 0, live: 1, wanted: 0, reason: "changed on the market since the last apply", kind: .drift),
        Row(base: 0, live: 1, wanted: 2, reason: "changed in the manifest and on the market", kind: .conflict),
        Row(base: nil, live: 1, wanted: 2, reason: "changed in the manifest", kind: .change),
    ]

    @Test(arguments: fields, rows)
    func `the manifest wins, and the plan says against what`(of field: Values, row: Row) {
        let (values, words) = (field.values, field.words)
        let shop = shop(
            field.field,
            base: row.base.map { values[$0] },
            live: values[row.live],
            manifest: values[row.wanted]
        )
        let sides = "\(row.base.map { words[$0] } ?? "–") | \(words[row.live]) | \(words[row.wanted])"
        #expect(
            shop.planText == """
                update lamp #7 at shop.yaml:1:3: \(row.reason)
                    \(field.field.rawValue) \(row.kind): \(sides)
                """
        )
        // Rows show names and descriptions.
        if row.base != nil, [.name, .description].contains(field.field) { #expect(shop.detailsNeeded == [7]) }
    }

    @Test(arguments: fields)
    func `a b b needs nothing and the state catches up`(of field: Values) throws {
        var shop = shop(field.field, base: field.values[0], live: field.values[1], manifest: field.values[1])
        var entry = try #require(shop.input.state.entries["lamp"])
        entry.applied[field.field] = field.values[1]
        #expect(shop.plan() == Plan(unchanged: 1, stateUpdates: [.put(entry)]))
        shop.input.state.entries["lamp"] = entry
        #expect(shop.plan() == Plan(unchanged: 1))
    }

    /// What stands for a market's text that holds a credential is compared as the text would be.
    @Test(arguments: [ProductField.name, .description])
    func `a concealed text is a value like others`(field: ProductField) throws {
        func concealed(_ byte: UInt8) -> FieldValue {
            .text(ConcealedText.text(ContentDigest(bytes: Array(repeating: byte, count: 32))))
        }
        func kind(_ base: FieldValue, _ live: FieldValue, wanted: FieldValue = .text("Lamp")) throws -> FieldChange.Kind
        {
            let plan = shop(field, base: base, live: live, manifest: wanted).plan()
            return try #require(plan.operations.first?.changes.first { $0.field == field }).kind
        }
        #expect(try kind(concealed(1), concealed(1)) == .change)
        #expect(try kind(.text("Lamp"), concealed(1)) == .drift)
        #expect(try kind(concealed(2), concealed(1)) == .conflict)
        // What was applied holds what has become a credential since.
        let earlier = FieldValue.text("Lamp of hunter2-hunter2")
        #expect(try kind(earlier, concealed(1)) == .conflict)
        let kinds = try KnownSecrets.$current.withValue(KnownSecrets([Secret("hunter2-hunter2")])) {
            [try kind(earlier, concealed(1)), try kind(concealed(2), concealed(1))]
        }
        #expect(kinds == [.change, .conflict])
    }

    @Test(arguments: fields.filter { $0.field != .salePrice })
    func `a field that is no longer managed is let go`(of field: Values) throws {
        var shop = shop(field.field, base: field.values[0], live: field.values[1], manifest: nil)
        var entry = try #require(shop.input.state.entries["lamp"])
        entry.applied[field.field] = nil
        #expect(shop.plan() == Plan(unchanged: 1, stateUpdates: [.put(entry)]))
        shop.input.state.entries["lamp"] = entry
        #expect(shop.plan() == Plan(unchanged: 1))
    }

    @Test(arguments: fields)
    func `an ignored field is neither compared nor written`(of field: Values) {
        var shop = shop(field.field, base: field.values[0], live: field.values[1], manifest: field.values[2])
        shop.input.manifest.listings[0].ignoreChanges = [field.field]
        #expect(shop.plan() == Plan(unchanged: 1))
    }

    @Test(arguments: fields)
    func `a field that the market does not show is taken to be as last applied`(of field: Values) {
        var shop = shop(field.field, base: field.values[0], live: field.values[0], manifest: field.values[0])
        shop.input.live.products[MarketID(7)] = LiveProduct(id: MarketID(7))
        #expect(shop.plan() == Plan(unchanged: 1))
        shop.input.manifest.listings[0].values[field.field] = field.values[1]
        #expect(
            shop.planText == """
                update lamp #7 at shop.yaml:1:3: changed in the manifest
                    \(field.field.rawValue) change: \(field.words[0]) | \(field.words[0]) | \(field.words[1])
                """
        )
    }

    @Test(arguments: fields)
    func `a null a is drift, for a field that the market has to show`(of field: Values) {
        var shop = shop(field.field, base: field.values[0], live: field.values[0], manifest: field.values[0])
        shop.input.live.products[MarketID(7)]?.leaveBlank(field.field)
        #expect(
            shop.planText == """
                update lamp #7 at shop.yaml:1:3: changed on the market since the last apply
                    \(field.field.rawValue) drift: \(field.words[0]) | – | \(field.words[0])
                """
        )
        #expect(shop.detailsNeeded == [7])
        // A field that is not managed, or ignored, is not asked for.
        var ignoring = shop
        ignoring.input.manifest.listings[0].ignoreChanges = [field.field]
        #expect(ignoring.plan().operations == [])
    }

    @Test(arguments: fields)
    func `a null b is a conflict, and none null c a change`(of field: Values) {
        var shop = shop(field.field, base: field.values[0], live: field.values[0], manifest: field.values[1])
        shop.input.live.products[MarketID(7)]?.leaveBlank(field.field)
        #expect(shop.plan().operations.map(\.changes).flatMap { $0.map(\.kind) } == [.conflict])
        shop.input.state.entries["lamp"]?.applied[field.field] = nil
        #expect(shop.plan().operations.map(\.changes).flatMap { $0.map(\.kind) } == [.change])
    }

    @Test(arguments: [ProductField.name, .description, .price, .stock])
    func `a value that the market says it does not have is not the one that is wanted`(field: ProductField) {
        var shop = PlanFixture()
        shop.options.onDrift = .restore
        shop.has("lamp", 7)
        shop.input.live.products[MarketID(7)]?.values[field] = nil
        shop.input.live.products[MarketID(7)]?.unset = [field]
        #expect(shop.plan().operations.flatMap(\.changes).map { [$0.field: $0.kind] } == [[field: .drift]])
        #expect(shop.detailsNeeded == [7])
        // Nothing is as good as an empty text; what has no stock may be sold without limit.
        shop.input.manifest.listings[0].values.stock = 0
        shop.input.manifest.listings[0].values.description = ""
        shop.input.state.entries["lamp"]?.applied.stock = 0
        shop.input.state.entries["lamp"]?.applied.description = ""
        shop.input.live.products[MarketID(7)]?.values = shop.input.manifest.listings[0].values
        shop.input.live.products[MarketID(7)]?.values[field] = nil
        #expect(shop.plan().operations.isEmpty == (field == .description))
    }

    @Test func `pictures that the market lost are sent again`() {
        var shop = PlanFixture(.v1b)
        shop.has("lamp", 7)
        shop.input.live.products[MarketID(7)]?.images = nil
        #expect(shop.planText == "1 unchanged")
        shop.input.live.products[MarketID(7)]?.blank = [.images]
        #expect(
            shop.planText == """
                update lamp #7 at shop.yaml:1:3: changed on the market since the last apply
                    images drift: [p1] | – | [p1]
                    sends p1.png
                """
        )
    }

    @Test func `a field that was never seen is written`() {
        var shop = PlanFixture()
        shop.wants("lamp")
        shop.manages("lamp", 7) { $0.stock = nil }
        #expect(
            shop.planText == """
                update lamp #7 at shop.yaml:1:3: changed in the manifest
                    stock change: – | – | 10
                """
        )
    }

    @Test func `several fields make one update at the line of the first`() {
        var shop = PlanFixture()
        shop.options.onDrift = .restore
        shop.wants("lamp") {
            $0.values.price = 120
            $0.fieldPositions = [
                .price: SourcePosition(line: 4, column: 5), .stock: SourcePosition(line: 6, column: 5),
            ]
        }
        shop.knows("lamp", 7)
        shop.shows(7) { $0.stock = 3 }
        #expect(
            shop.planText == """
                update lamp #7 at shop.yaml:4:5: changed in the manifest; other fields changed on the market
                    price change: 100 | 100 | 120
                    stock drift: 10 | 3 | 10
                """
        )
    }

    // MARK: - Drift

    @Test func `drift is kept where the user says so, and only drift`() {
        var shop = PlanFixture()
        shop.options.onDrift = .keep
        shop.wants("lamp") { $0.values.price = 120 }
        shop.knows("lamp", 7)
        shop.shows(7) { $0.stock = 3 }
        #expect(
            shop.planText == """
                update lamp #7 at shop.yaml:1:3: changed in the manifest
                    price change: 100 | 100 | 120
                """
        )
        shop.input.manifest.listings[0].values.price = 100
        #expect(shop.planText == "1 unchanged")
    }

    /// A unit is sold, or one comes back, whether the run says something of drift or the policies do.
    @Test(arguments: [nil, .restore, .keep, .fail] as [PlannerOptions.DriftHandling?])
    func `drift of a stock is kept unless the user says otherwise, and counted`(
        handling: PlannerOptions.DriftHandling?
    ) {
        for isPolicy in [false, true] {
            var shop = PlanFixture()
            for (key, id, stock) in [("lamp", 7, 3), ("desk", 8, 12), ("sofa", 9, 10)] as [(String, Int64, Int64)] {
                shop.has(key, id)
                shop.shows(id) { $0.stock = stock }
            }
            if isPolicy { shop.options.policies.onDrift[.stock] = handling } else { shop.options.onDrift = handling }
            let plan = shop.plan()
            #expect(plan.operations.map(\.key) == (handling == .restore || handling == .fail ? ["lamp", "desk"] : []))
            #expect(plan.refusals.count == (handling == .fail ? 2 : 0))
            #expect(
                plan.diagnostics.map(\.message)
                    == (handling == nil
                        ? ["the stock of 2 products changed on the market, and stays as it is there"] : [])
            )
            #expect(plan.isSound == (handling != .fail))
            #expect(!plan.isEmpty == (handling == .restore || handling == .fail))
            // A stock that the manifest changes is written, over a sale as well.
            shop.input.manifest.listings[0].values.stock = 20
            let lamp = shop.plan().operations.first
            #expect(lamp?.changes.map(\.kind) == [.conflict])
            #expect(lamp?.changes.map(\.manifest) == [.integer(20)])
        }
    }

    @Test func `drift that is kept is still seen the next time`() {
        var shop = PlanFixture()
        shop.options.onDrift = .keep
        shop.wants("lamp")
        shop.knows("lamp", 7)
        shop.shows(7) {
            $0.description = "Cold light."
            $0.issuedAt = "tuesday"
            $0.thumbnailURL = "t/other"
        }
        // The edit date stays as it was, so that the row alone says to look again.
        #expect(shop.plan() == Plan(unchanged: 1))
        #expect(shop.detailsNeeded == [7])
    }

    @Test func `drift refuses the plan where the user says so`() {
        var shop = PlanFixture()
        shop.options.onDrift = .fail
        shop.has("desk", 8)
        shop.wants("lamp")
        shop.knows("lamp", 7)
        shop.shows(7) {
            $0.stock = 3
            $0.name = "Desk lamp"
        }
        #expect(
            shop.planText == """
                update lamp #7 at shop.yaml:2:3: changed on the market since the last apply
                    name drift: Lamp | Desk lamp | Lamp
                    stock drift: 10 | 3 | 10
                1 unchanged
                refused at shop.yaml:2:3: 'lamp' was changed on the market: name, stock [--on-drift restore or --on-drift keep; `openmarket pull --drift` takes the market's values into the manifest]
                """
        )
    }

    // MARK: - Sales

    @Test func `a sale ends when its line is taken out`() throws {
        var shop = PlanFixture()
        shop.wants("lamp")
        shop.manages("lamp", 7) { $0.sale = .price(90) }
        #expect(
            shop.planText == """
                update lamp #7 at shop.yaml:1:3: changed in the manifest
                    sale_price change: 90 | 90 | none
                """
        )
        #expect(try update(of: shop).desired.sale == Sale.fullPrice)
    }

    @Test func `a sale that was made on the market is not ours to end`() {
        var shop = PlanFixture()
        shop.wants("lamp")
        shop.knows("lamp", 7)
        shop.shows(7) { $0.sale = .price(90) }
        #expect(shop.planText == "1 unchanged")
    }

    @Test func `a sale at the full price is not a sale`() {
        var shop = PlanFixture()
        shop.wants("lamp") { $0.values.sale = .price(100) }
        shop.knows("lamp", 7) { $0.applied.sale = Sale.fullPrice }
        shop.shows(7)
        #expect(shop.planText == "1 unchanged")
        // As v1 spells the end of a sale.
        shop.shows(7) { $0.sale = .price(100) }
        #expect(shop.planText == "1 unchanged")
    }

    @Test func `a sale price is held against the market's price where the manifest has none`() {
        var shop = PlanFixture()
        shop.wants("lamp") {
            $0.values.price = nil
            $0.values.sale = .price(120)
        }
        shop.knows("lamp", 7) { $0.applied.price = nil }
        shop.shows(7)
        #expect(
            shop.planText == """
                error at shop.yaml:1:3: 'lamp' would have the sale price 120, above its price of 100
                    write both `price` and `sale_price`: one of them is now as the market has it
                """
        )
        shop.input.manifest.listings[0].values.sale = .price(80)
        #expect(
            shop.planText == """
                update lamp #7 at shop.yaml:1:3: changed in the manifest
                    sale_price change: – | none | 80
                """
        )
    }

    /// Buyers would pay the number of the old currency in the new one.
    @Test(arguments: [ProductField.salePrice, .price])
    func `no amount on the market gets another currency unsaid`(field: ProductField) {
        var shop = PlanFixture()
        shop.wants("lamp") {
            $0.values.currency = .krw
            if field == .price { $0.values.price = nil } else { $0.values.price = 3 }
        }
        shop.knows("lamp", 7) { if field == .price { $0.applied.price = nil } }
        shop.shows(7) { if field == .salePrice { $0.sale = .price(90) } }
        #expect(
            shop.planText == """
                error at shop.yaml:1:3: the currency of 'lamp' changes from USD to KRW, and its \(field.rawValue) of \(field == .price ? 100 : 90) on the market would stay
                    write both `price` and `sale_price` in the new currency; a `sale_price` at the price ends a sale
                """
        )
        shop.input.manifest.listings[0].values.price = 3
        shop.input.manifest.listings[0].values.sale = .price(2)
        #expect(!shop.plan().diagnostics.contains { $0.severity == .error })
    }

    @Test func `a price of 0 that was set on the market is reported, whatever becomes of it`() {
        for handling in [PlannerOptions.DriftHandling.restore, .keep] {
            var shop = PlanFixture()
            shop.options.onDrift = handling
            shop.wants("lamp")
            shop.knows("lamp", 7)
            shop.shows(7) { $0.price = 0 }
            #expect(
                shop.plan().diagnostics.map(\.message) == [
                    "buyers pay 0 for 'lamp' (product 7) on the market, and 100 as last applied"
                ]
            )
            shop.shows(7) { $0.price = 50 }
            #expect(shop.plan().diagnostics == [])
        }
    }

    @Test func `a price cannot fall below a sale that the manifest does not manage`() {
        var shop = PlanFixture(.v1b)
        shop.wants("lamp") { $0.values.price = 70 }
        shop.knows("lamp", 7)
        shop.shows(7) { $0.sale = .price(90) }
        #expect(
            shop.planText == """
                error at shop.yaml:1:3: 'lamp' would have the sale price 90, above its price of 70
                    write both `price` and `sale_price`: one of them is now as the market has it
                """
        )
        // Where the market takes an amount off, buyers would pay 60, and below 10 less than nothing.
        shop.profile = .v2b
        #expect(shop.plan().diagnostics.map(\.severity) == [.error])
        shop.input.manifest.listings[0].values.images = pictures(2)
        #expect(shop.plan().diagnostics.map(\.severity) == [.error])
    }

    @Test func `a drifted price is put back under a sale put on by hand, and buyers pay what they paid`() throws {
        var shop = PlanFixture(.v2b)
        shop.wants("lamp") { $0.values.price = 10_300 }
        shop.knows("lamp", 7) { $0.applied.price = 10_300 }
        shop.shows(7) {
            $0.price = 20_000
            $0.sale = .price(10_300)
        }
        #expect(
            shop.planText == """
                update lamp #7 at shop.yaml:1:3: changed on the market since the last apply
                    price drift: 10300 | 20000 | 10300
                """
        )
        let outcome = try update(of: shop).outcome
        #expect(outcome.price == 10_300)
        #expect(outcome.sale == Sale.fullPrice)
    }

    @Test(arguments: MarketProfile.builtIns)
    func `a drifted price that no sale of the market's fits under stops that product alone`(profile: MarketProfile) {
        var shop = PlanFixture(profile)
        shop.wants("lamp") { $0.values.price = 1000 }
        shop.knows("lamp", 7) { $0.applied.price = 1000 }
        shop.shows(7) {
            $0.price = 100_000
            $0.sale = .price(98_500)
        }
        shop.wants("desk") {
            $0.values.name = "Desk"
            $0.values.stock = 3
        }
        shop.manages("desk", 8) { $0.name = "Desk" }
        #expect(
            shop.planText == """
                update lamp #7 at shop.yaml:1:3: changed on the market since the last apply
                    price drift: 1000 | 100000 | 1000
                update desk #8 at shop.yaml:2:3: changed in the manifest
                    stock change: 10 | 10 | 3
                warning at shop.yaml:1:3: 'lamp' would have the sale price 98500, above its price of 1000: it is left as it was changed on the market
                    write both `price` and `sale_price`: one of them is now as the market has it
                """
        )
        #expect(shop.plan().isSound)
    }

    @Test func `a price is not moved over a sale below zero`() {
        var shop = PlanFixture(.v2b)
        shop.wants("lamp") { $0.values.price = 120 }
        shop.knows("lamp", 7)
        shop.shows(7) { $0.sale = .price(-200) }
        #expect(
            shop.planText == """
                error at shop.yaml:1:3: 'lamp' would have the sale price -200, which is below zero
                    write both `price` and `sale_price`: one of them is now as the market has it
                """
        )
    }

    @Test func `a new price ends a sale that cannot be read where it would be taken off`() {
        var shop = PlanFixture(.v2b)
        shop.has("lamp", 7)
        shop.input.live.products[MarketID(7)]?.price = nil
        shop.input.live.products[MarketID(7)]?.sale = nil
        shop.input.live.products[MarketID(7)]?.blank = [.price, .salePrice]
        #expect(
            shop.planText == """
                update lamp #7 at shop.yaml:1:3: changed on the market since the last apply
                    price drift: 100 | – | 100
                    sale_price drift: – | – | none
                """
        )
    }

    @Test func `on v1 a new price takes an ended sale along, and nothing else does`() {
        var shop = PlanFixture(.v1b)
        shop.has("lamp", 7)
        shop.has("desk", 8)
        shop.has("sofa", 9)
        for index in [0, 1] { shop.input.manifest.listings[index].values.price = 120 }
        shop.input.manifest.listings[2].values.stock = 3
        for id in [7, 9] { shop.input.live.products[MarketID(Int64(id))]?.hasEndedSale = true }
        #expect(
            shop.planText == """
                update lamp #7 at shop.yaml:1:3: changed in the manifest
                    price change: 100 | 100 | 120
                    sale_price change: – | 100 | none
                update desk #8 at shop.yaml:2:3: changed in the manifest
                    price change: 100 | 100 | 120
                update sofa #9 at shop.yaml:3:3: changed in the manifest
                    stock change: 10 | 10 | 3
                """
        )
        let sales = shop.plan().operations.map { operation -> Sale? in
            if case .update(let update) = operation.work { update.desired.sale } else { nil }
        }
        #expect(sales == [Sale.fullPrice, nil, nil])
    }
}

extension LiveProduct {
    /// The field is `null` although it has to be shown.
    fileprivate mutating func leaveBlank(_ field: ProductField) {
        blank.insert(field)
        values[field] = nil
    }
}

/// The first operation of a shop's plan, which is an update.
private func update(of shop: PlanFixture) throws -> PlannedOperation.Update {
    guard case .update(let update)? = shop.plan().operations.first?.work else { throw NoUpdate() }
    return update
}

private struct NoUpdate: Error {}
