@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketClient

/// Replies of all four profiles as docs/reference/open-market-versions.md describes them, and as dirty as
/// students met them.
struct ReaderTests {
    /// A page with what its rows show.
    @dynamicMemberLookup
    private struct WholePage {
        var page: LivePage
        var products: [LiveProduct]

        subscript<Value>(dynamicMember path: KeyPath<LivePage, Value>) -> Value { page[keyPath: path] }
    }

    private func page(_ profile: MarketProfile, _ text: String) throws -> WholePage {
        var rows = ProductRows()
        let bytes = Array(text.utf8)
        let reply = KeptReply(text.isEmpty ? 204 : 200)
        let page = try PageReader(MarketWire(profile), page: 3).read(reply, bytes.span, collecting: &rows)
        #expect(page.ids == rows.products.map(\.id))
        #expect(page.orderKeys == rows.products.map { profile == .v2b ? $0.createdAt : nil })
        return WholePage(page: page, products: rows.products)
    }

    private func product(_ profile: MarketProfile, _ text: String) throws -> ProductReader.Row {
        let bytes = Array(text.utf8)
        return try #require(try MarketWire(profile).details.read(bytes.span))
    }

    /// 19.99 and 4.99 in 32 and in 64 bits, and prices that have more digits.
    @Test func `a price that a binary number became is read in the digits of its currency`() throws {
        for (price, discount, currency, read, sale) in [
            ("19.989999771118164", "4.989999771118164", "USD", "19.99", "15"),
            ("19.989999999999998", "4.990000000000001", "USD", "19.99", "15"),
            ("35000.000000000007", "0", "KRW", "35000", nil), ("19.98999", "0", "USD", "19.98999", nil),
        ] as [(String, String, String, String, String?)] {
            let text =
                #"{"id":1,"name":"A","price":\#(price),"currency":"\#(currency)","discounted_price":\#(discount)}"#
            let product = try product(.v2b, text).product
            #expect(product?.price == ExactDecimal(read))
            #expect(product?.sale?.salePrice == sale.flatMap { ExactDecimal($0) })
        }
    }

    @Test func `a page of v2b`() throws {
        let page = try page(
            .v2b,
            """
            {"pageNo":1,"itemsPerPage":1,"totalCount":113,"offset":0,"limit":1,"lastPage":113,"hasNext":true,"hasPrev":false,
             "pages":[{"id":193,"vendor_id":29,"vendorName":"example","name":"Desk lamp","description":"Warm light, two arms.",
              "thumbnail":"https://pictures.example/1_thumb.png",
              "currency":"KRW","price":6.0E7,"bargain_price":4.2E7,"discounted_price":1.8E7,"stock":3,
              "created_at":"2022-11-15T00:00:00","issued_at":"2022-11-15T00:00:00"}]}
            """
        )
        #expect(
            page.products == [
                LiveProduct(
                    id: MarketID(193),
                    vendorID: 29,
                    vendorName: "example",
                    name: "Desk lamp",
                    description: "Warm light, two arms.",
                    price: 60_000_000,
                    currency: .krw,
                    sale: .price(42_000_000),
                    stock: 3,
                    thumbnailURL: "https://pictures.example/1_thumb.png",
                    createdAt: "2022-11-15T00:00:00",
                    issuedAt: "2022-11-15T00:00:00"
                )
            ]
        )
        #expect(page.problems.isEmpty)
        #expect(page.total == 113 && page.lastPage == 113 && page.pageSize == 1 && page.rowCount == 1)
    }

    @Test func `a page of v2a`() throws {
        let page = try page(
            .v2a,
            """
            {"page_no":2,"items_per_page":10,"total_count":325,"offset":10,"limit":20,"last_page":33,"has_next":true,
             "pages":[{"id":577,"vendor_id":22,"name":"Desk lamp","thumbnail":"https://pictures.example/1.png","currency":"KRW",
              "price":12000.0,"bargain_price":12000.0,"discounted_price":0.0,"stock":1,
              "created_at":"2022-01-20T00:00:00.00","issued_at":"2022-01-20T00:00:00.00"}]}
            """
        )
        #expect(page.products.first?.sale == Sale.fullPrice)
        #expect(page.products.first?.description == nil)
        #expect(page.total == 325 && page.lastPage == 33 && page.pageSize == 10)
    }

    @Test func `a page of v1, with a stock of 64 bits and dates as they are written`() throws {
        let page = try page(
            .v1b,
            """
            {"page":1,"items":[
              {"id":43,"title":"Desk lamp","price":165,"currency":"USD","stock":1000000000000,"discounted_price":160,
               "thumbnails":["https://pictures.example/1.png"],"registration_date":1620633347.3906322},
              {"id":40,"title":"Notebook","price":1690,"currency":"USD","stock":0,"thumbnails":[],
               "registration_date":1620633040.6505718},
              {"id":41,"title":"Pen","price":5,"currency":"USD","stock":0,"discounted_price":5,"thumbnails":[]}]}
            """
        )
        #expect(
            page.products[0]
                == LiveProduct(
                    id: MarketID(43),
                    name: "Desk lamp",
                    price: 165,
                    currency: .usd,
                    sale: .price(160),
                    stock: 1_000_000_000_000,
                    thumbnailURL: "https://pictures.example/1.png",
                    createdAt: "1620633347.3906322"
                )
        )
        #expect(page.products.map(\.sale) == [.price(160), Sale.fullPrice, Sale.fullPrice])
        #expect(page.products.map(\.hasEndedSale) == [false, false, true])
        #expect(page.problems.isEmpty)
    }

    @Test func `details of v2 and v1`() throws {
        let new = try product(
            .v2b,
            """
            {"id":193,"vendor_id":29,"name":"Desk lamp","description":"Warm","thumbnail":"t","currency":"KRW","price":3500.0,
             "bargain_price":3400.0,"discounted_price":100.0,"stock":2,"created_at":"2022-11-15T00:00:00",
             "images":[{"id":235,"url":"u1","thumbnail_url":"t1","succeed":true,"issued_at":"2022"},{"id":236,"url":"u2"}],
             "vendors":{"id":29,"name":"example"}}
            """
        ).product
        #expect(new?.sale == .price(3400))
        #expect(new?.vendorName == "example")
        #expect(
            new?.images == [
                LiveProduct.Image(id: 235, url: "u1", thumbnailURL: "t1"), LiveProduct.Image(id: 236, url: "u2"),
            ]
        )
        let old = try product(
            .v1a,
            #"{"id":43,"title":"a","descriptions":"b","price":1,"images":["i1","i2"],"thumbnails":["t1","t2"]}"#
        ).product
        #expect(old?.description == "b")
        #expect(old?.thumbnailURL == "t1")
        #expect(
            old?.images
                == [LiveProduct.Image(url: "i1", thumbnailURL: "t1"), LiveProduct.Image(url: "i2", thumbnailURL: "t2")]
        )
    }

    @Test func `a dirty row is reported and loses nothing else`() throws {
        let page = try page(
            .v2b,
            """
            {"pages":[
              {"id":1,"name":null,"price":null,"discounted_price":null,"stock":null,"currency":"KRW"},
              {"name":"no number"}, 7, null, {"id":"2","price":"1200.50","stock":1.5,"discounted_price":"0"},
              {"id":3,"name":["x"],"price":100,"discounted_price":300,"bargain_price":-200,"stock":-1},
              {"id":4,"name":"bad \\ud800 text","price":true}],"totalCount":"7","unknown":{"deep":[1,{"x":null}]}}
            """
        )
        #expect(
            page.products == [
                LiveProduct(
                    id: MarketID(1),
                    currency: .krw,
                    blank: [.name, .description, .price, .salePrice, .stock, .thumbnail]
                ),
                LiveProduct(
                    id: MarketID(2),
                    price: ExactDecimal("1200.5"),
                    sale: Sale.fullPrice,
                    blank: [.name, .description, .currency, .stock, .thumbnail]
                ),
                LiveProduct(
                    id: MarketID(3),
                    price: 100,
                    sale: .price(-200),
                    stock: -1,
                    blank: [.name, .description, .currency, .thumbnail]
                ),
                LiveProduct(
                    id: MarketID(4),
                    blank: [.name, .description, .price, .currency, .salePrice, .stock, .thumbnail]
                ),
            ]
        )
        #expect(
            page.problems.map { "\($0.id?.description ?? "-") \($0.place): \($0.message)" } == [
                "1 product 1: name is null",
                "1 product 1: price is null",
                "1 product 1: discounted_price is null",
                "1 product 1: stock is null",
                "- page 3, row 2: id is missing",
                "- page 3, row 3: it is not an object",
                "- page 3, row 4: it is not an object",
                "2 product 2: stock is not a whole number: 1.5",
                "3 product 3: name is not a text",
                "4 product 4: name is not UTF-8 text",
                "4 product 4: price is not a number",
            ]
        )
        #expect(page.rowCount == 7 && page.total == 7)
    }

    @Test func `what a kind of reply always shows and this one does not is blank, on every profile`() throws {
        func row(_ profile: MarketProfile) throws -> ProductFieldSet? {
            try page(profile, #"{"items":[{"id":1}]}"#).products.first?.blank
        }
        #expect(try row(.v1a) == [.name, .price, .currency, .stock])
        #expect(try row(.v1b) == [.name, .price, .currency, .stock])
        #expect(try row(.v2a) == [.name, .price, .currency, .salePrice, .stock, .thumbnail])
        #expect(try row(.v2b) == [.name, .description, .price, .currency, .salePrice, .stock, .thumbnail])
        for profile in MarketProfile.builtIns {
            // v1 shows that there is no sale by leaving the key out, and was seen without thumbnails.
            let isOld = [.v1a, .v1b].contains(profile)
            let expected: ProductFieldSet =
                isOld
                ? [.name, .description, .price, .currency, .stock, .images] : ProductFieldSet(ProductField.allCases)
            #expect(try product(profile, #"{"id":1}"#).product?.blank == expected)
            #expect(try product(profile, #"{"id":1,"price":null,"images":null}"#).product?.blank == expected)
            let texts = #""name":"","description":"","currency":"","images":[],"thumbnail":"""#
            let whole = #"{"id":1,\#(texts),"price":0,"discounted_price":0,"stock":0}"#
            #expect(try product(profile, whole).product?.blank == [])
        }
    }

    @Test func `no bytes and an empty page are the end, another object is not a page`() throws {
        #expect(try page(.v2b, "").rowCount == 0)
        #expect(try page(.v1b, #"{"page":9,"items":[]}"#).rowCount == 0)
        #expect(try page(.v1b, #"{"page":9,"items":[]}"#).isPage)
        #expect(try !page(.v1b, #"{"message":"no"}"#).isPage)
        #expect(try !page(.v1b, #""OK""#).isPage)
    }

    @Test func `a discount is read either way or by the bargain price`() throws {
        func sale(_ profile: MarketProfile, _ fields: String) throws -> Sale? {
            try product(profile, #"{"id":1,"price":100,\#(fields)}"#).product?.sale
        }
        #expect(try sale(.v2b, #""discounted_price":30"#) == .price(70))
        #expect(try sale(.v1b, #""discounted_price":30"#) == .price(30))
        #expect(try sale(.v2b, #""bargain_price":70"#) == .price(70))
        #expect(try sale(.v2b, #""stock":1"#) == nil)
        #expect(try sale(.v1b, #""discounted_price":null"#) == Sale.fullPrice)
        #expect(try sale(.v2b, #""discounted_price":-5"#) == .price(105))
    }

    @Test(arguments: [
        (#"</p?page=2>; rel="next""#, "/p?page=2"), (#"</p?page=2>; rel=next"#, "/p?page=2"),
        (#"</p?page=2>; title="a; rel=prev"; rel="next""#, "/p?page=2"),
        (#"</p?page=1>; rel="prev"; title="the \"good\" \" page", </p?page=3>; rel="next""#, "/p?page=3"),
        (#"</p?page=1>; title="a, <b>; rel=next"; rel="prev""#, nil), (#"</p?page=1>; rel="prev""#, nil),
    ])
    func `a relation is found behind quotes and escapes`(field: String, target: String?) {
        #expect(NextAddress.link("next", in: [field]) == target)
    }

    @Test(arguments: [
        ("11111111-2222-11ec-abfa-333333333333", "11111111-2222-11ec-abfa-333333333333"),
        ("\"11111111\"\n", "11111111"),
        ("/api/products/MTkzfDEx==", "/api/products/MTkzfDEx=="),
        (#"{"uri":"/api/products/x"}"#, "/api/products/x"),
        // Messages, and a product of which something made the answer.
        (#"{"message":"forbidden-403"}"#, nil), ("Maintenance", nil), (#"{"key":"locked"}"#, nil),
        (#"{"delete_token":"kXbQzPwLmRtYvNsD"}"#, "kXbQzPwLmRtYvNsD"), ("MAINTENANCE", nil),
        ("InternalServerError", nil),
        (#"{"id":"37","name":"Lamp"}"#, nil),
        ("http://market.example/api/products/x", "/api/products/x"),
        ("http://evil.example/api/products/x", nil),
        ("//evil.example/x", nil),
        ("@evil.example", nil),
        ("<html>", nil),
        ("", nil),
    ])
    func `a delete key is taken from text or JSON, and leads nowhere else`(text: String, expected: String?) {
        #expect(DeleteKey.read(Array(text.utf8), base: "http://market.example") == expected)
    }

    @Test(arguments: [
        (#"{"error":true,"reason":"Not Found"}"#, "Not Found"),
        (#"{"message":"no such item"}"#, "no such item"),
        ("MissingServletRequestPartException", "MissingServletRequestPartException"),
        ("<html><head><title>Application Error</title></head></html>", "a web page, “Application Error”"),
        ("<!DOCTYPE html>", "a web page"),
        ("", nil),
        (String(repeating: "x", count: 300), String(repeating: "x", count: 199) + "…"),
    ])
    func `the market's own words are kept, bounded`(text: String, expected: String?) {
        #expect(ErrorText.read(Array(text.utf8)) == expected)
    }

    @Test func `a wait is asked for in seconds or as a date`() {
        #expect(RetryAfter.wait("7", date: nil) == .seconds(7))
        #expect(RetryAfter.wait("1.5", date: nil) == .milliseconds(1500))
        for text in [
            "-3", "+3", "0x10", "0X1p4", "1e3", "inf", "nan", "infinity", "1_000", "1,5", "٣", ".", "soon", "7 s", "",
        ] {
            #expect(RetryAfter.wait(text, date: nil) == nil, "\(text)")
            #expect(RetryAfter.number(text) == nil, "\(text)")
        }
        #expect(RetryAfter.wait(nil, date: nil) == nil)
        #expect(RetryAfter.wait("99999999999", date: nil) == .seconds(86_400))
        let later = "Sun, 06 Nov 1994 08:50:07 GMT"
        #expect(RetryAfter.wait(later, date: "Sun, 06 Nov 1994 08:49:37 GMT") == .seconds(30))
        #expect(RetryAfter.wait(later, date: nil) == .zero)
        #expect(RetryAfter.seconds(date: "Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
        #expect(RetryAfter.seconds(date: "Thu, 29 Feb 2024 23:59:59 GMT") == 1_709_251_199)
    }
}
