import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketClient

/// Markets of others, described in files, read from replies as their documentation shows them.
struct ForeignMarketTests {
    /// The wire of a fixture.
    private static func wire(
        _ name: String,
        _ parameters: [String: String] = [:],
        base: String = "https://shop.example"
    ) throws -> MarketWire {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let files = [
            tests.appendingPathComponent("OpenMarketDescriptionTests/Fixtures/\(name).market.yaml"),
            tests.deletingLastPathComponent().appendingPathComponent("examples/markets/\(name).market.yaml"),
        ]
        let file = try #require(files.first { FileManager.default.fileExists(atPath: $0.path) })
        let loaded = MarketDescriptionLoader.load([UInt8](try Data(contentsOf: file)))
        return MarketWire(try #require(loaded.description), parameters: parameters, base: base)
    }

    private static func wire(text: String, base: String = "https://shop.example") throws -> MarketWire {
        let loaded = MarketDescriptionLoader.load(Array(text.utf8))
        return MarketWire(try #require(loaded.description, "\(loaded.faults)"), base: base)
    }

    private static func page(
        _ wire: MarketWire,
        _ body: String,
        status: Int = 200,
        headers: [(name: String, value: String)] = [],
        number: Int = 1
    ) throws -> (LivePage, [LiveProduct]) {
        var rows = ProductRows()
        let bytes = Array(body.utf8)
        let reply = KeptReply(status, headers: headers)
        let page = try PageReader(wire, page: number).read(reply, bytes.span, collecting: &rows)
        #expect(page.ids == rows.products.map(\.id))
        return (page, rows.products)
    }

    private static func messages(_ page: LivePage) -> [String] { page.problems.map { "\($0.place): \($0.message)" } }

    @Test func `pretix: texts in languages, prices in texts, one picture, the price before`() throws {
        let wire = try Self.wire(
            "pretix",
            ["organizer": "o", "event": "e-1", "language": "ko", "currency": "EUR"]
        )
        #expect(
            try wire.target(of: .number(2, size: 50))
                == "/api/v1/organizers/o/events/e-1/items/?ordering=-id&page=2&page_size=50"
        )
        #expect(try wire.detailTarget(MarketID(7)) == "/api/v1/organizers/o/events/e-1/items/7/")
        let (page, products) = try Self.page(
            wire,
            """
            {"count":2,"next":null,"previous":null,"results":[
             {"id":7,"name":{"en":"Lamp","ko":"\\ub4f1"},"internal_name":null,"default_price":"23.00","original_price":"30.00",
              "description":{"ko":"따뜻한 등"},"picture":"https://shop.example/media/p.png","active":true},
             {"id":6,"name":{"en":"Book"},"default_price":"5.50","original_price":null,"description":null,"picture":null}]}
            """
        )
        #expect(
            products == [
                LiveProduct(
                    id: MarketID(7),
                    values: ProductValues(
                        name: "등",
                        description: "따뜻한 등",
                        price: 30,
                        currency: Currency(rawValue: "EUR"),
                        sale: .price(23)
                    ),
                    images: [LiveProduct.Image(url: "https://shop.example/media/p.png")]
                ),
                LiveProduct(
                    id: MarketID(6),
                    values: ProductValues(
                        price: ExactDecimal("5.5"),
                        currency: Currency(rawValue: "EUR"),
                        sale: .fullPrice
                    ),
                    images: []
                ).saying(unset: [.name, .description]),
            ]
        )
        #expect(Self.messages(page).isEmpty && page.total == 2 && page.next == .unsaid)
        #expect(page.namesNext == false && page.hasNext == nil)
        let (end, _) = try Self.page(wire, #"{"detail":"Invalid page."}"#, status: 404, number: 3)
        #expect(end.isPage && end.provesItsEnd && end.rowCount == 0)
        #expect(try !Self.page(wire, #"{"detail":"Invalid page."}"#, status: 404).0.isPage)
        #expect(try !Self.page(wire, "<html>Not Found</html>", status: 404, number: 3).0.isPage)
        #expect(try !Self.page(wire, #"{"detail":"No"}"#, status: 403, number: 3).0.isPage)
    }

    @Test func `oscar: the prices of one partner, and rows that are not ours`() throws {
        let partner = "https://shop.example/api/partners/1/"
        let wire = try Self.wire("oscar", ["partner": partner, "currency": "KRW"])
        #expect(try wire.target(of: .number(1, size: 100)) == "/api/admin/products/?page=1")
        let stocks =
            #"[{"partner":"x","price":"9.00","num_in_stock":1},{"partner":"\#(partner)","price":"35000.00","num_in_stock":3}]"#
        let (page, products) = try Self.page(
            wire,
            """
            {"count":3,"results":[
             {"id":3,"structure":"standalone","upc":"a","title":"Lamp","description":"Warm","stockrecords":\(stocks),
              "images":[{"id":5,"original":"https://shop.example/5.png","caption":""}],
              "date_created":"2026-11-01T10:00:00Z","date_updated":"2026-11-02T10:00:00Z"},
             {"id":2,"structure":"parent","title":"Shirt","description":"","stockrecords":[],"images":[]},
             {"id":1,"structure":"standalone","title":"Pen","description":"",
              "stockrecords":[{"partner":"\(partner)","price":"1.00"},{"partner":"\(partner)","price":"2.00"}],"images":[]}]}
            """
        )
        let krw = Currency.krw
        var parent = LiveProduct(
            id: MarketID(2),
            values: ProductValues(name: "Shirt", description: "", currency: krw),
            images: []
        ).saying(unset: [.price, .stock])
        parent.isManageable = false
        #expect(
            products == [
                LiveProduct(
                    id: MarketID(3),
                    key: "a",
                    values: ProductValues(name: "Lamp", description: "Warm", price: 35_000, currency: krw, stock: 3),
                    images: [
                        LiveProduct.Image(id: MarketID(5), url: "https://shop.example/5.png")
                    ],
                    createdAt: "2026-11-01T10:00:00Z",
                    issuedAt: "2026-11-02T10:00:00Z"
                ),
                parent,
                LiveProduct(
                    id: MarketID(1),
                    values: ProductValues(name: "Pen", description: "", currency: krw),
                    images: [],
                    blank: [.price, .stock]
                ),
            ]
        )
        #expect(
            Self.messages(page) == ["product 1: price appears twice", "product 1: stock appears twice"]
        )
        #expect(page.orderKeys == ["2026-11-01T10:00:00Z", nil, nil])
        let words = #"{"detail":"Invalid page."}"#
        #expect(try Self.page(wire, words, status: 404, number: 2).0.provesItsEnd)
        #expect(try !Self.page(wire, "{}", status: 404, number: 2).0.isPage)
    }

    @Test func `WooCommerce: the body is the list, totals are in headers, stock counts where it is managed`() throws {
        let wire = try Self.wire("woocommerce", ["currency": "USD"])
        #expect(
            try wire.target(of: .number(3, size: 20))
                == "/wp-json/wc/v3/products?context=edit&status=any&orderby=id&order=desc&page=3&per_page=20"
        )
        #expect(try wire.detailTarget(MarketID(9)) == "/wp-json/wc/v3/products/9?context=edit")
        let (page, products) = try Self.page(
            wire,
            """
            [{"id":9,"name":"Lamp","type":"simple","regular_price":"19.99","sale_price":"15","on_sale":true,"description":"<p>Warm</p>",
              "manage_stock":true,"stock_quantity":3,"images":[{"id":4,"src":"https://shop.example/4.jpg","name":"x"}],
              "date_created_gmt":"2026-11-01T10:00:00","date_modified_gmt":"2026-11-02T10:00:00"},
             {"id":8,"name":"Set","type":"grouped","regular_price":"","sale_price":"","description":"",
              "manage_stock":false,"stock_quantity":null,"images":[]},
             {"id":7,"name":"Vase","type":"simple","status":"publish","regular_price":"20","sale_price":"15","on_sale":false,
              "date_on_sale_from_gmt":"2030-01-01T00:00:00","date_on_sale_to_gmt":null,"description":"","images":[]},
             {"id":6,"name":"Bowl","type":"simple","status":"trash","regular_price":"20","sale_price":"15","on_sale":false,
              "date_on_sale_from_gmt":null,"date_on_sale_to_gmt":"2020-01-01T00:00:00","description":"","images":[]}]
            """,
            headers: [("x-wp-total", "4"), ("X-WP-TotalPages", " 1 ")]
        )
        var group = LiveProduct(
            id: MarketID(8),
            values: ProductValues(name: "Set", description: "", currency: .usd, sale: .fullPrice),
            images: []
        ).saying(unset: [.price, .stock])
        group.isManageable = false
        // A sale that begins later, and one that is over.
        func notOnSale(_ id: Int64, _ name: String) -> LiveProduct {
            LiveProduct(
                id: MarketID(id),
                values: ProductValues(name: name, description: "", price: 20, currency: .usd, sale: .fullPrice),
                images: []
            ).saying(unset: [.stock])
        }
        #expect(
            products == [
                LiveProduct(
                    id: MarketID(9),
                    values: ProductValues(
                        name: "Lamp",
                        description: "<p>Warm</p>",
                        price: ExactDecimal("19.99"),
                        currency: .usd,
                        sale: .price(15),
                        stock: 3
                    ),
                    images: [LiveProduct.Image(id: MarketID(4), url: "https://shop.example/4.jpg")],
                    createdAt: "2026-11-01T10:00:00",
                    issuedAt: "2026-11-02T10:00:00"
                ),
                group, notOnSale(7, "Vase"), notOnSale(6, "Bowl"),
            ]
        )
        #expect(page.absent == [3] && products.map(\.isManageable) == [true, false, true, true])
        #expect(Self.messages(page).isEmpty && page.total == 4 && page.lastPage == 1)
        #expect(try Self.page(wire, "[]", headers: [("X-WP-Total", "2")], number: 2).0.provesItsEnd)
        // An empty first page has to be confirmed by the count.
        #expect(try !Self.page(wire, "[]").0.provesItsEnd)
        #expect(try Self.page(wire, "[]", headers: [("X-WP-Total", "0")]).0.provesItsEnd)
        let headers = try wire.headers(of: .list, Credentials(identifier: Secret("ck_1"), secret: Secret("cs_2")))
        #expect(headers.map(\.name) == ["Authorization"])
        #expect(headers.map(\.value.revealed) == ["Basic Y2tfMTpjc18y"])
    }

    @Test func `Square: text ids, smallest units, a cursor, deleted objects`() throws {
        let wire = try Self.wire("square")
        #expect(try wire.target(of: .cursor(nil, size: 100)) == "/v2/catalog/list?types=ITEM")
        #expect(try wire.target(of: .cursor("a/b=", size: 100)) == "/v2/catalog/list?types=ITEM&cursor=a%2Fb%3D")
        func object(_ id: String, _ amount: String, _ currency: String, _ more: String = "") -> String {
            """
            {"type":"ITEM","id":"\(id)","updated_at":"2026-11-01T10:00:00Z","is_deleted":false,\(more)"item_data":{"name":"Lamp",
             "description":"Warm","variations":[{"item_variation_data":{"price_money":{"amount":\(amount),
             "currency":"\(currency)"}}},{"item_variation_data":{"price_money":{"amount":1}}}]}}
            """
        }
        let (page, products) = try Self.page(
            wire,
            """
            {"cursor":"next-1","objects":[\(object("W62", "1299", "USD")),\(object("007", "35000", "KRW")),
             \(object("X", "5", "USD", #""is_deleted":true,"#)),\(object("Y", "1.5", "USD")),{"id":"","type":"ITEM"}]}
            """
        )
        func product(_ id: String, _ price: ExactDecimal?, _ currency: Currency) -> LiveProduct {
            LiveProduct(
                id: .text(id),
                values: ProductValues(name: "Lamp", description: "Warm", price: price, currency: currency),
                issuedAt: "2026-11-01T10:00:00Z",
                blank: price == nil ? [.price] : []
            )
        }
        #expect(
            products == [
                product("W62", ExactDecimal("12.99"), .usd), product("007", 35_000, .krw),
                product("X", ExactDecimal("0.05"), .usd), product("Y", nil, .usd),
            ]
        )
        #expect(page.absent == [2] && page.rowCount == 5 && page.unreadableRows.count == 1)
        #expect(
            Self.messages(page) == [
                "product Y: price is not a number of the smallest units of USD",
                "page 1, row 5: id is empty",
            ]
        )
        #expect(page.next == .at("next-1") && !page.provesItsEnd)
        let (end, _) = try Self.page(wire, #"{"objects":[]}"#, number: 2)
        #expect(end.next == .none && end.provesItsEnd)
        let headers = try wire.headers(of: .list, Credentials(secret: Secret("token")))
        #expect(
            headers.map { "\($0.name): \($0.value.masked)" } == ["Square-Version: 2025-01-23", "Authorization: •••"]
        )
        #expect(headers.last?.value.revealed == "Bearer token")
    }

    @Test func `Shopify: pages that lead to one another, the first variant, a total apart`() throws {
        let wire = try Self.wire("shopify", ["version": "2024-01", "currency": "USD"])
        #expect(try wire.target(of: .next(nil, size: 250)) == "/admin/api/2024-01/products.json?limit=250")
        #expect(try wire.target(.total) == "/admin/api/2024-01/products/count.json")
        #expect(wire.total(in: try JSONValue.parse(Array(#"{"count":7}"#.utf8))) == 7)
        let body = """
            {"products":[{"id":632910392,"title":"IPod","body_html":"<b>It</b>","vendor":"Apple","variants":[
             {"id":1,"price":"199.00","compare_at_price":"249.00","inventory_quantity":10},{"id":2,"price":"9.00"}],
             "images":[{"id":850703190,"src":"https://cdn.example/ipod.png"}]}]}
            """
        let next = "https://internal.example/admin/api/2024-01/products.json?limit=250&page_info=abc"
        let (page, products) = try Self.page(
            wire,
            body,
            headers: [
                ("Link", "<https://x.example/y>; rel=\"previous\", <\(next)>; title=\"a, b\"; rel=\"next last\"")
            ]
        )
        #expect(
            products == [
                LiveProduct(
                    id: MarketID(632_910_392),
                    vendorName: "Apple",
                    values: ProductValues(
                        name: "IPod",
                        description: "<b>It</b>",
                        price: 249,
                        currency: .usd,
                        sale: .price(199),
                        stock: 10
                    ),
                    images: [
                        LiveProduct.Image(id: MarketID(850_703_190), url: "https://cdn.example/ipod.png")
                    ]
                )
            ]
        )
        #expect(page.next == .at("/admin/api/2024-01/products.json?limit=250&page_info=abc"))
        guard case .at(let address) = page.next else { return }
        #expect(try wire.target(of: .next(address, size: 250)) == address)
        #expect(try Self.page(wire, body).0.next == .none)
        #expect(try Self.page(wire, body).0.provesItsEnd)
    }

    @Test func `Medusa: the price of one currency among others, text ids`() throws {
        let wire = try Self.wire("medusa", ["currency": "eur", "code": "EUR"])
        #expect(
            try wire.target(of: .number(3, size: 50))
                == "/admin/products?order=-created_at&fields=%2Bvariants.prices.%2A&status%5B%5D=draft"
                + "&status%5B%5D=published&offset=100&limit=50"
        )
        #expect(try wire.detailTarget(.text("prod_1/2")) == "/admin/products/prod_1%2F2")
        let product = """
            {"id":"prod_1","title":"Shirt","description":null,"thumbnail":null,"created_at":"2026-11-01T10:00:00Z",
             "images":[{"id":"img_1","url":"https://cdn.example/1.png"}],
             "variants":[{"inventory_quantity":4,"prices":[{"currency_code":"usd","amount":12},{"amount":10.5,"currency_code":"eur"}]}]}
            """
        let (page, products) = try Self.page(wire, #"{"products":[\#(product)],"count":101,"offset":100,"limit":50}"#)
        let expected = LiveProduct(
            id: .text("prod_1"),
            values: ProductValues(
                name: "Shirt",
                price: ExactDecimal("10.5"),
                currency: Currency(rawValue: "EUR"),
                stock: 4
            ),
            images: [LiveProduct.Image(id: .text("img_1"), url: "https://cdn.example/1.png")],
            createdAt: "2026-11-01T10:00:00Z"
        ).saying(unset: [.description, .thumbnail])
        #expect(products == [expected])
        #expect(Self.messages(page).isEmpty && page.total == 101)
        let detail = try wire.details.read(Array(#"{"product":\#(product)}"#.utf8).span)
        #expect(detail?.product == expected)
        let other = try wire.details.read(Array(#"{"item":1}"#.utf8).span)
        #expect(other?.product == nil && other?.faults == ["the product at '/product' is missing"])
    }

    @Test func `PostgREST: behind the last id, a range with the total, small letters, deleted rows`() throws {
        let wire = try Self.wire("postgrest")
        #expect(try wire.target(of: .after(nil, size: 500)) == "/products?order=id.asc&select=%2A&limit=500")
        #expect(
            try wire.target(of: .after("12", size: 7)) == "/products?order=id.asc&select=%2A&id=gt.12&limit=7"
        )
        #expect(try wire.detailTarget(MarketID(7)) == "/products?id=eq.7")
        let (page, products) = try Self.page(
            wire,
            """
            [{"id":11,"title":"Lamp","body":null,"price":35000,"currency":"krw","stock":2,"updated_at":"2026","deleted_at":null},
             {"id":12,"title":"Pen","body":"Blue","price":1.50,"currency":"usd","stock":0,"updated_at":"2026","deleted_at":"2026"}]
            """,
            status: 206,
            headers: [("Content-Range", "0-1/120")]
        )
        #expect(
            products == [
                LiveProduct(
                    id: MarketID(11),
                    values: ProductValues(name: "Lamp", price: 35_000, currency: .krw, stock: 2),
                    issuedAt: "2026"
                ).saying(unset: [.description]),
                LiveProduct(
                    id: MarketID(12),
                    values: ProductValues(
                        name: "Pen",
                        description: "Blue",
                        price: ExactDecimal("1.5"),
                        currency: .usd,
                        stock: 0
                    ),
                    issuedAt: "2026"
                ),
            ]
        )
        #expect(page.total == 120 && page.lastKey == "12" && page.absent == [1] && Self.messages(page).isEmpty)
        #expect(try Self.page(wire, "[]", headers: [("Content-Range", "*/*")]).0.total == nil)
        // One row of a filter is a product, none is its end.
        let row = #"{"id":7,"title":"Lamp","price":1,"currency":"usd"}"#
        #expect(try wire.details.read(Array("[\(row)]".utf8).span)?.product?.id == MarketID(7))
        #expect(try wire.details.read(Array("[]".utf8).span) == nil)
    }

    @Test func `a file of products: one reply is all`() throws {
        let wire = try Self.wire("json-files")
        #expect(try wire.target(of: .whole) == "/products.json")
        let row =
            #"{"sku":"a","title":"Lamp","text":"Warm","price":{"amount":3,"currency":"EUR"},"in_stock":1,"photos":["p.png"]}"#
        let expected = LiveProduct(
            id: .text("a"),
            values: ProductValues(
                name: "Lamp",
                description: "Warm",
                price: 3,
                currency: Currency(rawValue: "EUR"),
                stock: 1
            ),
            images: [LiveProduct.Image(url: "p.png")]
        )
        for body in ["[\(row)]", #"{"products":[\#(row)],"more":1}"#] {
            let (page, products) = try Self.page(wire, body)
            #expect(products == [expected])
            #expect(page.provesItsEnd && Self.messages(page).isEmpty)
        }
        #expect(try !Self.page(wire, #"{"items":[]}"#).0.isPage)
    }

    @Test func `the last of two members with one name counts, and the first place that shows something`() throws {
        let wire = try Self.wire(
            text: """
                market: 1
                name: places
                identity: {id: {at: /id, as: integer}, owner: {read: [/seller_id, /seller/id]}}
                fields:
                  name: {at: [/title, /name]}
                  owner_name: {read: [/shop, /seller/name]}
                list: {path: /products, page: {by: none}, rows: "", complete: whole}
                """
        )
        let (_, products) = try Self.page(
            wire,
            """
            [{"id":1,"name":"second","title":"a","title":"first","seller":{"id":5,"name":"x"},"seller":{"name":"y"}},
             {"id":2,"title":null,"name":"second","seller_id":7,"shop":"s","seller":{"id":5,"name":"x"}},
             {"na\\u006de":"escaped","\\u0069d":3},{"id":4,"name":["x"],"title":null,"seller":null}]
            """
        )
        #expect(products.map(\.name) == ["first", "second", "escaped", nil])
        #expect(products.map(\.vendorID) == [nil, 7, nil, nil])
        #expect(products.map(\.vendorName) == ["y", "s", nil, nil])
    }

    @Test func `a number is the same in any spelling, an id in one, and a picture has an address`() throws {
        let wire = try Self.wire(
            text: """
                market: 1
                name: spellings
                names: loose
                identity: {id: {at: /id, as: integer}}
                fields:
                  name: {at: /name}
                  price: {at: /price, as: decimal_text, unset: 0}
                  sale: {at: /sale, as: decimal_text, means: sale_price, none: 0}
                  stock: {at: /stock, as: integer, unset: "-1"}
                pictures: {style: none, read: {at: /images, url: /src}}
                list: {path: /products, page: {by: none}, rows: "", complete: whole}
                """
        )
        let (page, products) = try Self.page(
            wire,
            """
            [{"id":1,"price":"100.00","sale":"0.00","stock":-1,"images":[{"src":"/a.png"}]},
             {"id":"2","price":"0.0","sale":0,"stock":"-1.0","images":[{"url":"/b.png"},{"src":null}]},
             {"id":3,"name":"as described","Name":"other","_price":"1","PRICE":"2","price":"3","sale":"0.5"},
             {"id":4,"Name":"first","NAME":"last","Price":"9"}, {"id":"01"}, {"id":" 5"}, {"id":"1e0"}]
            """
        )
        #expect(products.map(\.price) == [100, nil, 3, 9])
        #expect(products.map(\.sale) == [.fullPrice, .fullPrice, .price(ExactDecimal("0.5") ?? .zero), .fullPrice])
        #expect(products.map(\.stock) == [nil, nil, nil, nil])
        #expect(products.map(\.name) == [nil, nil, "as described", "last"])
        #expect(products.map { $0.images?.map(\.url) } == [["/a.png"], [], nil, nil])
        #expect(
            Self.messages(page) == [
                "product 2: images.url is missing", "product 2: images.url is null",
                "page 1, row 5: id is not a whole number: '01'", "page 1, row 6: id is not a whole number: ' 5'",
                "page 1, row 7: id is not a whole number: '1e0'",
            ]
        )
    }

    @Test(arguments: [
        ("/list?page=2", "/list?page=2"), ("?page=2", "/list?page=2"), ("list?page=2", "/list?page=2"),
        ("https://shop.example/a/list?page=2", "https://shop.example/a/list?page=2"),
    ])
    func `an address may be relative`(address: String, expected: String) {
        let addresses = NextAddress(base: "https://shop.example", paths: ["/list"])
        if expected.hasPrefix("/") {
            #expect(addresses.checked(address, ignoresHost: false) == .at(expected))
        } else {
            #expect(
                addresses.checked(address, ignoresHost: false)
                    == .refused("the next page's address has another path than the list")
            )
        }
    }

    @Test(arguments: [
        "https://evil.example/a/list?page=2", "//evil.example/a/list", "http://shop.example/a/list",
        "https://shop.example:444/a/list", "https://user@shop.example/a/list",
        "https://shop.example@evil.example/a/list",
        "ftp://shop.example/a/list", "javascript:alert(1)", "/b/list?page=2", "/a/../b", "/a/list/../other",
        "/a/%2e%2e/list",
        "/a//list", "/a/list#x", "/a/list?{id}", "/a/list\\x", "/a/list?x=\u{1}", "/a/list?x= ",
        "/a/list?_method=DELETE", "/a/list?x=1&%5Fmethod=DELETE", "/a/list?ps_method=delete",
        "/a/list?X-HTTP-Method-Override=DELETE", "/a/list?" + String(repeating: "x", count: 4097), "/ab/list", "/a",
    ])
    func `an address that leads elsewhere is refused`(address: String) {
        let addresses = NextAddress(base: "https://shop.example/a", paths: ["/list"])
        guard case .refused = addresses.checked(address, ignoresHost: false) else {
            Issue.record("\(addresses.checked(address, ignoresHost: false))")
            return
        }
        // A wrong host may be a proxy's; whatever else is wrong stays wrong.
        let isHost = ["https://evil.example/a/list?page=2", "//evil.example/a/list", "http://shop.example/a/list"]
        let ignored = addresses.checked(address, ignoresHost: true)
        if isHost.contains(address) || address == "https://shop.example:444/a/list" {
            #expect(ignored == .at(address.hasSuffix("page=2") ? "/list?page=2" : "/list"))
        } else {
            guard case .refused = ignored else {
                Issue.record("\(ignored)")
                return
            }
        }
    }
}

extension LiveProduct {
    /// The same, where the market says that these fields have no value.
    fileprivate func saying(unset fields: ProductFieldSet) -> LiveProduct {
        var product = self
        product.unset = fields
        return product
    }
}
