@testable import OpenMarket
import Testing

struct ProductConditionTests {
    private static let listings: Listings = [
        Listing("moon-jar", name: "달항아리", .krw, 71000, stock: 0),
        Listing("desk-lamp", name: "Desk LAMP", .usd, 16.cents(99), sale: 12.cents(50), stock: 5),
        Listing("floor-lamp", name: "Floor lamp", .usd, 40.cents(0)),
        Listing(
            key: "old-lamp",
            file: "old.yaml",
            position: SourcePosition(line: 9, column: 3),
            isAbsent: true,
            isProtected: true,
            pinnedID: .number(4)
        ),
    ]

    private static func keys(_ conditions: [String]) throws -> [String] {
        try conditions.map { text throws in try ProductCondition(text) }
            .matches(in: listings.enumerated().map { ($0.offset, $0.element) }).map(\.listing.key)
    }

    @Test(arguments: [
        (["key=*-lamp"], ["desk-lamp", "floor-lamp", "old-lamp"]), (["key!=*-lamp"], ["moon-jar"]),
        (["key=????-lamp"], ["desk-lamp"]), (["name~lamp"], ["desk-lamp", "floor-lamp"]),
        (["name!~lamp"], ["moon-jar"]), (["name~항아"], ["moon-jar"]), (["name=Floor lamp"], ["floor-lamp"]),
        (["name = \u{1103}\u{1161}\u{11AF}항아리"], ["moon-jar"]), (["file=old*"], ["old-lamp"]),
        (["file~SHOP", "stock>0"], ["desk-lamp"]), (["id=4"], ["old-lamp"]),
        (["id=none"], ["moon-jar", "desk-lamp", "floor-lamp"]), (["id!=none"], ["old-lamp"]),
        (["protected=true"], ["old-lamp"]), (["protected!=true", "stock=none"], ["floor-lamp"]),
        (["stock!=none"], ["moon-jar", "desk-lamp"]), (["stock<=0"], ["moon-jar"]), (["stock!=0"], ["desk-lamp"]),
        (["currency=usd"], ["desk-lamp", "floor-lamp"]), (["sale_price!=none"], ["desk-lamp"]),
        (["sale_price=none", "currency!=KRW"], ["floor-lamp"]),
        // The order does not matter: the currency counts first.
        (["price>=16.990", "currency=USD"], ["desk-lamp", "floor-lamp"]),
        (["currency=USD", "price<16.99"], []), (["sale_price=12.5"], ["desk-lamp"]),
    ])
    func `products that fit all conditions are found`(_ conditions: [String], _ keys: [String]) throws {
        #expect(try Self.keys(conditions) == keys)
    }

    @Test func `prices of two currencies are not compared with one number`() {
        #expect(
            throws: ExpressionError(
                "'price>100': amounts of KRW and USD do not mix",
                help: "choose one by 'where', as in 'currency=KRW'"
            )
        ) { try Self.keys(["price>100"]) }
    }

    @Test(arguments: [
        "", "price", "=1", "price>", "price>abc", "price~1", "price>none", "name>a", "name~", "name~none", "key<a",
        "currency=WON", "protected=yes", "protected~t", "images=none", "prise>1", "stock=1,000",
    ])
    func `what is no condition is refused`(_ text: String) {
        #expect(throws: ExpressionError.self) { try ProductCondition(text) }
    }

    @Test func `a filter goes on excluding a product by its former key`() throws {
        let filter = try KeyFilter(exclusions: ["lamp"])
            .narrowed(by: [ProductCondition("currency=USD")], in: Self.listings)
            .knowing(["desk-lamp": "lamp"])
        #expect(["desk-lamp", "floor-lamp", "moon-jar"].filter(filter.takes) == ["floor-lamp"])
    }
}

extension Int {
    fileprivate func cents(_ cents: Int) -> ExactDecimal? {
        ExactDecimal(significand: Int64(self * 100 + cents), scale: 2)
    }
}
