@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarket

/// Rows of the list as a plan keeps them, beside the same rows as products.
struct ComparedRowsTests {
    private static func maybe<Value>(_ random: inout SeededGenerator, _ value: Value?) -> Value? {
        Int.random(in: 0..<3, using: &random) == 0 ? nil : value
    }

    /// A row that shows some of what an entry knows, and now and then something else.
    private static func row(_ entry: StateEntry, _ random: inout SeededGenerator) -> LiveProduct {
        var values = entry.applied
        for field in ProductField.allCases where Int.random(in: 0..<4, using: &random) == 0 { values[field] = nil }
        values.images = nil
        values.thumbnail = nil
        var product = LiveProduct(
            id: entry.id,
            vendorID: maybe(&random, entry.vendorID),
            vendorName: maybe(&random, "lumen \"1\""),
            values: values,
            thumbnailURL: maybe(&random, entry.thumbnailURL),
            createdAt: maybe(&random, ["2022-10-01", "2022-10-02"].randomElement(using: &random)),
            issuedAt: maybe(&random, entry.issuedAt)
        )
        switch Int.random(in: 0..<16, using: &random) {
        case 0: product.name = "another"
        case 1: product.stock = 77
        case 2: product.blank = [.name]
        case 3: product.hasEndedSale = true
        case 4: product.images = [LiveProduct.Image(id: 3, url: "u/3")]
        case 5: product.vendorID = 99
        case 6: product.issuedAt = "later"
        case 7: product.currency = Currency(rawValue: "EUR")
        default: break
        }
        return product
    }

    @Test(arguments: 0..<40)
    func `they are the products that were read`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var entries = StateEntries()
        for number in 0..<30 {
            let key = "key-\(number)"
            // Two keys may have one product.
            entries[key] = StateEntriesTests.entry(key, &random)
        }
        var products = Dictionary(
            entries.values.map { ($0.id, Self.row($0, &random)) },
            uniquingKeysWith: { first, _ in first }
        )
        for id in 200..<205 as Range<Int64> {
            products[MarketID(id)] = LiveProduct(id: MarketID(id), values: ProductValues(name: "new"))
        }
        var live = LiveProducts(comparedWith: entries)
        let order = products.values.sorted { MarketID.precedes($0.id, $1.id) }
        for start in stride(from: 0, to: order.count, by: 7) {
            var page = live.emptyPage
            let rows = order[start..<min(start + 7, order.count)]
            for product in rows { product.withRow { page.append($0) } }
            #expect(page.count == rows.count)
            // A row that another page had is dropped.
            page.keep(rows.indices.map { $0 - start }.filter { $0 != 3 })
            if rows.count > 3 { products[order[start + 3].id] = nil }
            live.append(page)
        }
        #expect(live == LiveProducts(products))
        #expect(live.count == products.count)
        #expect(Set(live.keys) == Set(products.keys))
        #expect(
            live.values.sorted { MarketID.precedes($0.id, $1.id) }
                == products.values.sorted { MarketID.precedes($0.id, $1.id) }
        )
        #expect(live.showPictures == products.values.contains { $0.images != nil })
        for id in Array(products.keys).shuffled(using: &random).prefix(10) {
            let other = Bool.random(using: &random) ? nil : LiveProduct(id: id, values: ProductValues(name: "detail"))
            live[id] = other
            products[id] = other
            #expect(live[id] == other)
        }
        #expect(live == LiveProducts(products))
    }

    @Test(arguments: 0..<8)
    func `a plan of them is the plan of the products`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var evident = 0
        for round in 0..<150 {
            var made = PlannerPropertyTests().makeCase(&random)
            // Some products as they were applied: those need nothing.
            for index in made.input.manifest.listings.indices where Bool.random(using: &random) {
                guard let entry = made.input.state.entries[made.input.manifest.listings[index].key] else { continue }
                made.input.manifest.listings[index].values = entry.applied
            }
            var whole = made.input
            whole.live = made.market.rows
            var compared = made.input
            compared.live.products = LiveProducts(comparedWith: compared.state.entries)
            var page = compared.live.products.emptyPage
            for product in whole.live.products.values { product.withRow { page.append($0) } }
            compared.live.products.append(page)
            evident += Pairing(compared).pairs.count { $0.isCurrent }
            func details(_ input: Planner.Input) -> [MarketID] {
                input.detailsNeeded(mode: made.mode, capabilities: made.capabilities, filter: made.options.filter)
            }
            #expect(details(compared) == details(whole), "seed \(seed), round \(round)")
            for id in details(whole) {
                whole.live.products[id] = made.market.products[id]
                compared.live.products[id] = made.market.products[id]
            }
            func plan(_ input: Planner.Input) -> Plan {
                Planner.plan(input, capabilities: made.capabilities, options: made.options)
            }
            #expect(plan(compared) == plan(whole), "seed \(seed), round \(round)")
        }
        #expect(evident > 40, "seed \(seed)")
    }
}

extension LiveProduct {
    /// Lends the product as a row of a page's bytes.
    func withRow(_ body: (LiveRow) -> Void) {
        let texts = [name, description, currency?.rawValue, thumbnailURL, createdAt, issuedAt, vendorName]
        var writer = JSONWriter()
        writer.array { writer in
            for text in texts.compactMap(\.self) { writer.string(text) }
        }
        JSONReader.read(Array(writer.text.utf8)) { reader in
            try? reader.beginArray()
            func text(_ text: String?) -> JSONText? {
                guard text != nil, (try? reader.nextElement()) == true else { return nil }
                return try? reader.readText()
            }
            var row = LiveRow()
            row.id = id
            row.vendorID = vendorID
            row.name = text(name)
            row.description = text(description)
            row.currencyCode = text(currency?.rawValue)
            row.thumbnailURL = text(thumbnailURL)
            row.createdAt = text(createdAt)
            row.issuedAt = text(issuedAt)
            row.vendorName = text(vendorName)
            row.price = price
            row.sale = sale
            row.stock = stock
            row.hasEndedSale = hasEndedSale
            row.images = images
            row.blank = blank
            body(row)
        }
    }
}
