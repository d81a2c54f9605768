import NIOCore
@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketClient

/// A market that a file describes, over a transport: what it is sent, and what it cannot lead to.
struct DescribedMarketTests {
    /// A market whose list has one of the styles.
    static func document(page: String, more: String = "", auth: String = "basic: {user: identifier, password: secret}")
        -> String
    {
        """
        market: 1
        name: shop
        headers: {Shop-Version: "7"}
        auth: [{\(auth)}]
        identity: {id: {at: /id, as: integer}}
        fields: {name: {at: /name}}
        pictures: {style: none, read: {at: /images}}
        list:
          path: /products
          page: \(page)
          rows: /rows
          complete: never
        \(more)
        operations: {detail: {path: "/products/{id}"}}
        errors:
          message: /problem
          rules:
            - {for: [list], at: /busy, is: true, means: retry}
            - {status: 200, at: /success, is: false, means: refused}
            - {for: [detail], status: 410, means: gone}
          wait: {header: X-Reset, as: milliseconds}
        """
    }

    static let styles: [(page: String, more: String, first: PageAddress)] = [
        ("{by: number, param: page}", "  past_end: [empty, \"404\"]", .number(1, size: 10)),
        ("{by: offset, param: offset}", "  past_end: [empty]", .number(1, size: 10)),
        ("{by: keyset, last: /id, query: {after: \"{last}\"}}", "  past_end: [empty]", .after(nil, size: 10)),
        ("{by: cursor, param: cursor, next: {at: /next}}", "", .cursor(nil, size: 10)),
        ("{by: next, next: {at: /next}}", "", .next(nil, size: 10)),
        ("{by: none}", "", .whole),
    ]

    func withMarket<Result>(
        _ document: String,
        url: String = "https://shop.test/a",
        credentials: Credentials = Credentials(identifier: Secret("user"), secret: Secret("s3cret")),
        attempts: Int = 2,
        _ answer: @escaping @Sendable (InProcessMarket.Request) -> TransportReply,
        _ body: (MarketClient, InProcessMarket) async throws -> Result
    ) async throws -> Result {
        let profile = try MarketProfile(document: Array(document.utf8))
        let market = InProcessMarket(answer)
        var settings = configuration(url, profile, credentials: credentials, attempts: attempts)
        settings.transport = market
        return try await withMarketClient(settings) { try await body($0, market) }
    }

    @Test func `reads carry the headers that the description says, and pictures none`() async throws {
        try await withMarket(Self.document(page: "{by: none}")) { request in
            request.path.hasSuffix(".png")
                ? .reply(200, "picture", type: "image/png") : .reply(200, #"{"rows":[],"id":7}"#)
        } _: { client, market in
            _ = try await client.page(.whole, number: 1, collecting: ProductRows())
            _ = try await client.product(MarketID(7))
            _ = try await client.pictureDigest(at: "https://shop.test/a/p.png")
            let basic = ["Shop-Version: 7", "Authorization: Basic dXNlcjpzM2NyZXQ="]
            #expect(market.requests.map(\.headers) == [basic, basic, []])
            #expect(market.requests.map(\.method) == ["GET", "GET", "GET"])
        }
    }

    /// The credential in texts of a product: plain, in another spelling and in Base64.
    private static let echoes = [
        "hunter2-hunter2", "Lamp of HUNTER2-hunter2, oak", "hunter2%2Dhunter2", "Basic dXNlcjpodW50ZXIyLWh1bnRlcjI=",
        "https://shop.test/a/p.png?key=hunter2-hunter2",
    ]

    @Test(arguments: echoes, ["whole", "merged"])
    func `a text of a product that holds a credential is its digest, and only that is not sent back`(
        text: String,
        sending: String
    ) async throws {
        let document = Self.document(page: "{by: none}")
            .replacing(
                "fields: {name: {at: /name}}",
                with: "fields: {name: {at: /name}, price: {at: /price, as: number}}"
            )
            .replacing(
                #"operations: {detail: {path: "/products/{id}"}}"#,
                with: """
                    operations:
                      detail: {path: "/products/{id}"}
                      update: {method: PUT, path: "/products/{id}", body: json, send: \(sending)}
                    """
            )
        let product = #"{"id":7,"name":"\#(text)","price":1,"images":["\#(text)","/b.png"]}"#
        let secrets = Credentials(identifier: Secret("user"), secret: Secret("hunter2-hunter2"))
        try await withMarket(document, credentials: secrets) { request in
            switch (request.method, request.path.contains("?key=") || request.path.hasSuffix(".png")) {
            case ("PUT", _): .reply(200, product.replacing(#""price":1"#, with: #""price":2"#))
            case (_, true): .reply(200, "picture", type: "image/png")
            default: .reply(200, request.path.hasSuffix("/7") ? product : #"{"rows":[\#(product)]}"#)
            }
        } _: { client, market in
            let digest = ContentDigest(hashing: Array(text.utf8).span)
            let concealed = ConcealedText.text(digest)
            let listed = try await client.page(.whole, number: 1, collecting: ProductRows())
            let read = try #require(try await client.product(MarketID(7)))
            for product in listed.rows.products + [read] {
                #expect(product.name == concealed && product.images?.map(\.url) == [concealed, "/b.png"])
            }
            #expect(
                listed.page.problems.map(\.message) == [
                    "name holds a credential of the market",
                    "the address of picture 1 holds a credential of the market",
                ]
            )
            // An export leaves both fields out.
            var table = CatalogCSV(columns: [.id, .name, .images])
            _ = table.takeBytes()
            table.append(read, key: nil)
            #expect(String(decoding: table.takeBytes(), as: UTF8.self) == "7,,\r\n")
            var desired = read.values
            desired.price = 2
            let update = ProductUpdate(changed: [.price], desired: desired, live: read.values)
            let outcome = await client.perform(WriteRequest(.update(MarketID(7), update)))
            let isDone = if case .succeeded = outcome { true } else { false }
            #expect(isDone, "\(outcome)")
            #expect(try JSONValue.parse(try #require(market.requests.last).body)["name"] == .string(text))
            guard text.hasPrefix("https") else { return }
            _ = try await client.pictureDigest(at: concealed)
            #expect(market.requests.last?.path.hasSuffix("/p.png?key=hunter2-hunter2") == true)
        }
    }

    @Test func `nothing but reads is sent before the description was accepted, or after it changed`() async throws {
        let operations = """
            operations:
              detail: {path: "/products/{id}"}
              create: {method: POST, path: /products, body: json}
              update: {method: PATCH, path: "/products/{id}", body: json}
              delete: {method: DELETE, path: "/products/{id}"}
            """
        let document = Self.document(page: "{by: none}").replacing(
            #"operations: {detail: {path: "/products/{id}"}}"#,
            with: operations
        )
        let profile = try MarketProfile(document: Array(document.utf8))
        let values = ProductValues(name: "Fan")
        let update = ProductUpdate(changed: [.name], desired: values, live: ProductValues(name: "Lamp"))
        let writes: [WriteRequest.Kind] = [
            .create(values, pictures: []), .update(MarketID(7), update), .delete(MarketID(7), key: nil),
        ]
        for accepted in [nil, .zero, profile.digest] as [ContentDigest?] {
            let market = InProcessMarket { _ in .reply(200, #"{"id":7}"#) }
            var settings = configuration("https://shop.test/a", profile)
            settings.transport = market
            settings.acceptedDescription = accepted
            try await withMarketClient(settings) { client in
                _ = try await client.product(MarketID(7))
                for write in writes {
                    let outcome = await client.perform(WriteRequest(write))
                    guard accepted != profile.digest else { continue }
                    guard case .notSent(let trouble) = outcome else {
                        Issue.record("\(outcome)")
                        continue
                    }
                    #expect(trouble.message.contains("sha256:\(profile.digest)"), "\(trouble.message)")
                }
            }
            let methods = market.requests.map(\.method)
            #expect(methods == (accepted == profile.digest ? ["GET", "POST", "PATCH", "DELETE"] : ["GET"]))
        }
    }

    @Test(arguments: [(200, ""), (204, ""), (200, "{}")])
    func `an answer that is all, and that nothing is in, does not say that there is no product`(
        status: Int,
        body: String
    ) async throws {
        let document = Self.document(page: "{by: none}").replacing("complete: never", with: "complete: whole")
        try await withMarket(document) { _ in
            .reply(status, body)
        } _: { client, _ in
            _ = await #expect(throws: MarketError.self) { _ = try await client.catalog() }
        }
        try await withMarket(document) { _ in
            .reply(200, #"{"rows":[]}"#)
        } _: { client, _ in
            let catalog = try await client.catalog()
            #expect(catalog.products.isEmpty)
        }
    }

    @Test(arguments: [("text/plain", false), ("image/png", true)])
    func `a message in the place of a picture is not one`(type: String, isPicture: Bool) async throws {
        try await withMarket(Self.document(page: "{by: none}")) { _ in
            .reply(200, "upstream connect error or disconnect/reset before headers", type: type)
        } _: { client, _ in
            let digest = try? await client.pictureDigest(at: "https://shop.test/a/p.png")
            #expect((digest != nil) == isPicture)
        }
    }

    @Test(arguments: [401, 403])
    func `credentials that are refused, or missing, are an error of credentials`(status: Int) async throws {
        let document = Self.document(page: "{by: none}")
        try await withMarket(document) { _ in
            .reply(status, #"{"problem":"no: dXNlcjpzM2NyZXQ= and s3cret"}"#)
        } _: { client, market in
            await #expect(
                throws: MarketError(
                    .credentials,
                    "the market refused (HTTP \(status)): no: ••• and •••",
                    status: status
                )
            ) { _ = try await client.page(.whole, number: 1, collecting: ProductRows()) }
            #expect(market.requests.count == 1)
        }
        for (credentials, message) in [
            (Credentials(secret: Secret("s3cret")), "the market's identifier is not set"),
            (
                Credentials(identifier: Secret("a:b"), secret: Secret("s")),
                "the market's credentials have characters that Basic authentication cannot carry"
            ),
        ] {
            try await withMarket(document, credentials: credentials) { _ in
                .reply(200, "{}")
            } _: { client, market in
                await #expect(throws: MarketError(.credentials, message)) {
                    _ = try await client.page(.whole, number: 1, collecting: ProductRows())
                }
                #expect(market.requests.isEmpty)
            }
        }
    }

    @Test(arguments: [
        ("http://shop.example", false), ("http://10.0.0.1:8000/a", false), ("http://127.0.0.1.example", false),
        ("http://127.0.0.1:8000", true), ("http://localhost/a", true), ("http://[::1]:80", true),
        ("https://shop.example", true),
    ])
    func `credentials go over TLS, or stay on this machine`(url: String, isTaken: Bool) throws {
        let described = try MarketProfile(document: Array(Self.document(page: "{by: none}").utf8))
        var settings = configuration(url, described)
        let market = InProcessMarket { _ in .reply(200, "{}") }
        if isTaken {
            _ = try MarketClient(settings, over: market)
        } else {
            #expect(throws: MarketError.self) { _ = try MarketClient(settings, over: market) }
            settings.allowsInsecureHTTP = true
            _ = try MarketClient(settings, over: market)
        }
        // What was built in is spoken with as ever.
        _ = try MarketClient(configuration(url, .v2b), over: market)
    }

    /// What a market counts apart from its list before and after three products were read, and what is made of it.
    @Test(arguments: [
        (["3"], nil), (["2"], nil), (["5", "3"], nil),
        (["5", "4"], "the market counts 4 products apart from its list, which shows 3"),
        (["4", "5"], "the market counts 4 products apart from its list, which shows 3"), (["null"], nil),
    ])
    func `a total that is asked for apart only lowers what is believed`(counts: [String], fault: String?) async throws {
        let document = Self.document(page: "{by: none}", more: "  total: {path: /products/count, at: /count}")
            .replacing("complete: never", with: "complete: whole")
        try await withMarket(document) { request in
            request.path.hasSuffix("/count")
                ? .reply(200, "{\"count\":\(counts[request.index == 0 ? 0 : counts.count - 1])}")
                : .reply(200, #"{"rows":[{"id":1},{"id":2},{"id":3}]}"#)
        } _: { client, market in
            var rows: [MarketID] = []
            do {
                let summary = try await client.walk(details: false) {
                    rows.append($0.id)
                } problem: { _ in
                }
                #expect(fault == nil && summary.proof == .whole && summary.catalogMoved == false)
            } catch let error as MarketError {
                #expect(error == MarketError(.unreadable, fault ?? "nothing"))
            }
            #expect(rows == [1, 2, 3])
            #expect(market.requests.filter { $0.path.hasSuffix("/count") }.count == (Int(counts[0]) ?? 0 > 3 ? 2 : 1))
        }
    }

    @Test func `rules decide before statuses do`() async throws {
        try await withMarket(Self.document(page: "{by: none}")) { request in
            switch request.index {
            case 0: .reply(200, #"{"busy":true}"#)
            case 1: .reply(200, #"{"rows":[{"id":1}]}"#)
            case 2: .reply(200, #"{"success":false,"problem":"closed for today"}"#)
            case 3: .reply(410, "{}")
            default: .reply(410, #"{"problem":"gone"}"#)
            }
        } _: { client, market in
            let page = try await client.page(.whole, number: 1, collecting: ProductRows()).page
            #expect(page.ids == [MarketID(1)])
            await #expect(throws: MarketError(.refused, "the market refused (HTTP 200): closed for today", status: 200))
            {
                _ = try await client.page(.whole, number: 1, collecting: ProductRows())
            }
            #expect(try await client.product(MarketID(7)) == nil)
            #expect(market.requests.count == 4)
        }
        let wire = MarketWire(try MarketProfile(document: Array(Self.document(page: "{by: none}").utf8)))
        #expect(wire.wait(in: TransportReply(status: 429, headers: [("x-reset", "1500")])) == .milliseconds(1500))
        #expect(
            wire.wait(in: TransportReply(status: 429, headers: [("x-reset", "1500"), ("Retry-After", "2")]))
                == .seconds(2)
        )
        let document = Self.document(page: "{by: none}").replacing("X-Reset", with: "retry-after")
        let described = MarketWire(try MarketProfile(document: Array(document.utf8)))
        #expect(
            described.wait(in: TransportReply(status: 429, headers: [("Retry-After", "1500")])) == .milliseconds(1500)
        )
    }

    @Test(arguments: [(204, "[204]", true), (204, "[404]", false), (200, "[204]", false)])
    func `a success without content says that there is no product only where it is described`(
        status: Int,
        missing: String,
        isMissing: Bool
    ) async throws {
        let document = Self.document(page: "{by: none}")
            .replacing("{path: \"/products/{id}\"}", with: "{path: \"/products/{id}\", missing: \(missing)}")
        try await withMarket(document) { _ in
            .reply(status, "")
        } _: { client, _ in
            if isMissing {
                let product = try await client.product(MarketID(7))
                #expect(product == nil)
            } else {
                await #expect(throws: MarketError.self) { _ = try await client.product(MarketID(7)) }
            }
        }
    }

    /// What a market may answer instead of a page, and what becomes of it.
    static let hostile: [(status: Int, headers: [(String, String)], body: String, message: String)] = [
        (
            200, [], String(repeating: #"{"rows":["#, count: 40) + String(repeating: "]}", count: 40),
            "the market's answer cannot be read: nested too deep (byte 288)"
        ),
        (200, [], #"{"rows":{}}"#, "the market's answer is not a page of products: “"),
        (200, [], "[]", "the market's answer is not a page of products: “"),
        (200, [], #"{"rows":[]"#, "the market's answer cannot be read: the text ends"),
        (
            200, [], "<html><title>Login</title></html>",
            "the market answered with a web page, “Login”: is the URL right?"
        ),
        (302, [("Location", "https://evil.example/?s3cret")], "", "the market redirects to https://evil.example/?•••"),
        (200, [("X-Fill", String(repeating: "x", count: 70_000))], "{}", "the market's answer has more than 64 KiB"),
        (404, [], "{}", "the market lacks a list at /products"),
        (400, [], "{}", "the market refused (HTTP 400)"),
    ]

    @Test(arguments: styles.indices, hostile.indices)
    func `a hostile reply to any style of list ends with its reason`(style: Int, reply: Int) async throws {
        let (page, more, first) = Self.styles[style]
        let (status, headers, body, message) = Self.hostile[reply]
        try await withMarket(Self.document(page: page, more: more), attempts: 1) { _ in
            TransportReply(status: status, headers: headers.map { (name: $0.0, value: $0.1) }, body: Array(body.utf8))
        } _: { client, market in
            await #expect {
                _ = try await client.page(first, number: 1, collecting: ProductRows())
            } throws: { error in
                let said = (error as? MarketError)?.message ?? "\(error)"
                #expect(said.hasPrefix(message), "\(said)")
                return said.hasPrefix(message) && !said.contains("s3cret")
            }
            #expect(market.requests.allSatisfy { $0.method == "GET" && $0.path.contains("/products") })
        }
    }

    @Test(arguments: styles.indices)
    func `rows of any kind are counted, and what they say of themselves is a claim`(style: Int) async throws {
        let (page, more, first) = Self.styles[style]
        let rows = #"[{"id":1,"name":"a"},{"id":"x"},7,null,[],{"id":2,"id":3},{"id":1e400},{"name":"n\u0000"}]"#
        try await withMarket(Self.document(page: page, more: more)) { _ in
            .reply(200, #"{"rows":\#(rows),"next":null}"#)
        } _: { client, _ in
            let found = try await client.page(first, number: 1, collecting: ProductRows())
            #expect(found.page.ids == [MarketID(1), MarketID(3)])
            #expect(found.page.rowCount == 8 && found.page.unreadableRows.count == 6)
            #expect(found.rows.products.map(\.name) == ["a", nil])
            let isLinked = page.contains("cursor") || page.contains("by: next")
            #expect(found.page.next == (isLinked ? .none : .unsaid))
        }
    }

    @Test(arguments: [
        (#""https://evil.example/a/products?x=s3cret""#, false), (#""/b/products""#, false), (#""/a/other""#, false),
        (#""/a/products?_method=DELETE""#, false), (#""/a/products?page=2""#, true), (#"["/a/products"]"#, false),
        (#"{"href":"/a/products"}"#, false), (#""\#(String(repeating: "x", count: 5000))""#, false),
    ])
    func `an address of a page leads to the list alone`(next: String, isTaken: Bool) async throws {
        try await withMarket(Self.document(page: "{by: next, next: {at: /next}}")) { _ in
            .reply(200, #"{"rows":[{"id":1}],"next":\#(next)}"#)
        } _: { client, market in
            let page = try await client.page(.next(nil, size: 10), number: 1, collecting: ProductRows()).page
            if isTaken {
                #expect(page.next == .at("/products?page=2"))
                _ = try await client.page(.next("/products?page=2", size: 10), number: 2, collecting: ProductRows())
                #expect(market.requests.last?.path.hasSuffix("a/products?page=2") == true)
            } else {
                guard case .refused = page.next else {
                    Issue.record("\(page.next)")
                    return
                }
            }
            // A kept page may hold anything, too.
            for address in ["/../admin", "/other?x=1", "https://evil.example/a/products", "/products?_method=DELETE"] {
                await #expect(throws: MarketError.self) {
                    _ = try await client.page(.next(address, size: 10), number: 2, collecting: ProductRows())
                }
            }
            #expect(market.requests.count == (isTaken ? 2 : 1))
        }
    }

    @Test func `a product that only its detail shows to be deleted does not count`() async throws {
        let document = Self.document(page: "{by: none}").replacing(
            "as: integer}}",
            with: "as: integer}, absent: [{at: /deleted, is: true}]}"
        )
        try await withMarket(document) { request in
            guard let id = request.path.split(separator: "/").last, id != "products" else {
                return .reply(200, #"{"rows":[{"id":3},{"id":2},{"id":1}]}"#)
            }
            return .reply(200, #"{"id":\#(id),"deleted":\#(id == "2")}"#)
        } _: { client, _ in
            var ids: [MarketID] = []
            let summary = try await client.walk(details: true) {
                ids.append($0.id)
            } problem: { _ in
            }
            #expect(ids == [3, 1] && summary.rows == 2)
        }
    }

    @Test func `pages are read from 1, whatever the market calls the first one`() async throws {
        let document = Self.document(page: "{by: number, param: page, first: 0}", more: "  last_page: {at: /last}")
        try await withMarket(document) { _ in
            .reply(200, #"{"rows":[{"id":1}],"last":2}"#)
        } _: { client, market in
            let page = try await client.page(.number(3, size: 10), number: 3, collecting: ProductRows()).page
            #expect(page.lastPage == 3)
            #expect(market.requests.map(\.path.query) == ["page=2"])
        }
    }

    @Test func `the first page of a keyset keeps what does not name the last row`() async throws {
        let document = Self.document(
            page: #"{by: keyset, last: /id, query: {"q[]": ["status:active", "id:gt:{last}"]}}"#,
            more: "  past_end: [empty]"
        )
        try await withMarket(document) { _ in
            .reply(200, #"{"rows":[{"id":1}]}"#)
        } _: { client, market in
            _ = try await client.page(.after(nil, size: 10), number: 1, collecting: ProductRows())
            _ = try await client.page(.after("1", size: 10), number: 2, collecting: ProductRows())
            #expect(
                market.requests.map(\.path.query) == [
                    "q%5B%5D=status%3Aactive", "q%5B%5D=status%3Aactive&q%5B%5D=id%3Agt%3A1",
                ]
            )
        }
    }

    /// A page as long as was asked for, and what leads to the next one: nothing where the description looks for it.
    @Test(arguments: [
        (#"{"rows":[{"id":2},{"id":1}],"after":"x"}"#, 2), (#"{"rows":[{"id":2},{"id":1}],"meta":{"next":null}}"#, nil),
        (#"{"rows":[{"id":1}]}"#, nil),
    ])
    func `a full page without any word of the next one may not be all`(body: String, limit: Int?) async throws {
        let page = "{by: cursor, param: cursor, next: {at: /meta/next}, size: {param: limit, standard: 2}}"
        try await withMarket(Self.document(page: page)) { _ in
            .reply(200, body)
        } _: { client, _ in
            let summary = try await client.walk(details: false) { _ in
            } problem: { _ in
            }
            #expect(summary.possibleLimit == limit)
        }
    }

    @Test(arguments: [
        ("/products?page=2; rel=next", NextPage.refused("its header 'Link' lacks an address between '<' and '>'")),
        ("", .none), (" ", .none),
    ])
    func `a header Link without an address does not say that the list ends, and an empty one does`(
        link: String,
        next: NextPage
    ) async throws {
        try await withMarket(Self.document(page: "{by: next, next: {header: Link, rel: next}}")) { _ in
            TransportReply(
                status: 200,
                headers: [("Content-Type", "application/json"), ("Link", link)],
                body: Array(#"{"rows":[{"id":1}]}"#.utf8)
            )
        } _: { client, _ in
            let page = try await client.page(.next(nil, size: 10), number: 1, collecting: ProductRows()).page
            #expect(page.next == next)
        }
    }

    @Test func `ping and a reading take a market for the described one alone`() async throws {
        let document = Self.document(page: "{by: none}", more: "  recognised_by: [/version, /shop_version]")
            .replacing("complete: never", with: "complete: whole")
        for (body, isRecognised) in [
            (#"{"rows":[{"id":1}],"shop_version":7}"#, true), (#"{"rows":[{"id":1}]}"#, false),
            (#"{"pages":[],"totalCount":0,"pageNo":1}"#, false),
        ] {
            try await withMarket(document) { _ in
                .reply(200, body)
            } _: { client, market in
                if isRecognised {
                    let report = try await client.probe()
                    #expect(report.profiles == [client.profile] && report.credentials == .accepted)
                    #expect(try await client.catalog().products.count == 1)
                } else {
                    let error = MarketError(
                        .unreadable,
                        "the server at this URL does not show products as 'shop' describes"
                    )
                    await #expect(throws: error) { _ = try await client.probe() }
                    guard body.contains("rows") else { return }
                    await #expect(throws: error) { _ = try await client.catalog() }
                }
                #expect(Set(market.requests.map(\.path)).count == 1)
            }
        }
    }
}

extension String {
    /// What is behind the question mark.
    var query: String { split(separator: "?", maxSplits: 1).last.map(String.init) ?? "" }
}
