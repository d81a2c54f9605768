@testable import OpenMarket
import Testing

struct FieldExpressionTests {
    private static func listing(_ currency: Currency?, _ price: ExactDecimal?, sale: ExactDecimal? = nil) -> Listing {
        Listing("lamp", name: "Lamp 2026", currency, price, sale: sale, stock: 4)
    }

    private static let bahrain = Currency(rawValue: "BHD")

    private func rounding(_ text: String?) throws -> FieldExpression.Rounding? {
        guard let text else { return nil }
        let isEnding = text.hasPrefix("ending ")
        let number = String(text.dropFirst(isEnding ? 7 : 6))
        return isEnding ? try .init(ending: number) : try .init(step: number)
    }

    /// Computed with Python's `decimal` and `ROUND_HALF_UP`.
    @Test(arguments: [
        (Currency.krw, "71000", "+10%", nil, "78100"), (.krw, "71005", "+10%", nil, "78106"),
        (.krw, "71005", "-50%", nil, "35503"), (.krw, "99999", "x1.1", nil, "109999"),
        (.krw, "38450", "+0", "round 100", "38500"), (.krw, "38449", "+0", "round 100", "38400"),
        (.krw, "40", "+0", "round 100", "100"), (.krw, "38500", "+0", "ending 900", "38900"),
        (.krw, "38399", "+0", "ending 900", "37900"), (.krw, "38400", "+0", "ending 900", "38900"),
        (.krw, "10", "+0", "ending 900", "900"), (.krw, "0", "+10%", "ending 900", "0"),
        (.krw, "12345", "+0", "ending 00", "12300"), (.krw, "50", "x0.1", "ending 00", "100"),
        (.usd, "9.99", "+10%", nil, "10.99"), (.usd, "16.99", "-33.3%", nil, "11.33"),
        (.usd, "0.05", "x0.1", nil, "0.01"), (.usd, "10.48", "+0", "ending 0.99", "9.99"),
        (.usd, "10.49", "+0", "ending 0.99", "10.99"), (.usd, "10.48", "+0", "ending .99", "9.99"),
        (.usd, "12.30", "+0.05", nil, "12.35"), (.usd, "14.20", "+0", "ending 4.95", "14.95"),
        (.usd, "9.99", "19.5", "round 0.25", "19.5"), (.usd, "9.99", "-10%", "round 0.25", "9"),
        (bahrain, "1.005", "+10%", nil, "1.106"), (bahrain, "1.0049", "x1", nil, "1.005"),
        (bahrain, "12.345", "-0.346", nil, "11.999"), (bahrain, "3.333", "x3.333", nil, "11.109"),
    ])
    func `an amount is exact, and rounded half up`(
        _ currency: Currency,
        _ price: String,
        _ change: String,
        _ rounded: String?,
        _ result: String
    ) throws {
        var expression = try FieldExpression("price=\(change)")
        expression.rounding = try rounding(rounded)
        let edits = try expression.edits(of: Self.listing(currency, ExactDecimal(price)))
        let wanted = try #require(ExactDecimal(result))
        let expected = [FieldEdit(.value(.price), .value(.number(wanted)))]
        #expect(edits == (wanted == ExactDecimal(price) ? [] : expected))
    }

    @Test(arguments: [
        ("prices=x1.1", FieldValue?.some(.number(1100)), FieldValue?.some(.sale(.price(990)))),
        ("prices=-50", .number(950), .sale(.price(850))),
        ("sale_price=price-20%", nil, .sale(.price(800))),
        ("sale_price=price-300", nil, .sale(.price(700))),
        ("sale_price=price-0", nil, .sale(.fullPrice)),
        ("price=sale_price+10%", .number(990), nil),
    ])
    func `a price and its sale move together or by each other`(
        _ text: String,
        _ price: FieldValue?,
        _ sale: FieldValue?
    ) throws {
        let expected = [
            price.map { FieldEdit(.value(.price), .value($0)) }, sale.map { FieldEdit(.value(.salePrice), .value($0)) },
        ]
        let edits = try FieldExpression(text).edits(of: Self.listing(.krw, 1000, sale: 900))
        #expect(edits == expected.compactMap(\.self))
    }

    @Test(arguments: [
        ("sale_price=none", FieldEdit(.value(.salePrice), nil)), ("stock=none", FieldEdit(.value(.stock), nil)),
        ("images=none", FieldEdit(.value(.images), nil)), ("id=none", FieldEdit(.id, nil)),
        ("protected=true", FieldEdit(.protected, .flag(true))),
        ("currency=usd", FieldEdit(.value(.currency), .value(.text("USD")))),
        ("stock=+3", FieldEdit(.value(.stock), .value(.integer(7)))),
        ("stock=x1.5", FieldEdit(.value(.stock), .value(.integer(6)))),
        (
            "name={name} (pre-order, {stock} of {key}) {} {A}",
            FieldEdit(.value(.name), .value(.text("Lamp 2026 (pre-order, 4 of lamp) {} {A}")))
        ),
    ])
    func `other fields are set, changed and left out`(_ text: String, _ edit: FieldEdit) throws {
        var listing = Self.listing(.krw, 1000, sale: 900)
        listing.pinnedID = .number(7)
        #expect(try FieldExpression(text).edits(of: listing) == [edit])
    }

    @Test func `a text is replaced wherever the field has it`() throws {
        let listing = Self.listing(.krw, 1000)
        let expression = try FieldExpression(replacing: "2026", with: "2027", in: "name")
        #expect(
            try expression.edits(of: listing) == [FieldEdit(.value(.name), .value(.text("Lamp 2027")))]
        )
        let other = try FieldExpression(replacing: "2026", with: "2027", in: "description")
        #expect(try other.edits(of: listing) == [])
    }

    @Test(arguments: [
        "price=1000", "sale_price=x2", "sale_price=none", "protected=false", "id=none", "description=none",
        "stock=+0",
    ])
    func `what is there already, or is not said, is no change`(_ text: String) throws {
        #expect(try FieldExpression(text).edits(of: Self.listing(.krw, 1000)) == [])
    }

    @Test(arguments: [
        ("price=-2000", "the price would be -1000"), ("price=800", "the sale price 900 would be above the price 800"),
        ("sale_price=price+1", "the sale price 1001 would be above the price 1000"),
        ("price=1000.5", "the price 1000.5 has a fraction; amounts in won are whole numbers"),
        ("stock=+0.5", "the stock 4.5 has a fraction"), ("stock=-5", "the stock would be -1"),
        ("price=x9000000000000000000", "the price would be out of range"),
        ("name={description}", "it lacks 'description'"),
    ])
    func `a product whose result makes no sense is left alone`(_ text: String, _ reason: String) throws {
        let expression = try FieldExpression(text)
        #expect(throws: FieldExpression.Refusal(reason: reason)) {
            try expression.edits(of: Self.listing(.krw, 1000, sale: 900))
        }
    }

    @Test(arguments: [
        "", "price", "price=", "price=abc", "price=+", "price=+%", "price=x", "price=x-1", "price=1e3", "price=--1",
        "price=name+1", "price=stock+1", "stock=price-1", "prices=none", "prices=100", "prices=price-1", "id=7",
        "protected=yes", "currency=KRX", "images=a.png", "thumbnail=a.png", "key=a", "secret=none", "state=absent",
        "previously=none", "discount=5", "name={nmae}", "price=99999999999999999999",
    ])
    func `what is no expression is refused`(_ text: String) {
        #expect(throws: ExpressionError.self) { try FieldExpression(text) }
    }

    @Test func `a misspelt field is named with the one that is meant`() {
        #expect(
            throws: ExpressionError("unknown field 'prise'", help: "did you mean 'price'?")
        ) { try FieldExpression("prise=1") }
    }

    @Test(arguments: ["", "0", "-1", "x", "1e2"]) func `a step is a number above 0`(_ text: String) {
        #expect(throws: ExpressionError.self) { try FieldExpression.Rounding(step: text) }
    }

    @Test(arguments: ["", "-1", "x", "1234567890123456789"]) func `an ending is digits`(_ text: String) {
        #expect(throws: ExpressionError.self) { try FieldExpression.Rounding(ending: text) }
    }
}

extension Listing {
    /// A listing with amounts, and with nothing else that expressions and conditions see.
    init(
        _ key: String,
        name: String? = nil,
        _ currency: Currency?,
        _ price: ExactDecimal?,
        sale: ExactDecimal? = nil,
        stock: Int64? = nil
    ) {
        let sale = sale.map(Sale.price)
        self.init(
            key: key,
            file: "shop.yaml",
            position: SourcePosition(line: 1, column: 1),
            values: ProductValues(name: name, price: price, currency: currency, sale: sale, stock: stock)
        )
    }
}
