@testable import OpenMarket
@testable import OpenMarketWorkflow
import Testing

struct BrakeTests {
    /// A shop of which some products stay, some go and some are replaced.
    private func shop(stay: Int, go: Int, replace: Int = 0) -> PlanFixture {
        var shop = PlanFixture()
        var id: Int64 = 0
        func next() -> Int64 {
            id += 1
            return id
        }
        for _ in 0..<stay { let id = next(); shop.has("stay-\(id)", id) }
        for _ in 0..<go {
            let id = next()
            shop.manages("go-\(id)", id)
        }
        for _ in 0..<replace {
            let id = next()
            shop.has("new-\(id)", id)
            shop.input.manifest.listings[shop.input.manifest.listings.count - 1].values.images = pictures(9)
        }
        return shop
    }

    private func refusals(_ shop: PlanFixture) -> [String] {
        shop.plan().refusals.map { "\($0.message) [\($0.override?.description ?? "final")]" }
    }

    @Test func `30 percent of a shop may go, no more`() {
        #expect(refusals(shop(stay: 7, go: 2, replace: 2)).count == 1)
        #expect(refusals(shop(stay: 14, go: 4, replace: 2)) == [])
        #expect(
            refusals(shop(stay: 13, go: 4, replace: 3)) == [
                "7 of 20 managed products would be deleted or replaced, more than 30% [--max-delete 7]"
            ]
        )
    }

    @Test func `a shop of ten is too small for shares`() {
        #expect(refusals(shop(stay: 1, go: 9)) == [])
        #expect(refusals(shop(stay: 1, go: 10)).count == 1)
    }

    @Test func `a policy sets its own bound`() {
        var shop = shop(stay: 3, go: 2)
        shop.options.policies.maximumDelete = .count(1)
        #expect(
            refusals(shop) == [
                "2 of 5 managed products would be deleted or replaced, more than 1 [--max-delete 2]"
            ]
        )
        shop.options.policies.maximumDelete = .count(2)
        #expect(refusals(shop) == [])
        shop.options.policies.maximumDelete = .basisPoints(3999)
        #expect(
            refusals(shop) == [
                "2 of 5 managed products would be deleted or replaced, more than 39.99% [--max-delete 2]"
            ]
        )
        shop.options.policies.maximumDelete = .basisPoints(4000)
        #expect(refusals(shop) == [])
        shop.options.policies.maximumDelete = .basisPoints(.max)
        #expect(refusals(shop) == [])
        // A generous bound also lifts the standing one.
        shop = self.shop(stay: 5, go: 10)
        shop.options.policies.maximumDelete = .basisPoints(10_000)
        #expect(refusals(shop) == [])
    }

    @Test func `products that are taken over count as managed`() {
        var shop = PlanFixture()
        shop.options.policies.maximumDelete = .basisPoints(5000)
        shop.wants("lamp")
        shop.wants("desk") { $0.values.name = "Desk" }
        shop.shows(7)
        shop.shows(8) { $0.name = "Desk" }
        shop.input.pictureDigests = ["u/71": digest(9), "u/81": digest(1)]
        #expect(shop.plan().operations.map(\.action) == [.adopt, .adopt, .replace])
        #expect(refusals(shop) == [])
    }

    @Test func `an empty manifest deletes nothing unless allowed to`() {
        var shop = shop(stay: 0, go: 2)
        #expect(
            refusals(shop) == [
                "the manifest has no products, but 2 are managed: all would be deleted [--allow-empty]"
            ]
        )
        shop.options.filter = KeyFilter(targets: ["go-1"])
        #expect(
            refusals(shop) == [
                "the manifest has no products, but 2 are managed: 1 of them would be deleted [--allow-empty]"
            ]
        )
        shop.options.allowsEmptyManifest = true
        #expect(refusals(shop) == [])
        #expect(refusals(PlanFixture()) == [])
        // A wrong file does not come through the other brake either.
        shop = self.shop(stay: 0, go: 11)
        shop.options.allowsEmptyManifest = true
        #expect(refusals(shop).count == 1)
    }

    private func priced(_ old: ExactDecimal, _ new: ExactDecimal, most: Int64?) -> [String] {
        var shop = PlanFixture()
        shop.options.policies.maximumPriceChange = most
        shop.options.policies.allowsZeroPrice = true
        shop.wants("lamp") { $0.values.price = new }
        shop.manages("lamp", 7) { $0.price = old }
        return refusals(shop)
    }

    // MARK: A price of 0

    @Test func `a price that becomes 0 is refused, of new products, too, and is first in the review`() throws {
        let refused = ["buyers would pay 0 for 'lamp' [--allow-zero-price]"]
        let free: [(price: ExactDecimal, sale: Sale?)] = [(0, nil), (0, .fullPrice), (100, .price(0))]
        for (price, sale) in free {
            func want(_ listing: inout Listing) { (listing.values.price, listing.values.sale) = (price, sale) }
            var new = PlanFixture()
            new.wants("lamp", want)
            var changed = new
            changed.manages("lamp", 7)
            var replaced = changed
            replaced.input.manifest.listings[0].values.images = pictures(9)
            // A price that somebody set in the place of 0 is put back to 0 only by leave, too.
            var drifted = new
            drifted.knows("lamp", 7) { ($0.applied.price, $0.applied.sale) = (price, sale) }
            drifted.shows(7)
            for (shop, action) in zip([new, changed, replaced, drifted], ["create", "update", "replace", "update"]) {
                var shop = shop
                #expect(refusals(shop) == refused, "\(action)")
                let review = PlanReview(shop.plan())
                #expect(review.items.first?.findings.first == .zeroPrice, "\(action)")
                shop.options.policies.allowsZeroPrice = true
                #expect(refusals(shop) == [], "\(action)")
            }
            // What was free before stays so with other changes.
            var free = new
            free.input.manifest.listings[0].values.stock = 3
            free.knows("lamp", 7) { ($0.applied.price, $0.applied.sale) = (price, sale) }
            free.shows(7) { ($0.price, $0.sale) = (price, sale ?? .fullPrice) }
            #expect(refusals(free) == [])
        }
    }

    // MARK: Least price

    private func cheap(_ change: (inout PlanFixture) -> Void) -> [String] {
        var shop = PlanFixture()
        shop.options.policies.minimumPrice = 50
        change(&shop)
        return refusals(shop)
    }

    @Test func `no price goes below the least one, of new products either`() {
        #expect(cheap { $0.wants("lamp") { $0.values.price = 50 } } == [])
        #expect(
            cheap { $0.wants("lamp") { $0.values.price = ExactDecimal("49.99") } } == [
                "the price of 'lamp' would be 49.99, less than 50 [--min-price 49.99]"
            ]
        )
        let changed = cheap { shop in
            shop.has("lamp", 7) { $0.values.price = 5 }
        }
        #expect(changed == ["the price of 'lamp' would be 5, less than 50 [--min-price 5]"])
    }

    @Test func `what buyers pay in a sale counts as a price`() {
        let sale = cheap { shop in
            shop.has("lamp", 7) { $0.values.sale = .at(10, insteadOf: 100) }
        }
        #expect(sale == ["the buyers' price of 'lamp' would be 10, less than 50 [--min-price 10]"])
        let replaced = cheap { shop in
            shop.has("lamp", 7) { $0.values.sale = .at(10, insteadOf: 100) }
            shop.input.manifest.listings[0].values.images = pictures(9)
        }
        #expect(replaced == sale)
    }

    @Test func `a price that was low before does not hold up other changes`() {
        let other = cheap { shop in
            shop.wants("lamp") {
                $0.values.price = 5; $0.values.stock = 1
            }
            shop.manages("lamp", 7) { $0.price = 5 }
        }
        #expect(other == [])
    }

    @Test func `a price moves no further than the policy allows`() {
        #expect(priced(100, 1000, most: nil) == [])
        #expect(priced(100, 150, most: 5000) == [])
        #expect(priced(100, 50, most: 5000) == [])
        #expect(
            priced(100_000, 150_001, most: 5000) == [
                "the price of 'lamp' moves from 100000 to 150001, more than 50% [--max-price-change 51%]"
            ]
        )
        #expect(
            priced(100, 0, most: 5050) == [
                "the price of 'lamp' moves from 100 to 0, more than 50.5% [--max-price-change 100%]"
            ]
        )
        #expect(
            priced(0, 5, most: 5000) == [
                "the price of 'lamp' moves from 0 to 5, more than 50% [--max-price-change none]"
            ]
        )
        #expect(priced(1, ExactDecimal(Int64.min), most: 5000).count == 1)
        #expect(priced(-1, ExactDecimal(Int64.max), most: .max) == [])
        #expect(priced(100, 101, most: .min).count == 1)
    }

    @Test func `what buyers pay moves no further than the policy allows`() {
        func sold(from old: Sale, to new: Sale, price: ExactDecimal = 35_000) -> [String] {
            var shop = PlanFixture()
            shop.options.policies.maximumPriceChange = 5000
            shop.wants("lamp") { ($0.values.price, $0.values.sale) = (price, new) }
            shop.manages("lamp", 7) { ($0.price, $0.sale) = (35_000, old) }
            return refusals(shop)
        }
        #expect(
            sold(from: .price(31_500), to: .price(315)) == [
                "the buyers' price of 'lamp' moves from 31500 to 315, more than 50% [--max-price-change 99%]"
            ]
        )
        #expect(
            sold(from: .fullPrice, to: .price(350)) == [
                "the buyers' price of 'lamp' moves from 35000 to 350, more than 50% [--max-price-change 99%]"
            ]
        )
        #expect(
            sold(from: .price(10_000), to: .fullPrice) == [
                "the buyers' price of 'lamp' moves from 10000 to 35000, more than 50% [--max-price-change 250%]"
            ]
        )
        #expect(sold(from: .price(31_500), to: .price(20_000)) == [])
        // The price moves far, what buyers pay does not, and the other way round.
        #expect(
            sold(from: .price(31_500), to: .price(31_500), price: 90_000) == [
                "the price of 'lamp' moves from 35000 to 90000, more than 50% [--max-price-change 158%]"
            ]
        )
        #expect(sold(from: .fullPrice, to: .price(31_500), price: 40_000) == [])
    }

    @Test func `many price moves are one refusal, with the limit that allows all of them`() {
        var shop = PlanFixture()
        shop.options.policies.maximumPriceChange = 5000
        for (id, price) in [(7, 160), (8, 190), (9, 120)] as [(Int64, ExactDecimal)] {
            shop.has("k\(id)", id)
            let last = shop.input.manifest.listings.count - 1
            shop.input.manifest.listings[last].values.price = price
        }
        #expect(
            shop.plan().refusals.map {
                "\($0.source?.description ?? ""): \($0.message) [\($0.override?.description ?? "")]"
            } == [
                "shop.yaml:2:3: 2 prices move too far; the largest: the price of 'k8' moves from 100 to 190, more than 50% "
                    + "[--max-price-change 90%]"
            ]
        )
    }

    @Test func `many refusals of any one policy are one, which the lowest price stands for`() {
        var shop = PlanFixture()
        shop.options.policies = Policies(minimumPrice: 50, allowsCurrencyChange: false, allowsStockToZero: false)
        for (id, price) in [(7, 30), (8, 20), (9, 40), (10, 0), (11, 0)] as [(Int64, ExactDecimal)] {
            shop.wants("k\(id)") { ($0.values.price, $0.values.currency, $0.values.stock) = (price, .krw, 0) }
            shop.knows("k\(id)", id)
            shop.shows(id) { $0.stock = 3 }
        }
        #expect(
            refusals(shop) == [
                "5 currencies change; the first: the currency of 'k7' changes from USD to KRW [--allow-currency-change]",
                "5 stocks go to 0; the first: the stock of 'k7' goes from 3 to 0 [--allow-stock-to-zero]",
                "5 prices would be too low; the lowest: the price of 'k10' would be 0, less than 50 [--min-price 0]",
                "2 prices would be 0; the first: buyers would pay 0 for 'k10' [--allow-zero-price]",
            ]
        )
    }

    @Test func `the override that a price refusal names lets the price pass`() throws {
        for new: ExactDecimal in [0, 3, 49, 151, 199, 200, 201, 1234] {
            guard let refusal = priced(100, new, most: 4000).first, let percent = refusal.split(separator: " ").last
            else {
                continue
            }
            let points = try #require(Int64(percent.dropLast(2))) * 100
            #expect(priced(100, new, most: points) == [], "\(refusal)")
        }
    }

    @Test func `a currency changes only where the policy lets it`() {
        var shop = PlanFixture()
        shop.has("lamp", 7) { $0.values.currency = .krw }
        #expect(refusals(shop) == [])
        shop.options.policies.allowsCurrencyChange = false
        #expect(refusals(shop) == ["the currency of 'lamp' changes from USD to KRW [--allow-currency-change]"])
    }

    @Test func `a price bound is not asked of amounts in two currencies`() {
        func moved(to price: ExactDecimal, sale: Sale? = nil) -> [String] {
            var shop = PlanFixture()
            shop.options.policies.maximumPriceChange = 5000
            shop.wants("lamp") { ($0.values.price, $0.values.currency, $0.values.sale) = (price, .krw, sale) }
            shop.manages("lamp", 7) { $0.price = ExactDecimal("2.99") }
            return refusals(shop)
        }
        func refused(_ amount: String) -> [String] {
            [
                "the buyers' price of 'lamp' changes from 2.99 USD to \(amount) KRW, another currency [--max-price-change none]"
            ]
        }
        #expect(moved(to: 4100) == refused("4100"))
        // Numbers that are near each other are as far apart.
        #expect(moved(to: 3) == refused("3"))
        #expect(moved(to: 4100, sale: .price(3)) == refused("3"))
    }

    @Test func `a stock falls to 0 only where the policy lets it`() {
        var shop = PlanFixture()
        shop.wants("lamp") { $0.values.stock = 0 }
        shop.knows("lamp", 7)
        shop.shows(7) { $0.stock = 3 }
        #expect(refusals(shop) == [])
        shop.options.policies.allowsStockToZero = false
        #expect(refusals(shop) == ["the stock of 'lamp' goes from 3 to 0 [--allow-stock-to-zero]"])
        shop.shows(7) { $0.stock = -2 }
        #expect(refusals(shop) == [])
    }

    @Test func `making products trips no brake`() {
        var shop = PlanFixture()
        shop.options.policies = Policies(
            maximumDelete: .count(0),
            maximumPriceChange: 0,
            allowsCurrencyChange: false,
            allowsStockToZero: false
        )
        shop.wants("lamp") { $0.values.stock = 0 }
        #expect(refusals(shop) == [])
    }
}
