@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketWorkflow
import Testing

struct PlanReviewTests {
    /// A shop in which something of everything happens.
    private static func shop() -> PlanFixture {
        var shop = PlanFixture()
        shop.options.policies.allowsCurrencyChange = true
        shop.options.policies.allowsStockToZero = true
        shop.options.allowsNamesakes = true
        shop.has("kept", 1)
        shop.has("dearer", 2) { $0.values.price = 110 }
        shop.has("half", 3) { $0.values.price = 50 }
        shop.has("empty", 4) { $0.values.stock = 0 }
        shop.has("texted", 5) { $0.values.description = "Cold light." }
        shop.wants("fresh")
        return shop
    }

    @Test func `what is risky comes first`() {
        let review = PlanReview(Self.shop().plan())
        #expect(review.items.map(\.operation.key) == ["empty", "half", "dearer", "fresh", "texted"])
        #expect(review.items.map(\.findings) == [[.stockToZero], [.price], [], [], []])
        #expect(review.findings.map(\.finding) == [.stockToZero, .price])
    }

    @Test func `a policy makes smaller price moves worth a look`() {
        let review = PlanReview(Self.shop().plan(), maximumPriceChange: 1500)
        #expect(review.items.filter { $0.findings == [.price] }.map(\.operation.key) == ["half", "dearer"])
    }

    @Test func `the impact counts listings and prices`() {
        let plan = Self.shop().plan()
        let items = PlanReview(plan).items
        #expect(PlanImpact.listings(items).map(\.text) == ["1 appears, 4 change"])
        let prices = PlanImpact.others(items, PlanEffort(plan, MarketProfile.v2b.capabilities)).first
        #expect(prices?.text == "2 move, from -50% (Lamp) to +10% (Lamp)")
    }

    @Test(arguments: [
        (ExactDecimal(100), ExactDecimal(50), "-50%"),
        (100, 101, "+1%"),
        (1000, 1001, "+0.1%"),
        (100_000, 100_001, "+<0.1%"),
        (3, 4, "+33.3%"),
        (3, 2, "-33.3%"),
        (100, 0, "-100%"),
    ])
    func `a move in percent`(old: ExactDecimal, new: ExactDecimal, percent: String) {
        #expect(PriceMove(from: old, to: new)?.percent == percent)
    }

    @Test func `a move from nothing has no percent and is the largest`() {
        let move = PriceMove(from: 0, to: 5)
        #expect(move?.percent == nil)
        #expect(move?.magnitude == .max)
        #expect(PriceMove(from: 5, to: 5) == nil)
        #expect(PriceMove(from: nil, to: 5) == nil)
    }

    @Test func `a sale moves what buyers pay`() throws {
        var shop = PlanFixture()
        shop.has("lamp", 7) { $0.values.sale = .price(80) }
        let operation = try #require(shop.plan().operations.first)
        #expect(operation.priceMove == PriceMove(from: 100, to: 80))
        #expect(operation.changes.map { operation.move(of: $0)?.percent } == ["-20%"])
    }
}
