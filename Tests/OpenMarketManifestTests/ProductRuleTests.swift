@testable import OpenMarket
@testable import OpenMarketManifest
@testable import OpenMarketTestSupport
import Testing

/// One test for each rule about a product.
///
/// `id: 1` pins a product, so that no other field is required.
struct ProductRuleTests {
    @Test func `texts are what is there, whatever YAML would make of them`() throws {
        let loaded = expectFaults(
            """
            products:
            - {key: 007, id: 1, name: 2024-01-01}
            - {key: no, id: 2, name: "yes"}
            - key: 1e3
              id: 3
              name: >-
                folded
                text here
              description: |
                Two long
                lines
            """
        )
        let listings = try #require(loaded.manifest?.listings)
        #expect(listings.map(\.key) == ["007", "no", "1e3"])
        #expect(listings.map(\.values.name) == ["2024-01-01", "yes", "folded text here"])
        #expect(listings[2].values.description == "Two long\nlines")
        #expect(listings.map(\.pinnedID) == [MarketID(1), MarketID(2), MarketID(3)])
    }

    @Test func `null is refused and the way out is named`() {
        let help = "leave the key out to not manage the field; a text that reads null needs quotes"
        expectFaults(
            """
            products:
            - key: a
              id: 1
              name: ①null
              price: ②~
              description:③
              images: ④NULL
              protected: ⑤null
              stock: 'null'
            """.replacing("'null'", with: "1"),
            """
            ① [products[0].name] 'name' has no value
              help: \(help)
            ② [products[0].price] 'price' has no value
              help: \(help)
            ③ [products[0].description] 'description' has no value
              help: \(help)
            ④ [products[0].images] 'images' has no value
              help: \(help)
            ⑤ [products[0].protected] 'protected' has no value
              help: leave the key out
            """
        )
        expectFaults("products:\n- {key: a, id: 1, name: 'null'}\n")
    }

    @Test func `unknown keys get a suggestion`() {
        expectFaults(
            """
            products:
            - key: a
              id: 1
              ①nmae: x
              ②title: x
              ③quantity: 3
              ④picture: x.jpg
              ⑤colour: red
              ⑥ignore_change: [stock]
            """,
            """
            ① [products[0].nmae] unknown key 'nmae'
              help: did you mean 'name'?
            ② [products[0].title] unknown key 'title'
              help: did you mean 'name'?
            ③ [products[0].quantity] unknown key 'quantity'
              help: did you mean 'stock'?
            ④ [products[0].picture] unknown key 'picture'
              help: did you mean 'images'?
            ⑤ [products[0].colour] unknown key 'colour'
            ⑥ [products[0].ignore_change] unknown key 'ignore_change'
              help: did you mean 'ignore_changes'?
            """
        )
    }

    @Test func `discounted_price is refused with the reason`() {
        expectFaults(
            "products:\n- key: a\n  id: 1\n  ①discounted_price: 5\n",
            """
            ① [products[0].discounted_price] 'discounted_price' means the sale price on v1 and the amount off on v2
              help: write 'sale_price' for the price that buyers pay, or 'discount' for the amount off
            """
        )
    }

    @Test func `a key is needed, unique, short and on one line`() {
        let long = String(repeating: "k", count: 201)
        expectFaults(
            """
            products:
            - ①id: 1
            - {id: 4, key: ②""}
            - {id: 5, key: ③\(long)}
            - {id: 6, key: ④"a\\nb"}
            - ⑥key: x
              id: 2
            - key: ⑤x
              id: 3
            - ⑦just text
            - {id: 7, key: ⑧[a]}
            """,
            """
            ① [products[0].key] this product has no 'key'
            ② [products[1].key] 'key' is empty
            ③ [products[2].key] 'key' has 201 characters, and 200 is the most
            ④ [products[3].key] 'key' has a line break or another control character
            ⑤ [products[5].key] the key 'x' is used by another product
              note: ⑥: it was used first here
            ⑦ [products[6]] a product must be a mapping, and this is a text
              help: begin it with '- key: …'
            ⑧ [products[7].key] 'key' must be a single value, and this is a list
            """
        )
    }

    @Test func `numbers are exact decimals in plain spelling`() throws {
        let loaded = expectFaults(
            """
            products:
            - {key: a, id: 1, price: 16.99, currency: USD}
            - {key: b, id: 2, price: '007'}
            - {key: c, id: 3, price: 60000000.00, stock: 1000000000000}
            """
        )
        let values = try #require(loaded.manifest?.listings.map(\.values))
        #expect(values.map(\.price) == [ExactDecimal("16.99"), 7, 60_000_000])
        #expect(values[2].stock == 1_000_000_000_000)
        let faults: [(String, String, String?)] = [
            ("1e3", "'1e3' is not a plain number", "write 1000"),
            ("1_000", "'1_000' is not a plain number", "write 1000"),
            ("'1,000'", "'1,000' is not a plain number", "write 1000"),
            ("0x10", "'0x10' is not a number", nil),
            (".inf", "'.inf' is not a number", nil),
            ("35000원", "'35000원' is not a plain number", "write 35000, and KRW in 'currency'"),
            ("''", "'' is not a number", nil),
            ("1.", "'1.' is not a number", nil),
            ("-1", "'price' is -1, and cannot be negative", nil),
            ("[1]", "'price' must be a single value, and this is a list", nil),
            ("1234567890123456789012", "'1234567890123456789012' has more digits than a number can have", nil),
        ]
        for (text, message, help) in faults {
            expectFaults(
                "products:\n- key: a\n  id: 1\n  price: ①\(text)\n",
                "① [products[0].price] \(message)" + (help.map { "\n  help: \($0)" } ?? "")
            )
        }
    }

    @Test func `fractions belong to dollars, and have two digits`() {
        expectFaults(
            """
            products:
            - {key: a, id: 1, price: ①9.5, currency: KRW}
            - {key: b, id: 2, price: ②9.999, currency: USD}
            - {key: c, id: 3, price: 9.99, currency: USD}
            - {key: d, id: 4, price: 10, sale_price: ③9.5, currency: KRW}
            - {key: e, id: 5, price: 10, discount: ④0.5, currency: KRW}
            - {key: f, id: 6, price: ⑤10.5, discount: ⑥1, currency: KRW}
            """,
            """
            ① [products[0].price] the price 9.5 has a fraction; amounts in won are whole numbers
              help: rounded it is 10
            ② [products[1].price] the price 9.999 has 3 digits after the point, and USD has 2
              help: rounded it is 10
            ③ [products[3].sale_price] the sale price 9.5 has a fraction; amounts in won are whole numbers
              help: rounded it is 10
            ④ [products[4].sale_price] the sale price 9.5 has a fraction; amounts in won are whole numbers
              help: rounded it is 10
            ⑤ [products[5].price] the price 10.5 has a fraction; amounts in won are whole numbers
              help: rounded it is 11
            ⑥ [products[5].sale_price] the sale price 9.5 has a fraction; amounts in won are whole numbers
              help: rounded it is 10
            """
        )
    }

    @Test func `v1 carries integer prices only`() {
        let loaded = expectFaults(
            """
            market: {api: v1a}
            products:
            - {key: a, id: 1, price: ①16.99, currency: USD}
            - {key: b, id: 2, price: 16, currency: USD}
            """,
            """
            ① [products[0].price] the price 16.99 has a fraction, and v1a carries integer prices only
              help: rounded it is 17
            """
        )
        #expect(loaded.manifest?.listings.map(\.key) == ["b"])
    }

    @Test func `booleans are true and false`() {
        expectFaults(
            """
            products:
            - {key: a, id: 1, protected: ①yes}
            - {key: b, id: 2, protected: ②off}
            - {key: c, id: 3, protected: ③maybe}
            - {key: d, id: 4, protected: true}
            """,
            """
            ① [products[0].protected] 'protected' must be true or false, and not 'yes'
              help: write true
            ② [products[1].protected] 'protected' must be true or false, and not 'off'
              help: write false
            ③ [products[2].protected] 'protected' must be true or false, and not 'maybe'
            """
        )
    }

    @Test func `currencies are KRW and USD`() {
        expectFaults(
            "products:\n- {key: a, id: 1, currency: ①krw}\n- {key: b, id: 2, currency: ②EUR}\n",
            """
            ① [products[0].currency] 'currency' must be KRW or USD, and not 'krw'
              help: did you mean 'KRW'?
            ② [products[1].currency] 'currency' must be KRW or USD, and not 'EUR'
              help: for a market that takes it name it in 'market.limits.currencies'
            """
        )
    }

    @Test func `every code of ISO 4217 is taken where the limits name it, with the digits that it has`() throws {
        for code in Currency.standardCodes {
            let currency = Currency(rawValue: code)
            let isKnown = Currency.known.contains(currency)
            let digits = currency.fractionDigits
            func product(_ price: String) -> String {
                "products:\n- {key: a, id: 1, price: \(price), currency: \(code)}\n"
            }
            let market = "market: {limits: {currencies: [\(code), KRW]}}\n"
            let most = digits == 0 ? "5" : "5." + String(repeating: "1", count: digits)
            let loaded = ManifestLoader(options: ManifestOptions()).decode(Array((market + product(most)).utf8))
            #expect(!loaded.hasErrors, "\(code)")
            #expect(loaded.manifest?.listings.first?.values.currency == currency)
            #expect(
                loaded.manifest?.market.limits.currencies == (isKnown ? Currency.known : Currency.known + [currency])
            )
            let longer = digits == 0 ? "5.1" : most + "1"
            let more = ManifestLoader(options: ManifestOptions()).decode(Array((market + product(longer)).utf8))
            #expect(more.diagnostics.contains { $0.code == .priceFraction }, "\(code)")
            // Without the limit, the market is not known to take it: in a product, and once in the defaults.
            let refused = ManifestLoader(options: ManifestOptions()).decode(Array(product("5").utf8))
            #expect(refused.hasErrors == !isKnown, "\(code)")
            let byDefault =
                "defaults: {currency: \(code)}\nproducts:\n- {key: a, id: 1, price: 5}\n- {key: b, id: 2, price: 5}\n"
            let defaulted = ManifestLoader(options: ManifestOptions()).decode(Array(byDefault.utf8))
            #expect(defaulted.diagnostics.count { $0.code == .currency } == (isKnown ? 0 : 1), "\(code)")
        }
    }

    @Test func `a sale is a sale price or an amount off, never both, never above the price`() throws {
        let loaded = expectFaults(
            """
            products:
            - {key: a, id: 1, price: 100, sale_price: 80}
            - {key: b, id: 2, price: 100, discount: 30}
            - {key: c, id: 3, price: 100, sale_price: 100}
            - {key: d, id: 4, price: 100, discount: 0}
            - {key: e, id: 5, price: 100, sale_price: 0}
            - {key: f, id: 6, price: 100}
            - {key: g, id: 7, price: 100, sale_price: 90, discount: ①10}
            - {key: h, id: 8, sale_price: ②90}
            - {key: i, id: 9, price: 100, sale_price: ③101}
            - {key: j, id: 10, price: 100, discount: ④101}
            - {key: k, id: 11, price: 100, discount: ⑤-1}
            """,
            """
            ① [products[6].discount] 'sale_price' and 'discount' exclude each other
              help: keep one of them
            ② [products[7].sale_price] 'sale_price' needs 'price'
            ③ [products[8].sale_price] 'sale_price' is 101, and the price only 100
            ④ [products[9].discount] 'discount' is 101, and the price only 100
            ⑤ [products[10].discount] 'discount' is -1, and cannot be negative
            """
        )
        let sales = try #require(loaded.manifest?.listings.map(\.values.sale))
        #expect(sales == [.price(80), .price(70), Sale.fullPrice, Sale.fullPrice, .price(0), nil])
    }

    @Test func `an initial stock is left alone afterwards`() throws {
        let loaded = expectFaults(
            """
            products:
            - {key: a, id: 1, stock: 5}
            - {key: b, id: 2, stock: {initial: 10}}
            - {key: c, id: 3, stock: ①-1}
            - {key: d, id: 4, stock: ②1.5}
            - {key: e, id: 5, stock: {①initial: ③x}}
            - {key: f, id: 6, stock: ④{first: 1}}
            - {key: g, id: 7, stock: ⑤{}}
            """.replacing("{①", with: "{"),
            """
            ① [products[2].stock] 'stock' is -1, and cannot be negative
            ② [products[3].stock] 'stock' is 1.5, and must be a whole number
            ③ [products[4].stock.initial] 'x' is not a number
            ④ [products[5].stock] 'stock' must be a number or {initial: N}
            ⑤ [products[6].stock] 'stock' must be a number or {initial: N}
            """
        )
        let listings = try #require(loaded.manifest?.listings)
        #expect(listings.map(\.values.stock) == [5, 10])
        #expect(listings.map(\.ignoreChanges) == [[], [.stock]])
    }

    @Test func `lengths are counted in characters, not in bytes`() {
        expectFaults(
            """
            products:
            - {key: a, id: 1, name: 램프등, description: 따뜻한 빛을 내는 등}
            - {key: d, id: 4, name: \(String(repeating: "등", count: 100))}
            - {key: e, id: 5, description: \(String(repeating: "등", count: 1000))}
            """
        )
    }

    @Test func `what a new product needs is asked for field by field`() {
        expectFaults(
            "products:\n- ①key: a\n",
            """
            ① [products[0].name] this product has no 'name'
            ① [products[0].description] this product has no 'description'
            ① [products[0].price] this product has no 'price'
            ① [products[0].currency] this product has no 'currency'
              help: add it here or in 'defaults'
            ① [products[0].images] this product has no 'images'
            """
        )
        expectFaults(
            "market: {api: v1}\ndefaults: {currency: KRW}\nproducts:\n- ①key: a\n  name: Lamp\n  price: 1\n  description: 0123456789\n",
            """
            ① [products[0].stock] this product has no 'stock'
              help: v1b requires it
            ① [products[0].images] this product has no 'images'
            """
        )
    }

    @Test func `a tombstone says nothing else`() throws {
        let help = "with 'state: absent' only key, id, previously and secret are allowed"
        let loaded = expectFaults(
            """
            products:
            - {key: a, state: absent}
            - {key: b, state: absent, id: 7, previously: c}
            - {key: d, state: absent, ①name: x, ②price: 1}
            - {key: e, state: ③abset}
            """,
            """
            ① [products[2].name] 'name' has no effect on an absent product
              help: \(help)
            ② [products[2].price] 'price' has no effect on an absent product
              help: \(help)
            ③ [products[3].state] 'state' must be absent or present, and not 'abset'
              help: did you mean 'absent'?
            """
        )
        let listings = try #require(loaded.manifest?.listings)
        #expect(listings.map(\.isAbsent) == [true, true])
        #expect(listings[1].previously == ["c"])
    }

    @Test func `former keys are free, and claimed once`() {
        expectFaults(
            """
            products:
            - ③key: a
              id: 1
            - {key: b, id: 2, previously: [①a, old, old]}
            - {key: c, id: 3, previously: ②old}
            - {key: d, id: 4, previously: ④d}
            """.replacing("- {key: b", with: "- ⑤{key: b"),
            """
            ① [products[1].previously] the key 'a' is still in use
              note: ③: by this product
            ② [products[2].previously] another product had the key 'old' before
              note: ⑤: by this product
            ④ [products[3].previously] 'previously' names the product's own key
            """
        )
    }

    @Test func `ignore_changes names fields`() throws {
        let loaded = expectFaults(
            """
            defaults: {ignore_changes: [stock]}
            products:
            - {key: a, id: 1, ignore_changes: [price, images]}
            - {key: b, id: 2}
            - {key: c, id: 3, ignore_changes: [①discount, ②prize, ③weather]}
            """,
            """
            ① [products[2].ignore_changes] 'discount' is not a field of a product
              help: did you mean 'sale_price'?
            ② [products[2].ignore_changes] 'prize' is not a field of a product
              help: did you mean 'price'?
            ③ [products[2].ignore_changes] 'weather' is not a field of a product
              help: the fields are name, description, price, currency, sale_price, stock, images, thumbnail
            """
        )
        #expect(loaded.manifest?.listings.map(\.ignoreChanges) == [[.stock, .price, .images], [.stock]])
    }

    @Test func `a repeated name is a warning, a repeated id an error`() {
        expectFaults(
            """
            products:
            - {key: a, id: 1, name: ①Lamp}
            - ④{key: b, id: 2, name: ②Lamp}
            - ③{key: c, id: 2}
            """,
            """
            ② warning: [products[1].name] the name 'Lamp' is used by another product
              note: ①: it was used first here
            ③ [products[2].id] the id 2 is pinned by another product
              note: ④: it was pinned first here
            """
        )
    }

    @Test func `a key that appears twice drops the product`() {
        let loaded = expectFaults(
            "products:\n- key: a\n  id: 1\n  ①price: 1\n  ②price: 2\n- {key: b, id: 2}\n",
            """
            ② [products[0]] the key 'price' appears twice in this mapping
              note: ①: it was given first here
            """
        )
        #expect(loaded.manifest?.listings.map(\.key) == ["b"])
    }

    @Test func `control characters are refused in texts`() {
        expectFaults(
            "products:\n- {key: a, id: 1, name: ①\"a\\eb\", description: \"tabs\\tand\\nlines are fine\"}\n",
            "① [products[0].name] 'name' has the control character U+001B"
        )
    }

    @Test func `a whole product has whole values and places`() throws {
        let loaded = expectFaults(
            """
            products:
            - key: desk-lamp
              name: Desk lamp
              price: 35000
              currency: KRW
              id: 193
              protected: true
              previously: [old]
            """
        )
        #expect(
            loaded.manifest?.listings == [
                Listing(
                    key: "desk-lamp",
                    file: "m.yaml",
                    position: SourcePosition(line: 2, column: 3),
                    values: ProductValues(name: "Desk lamp", price: 35000, currency: .krw),
                    isProtected: true,
                    pinnedID: MarketID(193),
                    previously: ["old"],
                    fieldPositions: [
                        .name: SourcePosition(line: 3, column: 9),
                        .price: SourcePosition(line: 4, column: 10),
                        .currency: SourcePosition(line: 5, column: 13),
                    ]
                )
            ]
        )
    }
}
