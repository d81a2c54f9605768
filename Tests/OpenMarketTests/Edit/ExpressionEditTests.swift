@testable import OpenMarket
import Testing

struct ExpressionEditTests {
    private static let listings: Listings = [
        Listing("jar", .krw, 1000, sale: 900), Listing("mug", .krw, 500), Listing("lamp", .usd, 20),
        Listing(key: "old", file: "shop.yaml", position: SourcePosition(line: 1, column: 1), isAbsent: true),
    ]

    private func edit(_ expressions: [String], of keys: Set<String>? = nil) throws -> ExpressionEdit {
        try ExpressionEdit(
            expressions.map { text throws in try FieldExpression(text) },
            of: Self.listings.filter { keys?.contains($0.key) ?? true }
        )
    }

    private func price(_ price: ExactDecimal) -> FieldEdit { FieldEdit(.value(.price), .value(.number(price))) }

    @Test func `selected products are edited, and a sale that stays is counted`() throws {
        let result = try edit(["price=+10%"], of: ["jar", "mug", "old"])
        #expect(
            result.edits == [
                ProductEdit(key: "jar", .change([price(1100)]), reason: "price=+10%"),
                ProductEdit(key: "mug", .change([price(550)]), reason: "price=+10%"),
            ]
        )
        #expect(result.keptSales == 1)
    }

    @Test func `a later expression sees what an earlier one changed`() throws {
        let sale = FieldEdit(.value(.salePrice), .value(.sale(.price(800))))
        let result = try edit(["price=x2", "sale_price=price-60%"], of: ["jar"])
        let reason = "price=x2, sale_price=price-60%"
        #expect(result.edits == [ProductEdit(key: "jar", .change([price(2000), sale]), reason: reason)])
        #expect(result.keptSales == 0)
    }

    @Test func `a product whose result makes no sense is left alone, and the others are edited`() throws {
        #expect(
            try edit(["price=-600"], of: ["jar", "mug"]).edits == [
                ProductEdit(
                    key: "jar",
                    .leave(because: "the sale price 900 would be above the price 400"),
                    reason: "price=-600"
                ),
                ProductEdit(key: "mug", .leave(because: "the price would be -100"), reason: "price=-600"),
            ]
        )
    }

    @Test(arguments: ["price=+5", "price=35000", "sale_price=price-5", "prices=+1"])
    func `amounts of two currencies do not mix`(_ text: String) {
        #expect(
            throws: ExpressionError(
                "'\(text)': amounts of KRW and USD do not mix",
                help: "choose one by 'where', as in 'currency=KRW'"
            )
        ) { try edit([text]) }
    }

    @Test func `rounding is in one currency, a share is not`() throws {
        var expression = try FieldExpression("price=+10%")
        #expect(try ExpressionEdit([expression], of: Self.listings).edits.count == 3)
        expression.rounding = try .init(step: "100")
        let rounded = expression
        #expect(throws: ExpressionError.self) { try ExpressionEdit([rounded], of: Self.listings) }
    }
}
