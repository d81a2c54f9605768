@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Synchronization
import Testing
@testable import OpenMarketClient

/// What a described market's replies mean, what a repeated create is, and which products carry a key.
struct DescribedOutcomeTests {
    /// A market with rules of its own.
    static let document = """
        market: 1
        name: shop
        identity:
          id: {at: /id, as: integer, order: rising}
          key: {at: /sku, unique: racy, find: {query: {sku: "{key}"}}}
          repeat: {header: Once, hours: 24, replays: errors, for: [create]}
          absent: {at: /archived, is: true}
        fields: {name: {at: /name}, price: {at: /price, as: number}}
        pictures:
          style: upload
          upload: {path: /files, body: parts, part: file, answer: /id}
          write: {at: /pictures}
          change: in_place
        list:
          path: /products
          page: {by: number, param: page, size: {standard: 2}}
          rows: /rows
          total: {at: /total}
          past_end: [empty, "404"]
          order: {by: [/id], direction: falling, moves: never}
          complete: ranks
        operations:
          detail: {path: "/products/{id}"}
          create: {method: POST, path: /products, body: parts, success: [201]}
          update: {method: PATCH, path: "/products/{id}", body: json, missing: [410, empty], product: /0}
          delete: {method: DELETE, path: "/products/{id}", answer: id, success: [200, 204]}
        errors:
          message: /problem
          rules:
            - {for: [create], status: 409, at: /code, is: sku_taken, means: duplicate}
            - {for: [create], status: 400, at: /code, is: not_created, means: unknown}
            - {status: 200, at: /success, is: false, means: refused}
            - {status: 409, means: retry}
            - {status: 418, means: credentials}
            - {for: [delete], status: 403, means: refused}
            - {for: [update], status: 400, at: /code, is: invalid_id, means: gone}
        """

    private static func profile(_ document: String = document) throws -> MarketProfile {
        try MarketProfile(document: Array(document.utf8))
    }

    enum Verdict: Equatable {
        case done, refused(WriteRefusal.Kind), notSent, uncertain

        init(_ outcome: WriteOutcome) {
            switch outcome {
            case .succeeded: self = .done
            case .refused(let refusal): self = .refused(refusal.kind)
            case .notSent: self = .notSent
            case .uncertain: self = .uncertain
            }
        }
    }

    static let create = WriteRequest(.create(ProductValues(name: "Lamp", price: 1), pictures: []))
    static let update = WriteRequest(
        .update(MarketID(7), ProductUpdate(changed: [.name], desired: ProductValues(name: "x"), live: ProductValues()))
    )
    static let delete = WriteRequest(.delete(MarketID(7), key: nil))
    static let page = "<!doctype html><title>Sign in</title>"

    /// Requests, replies, and what they mean.
    static let replies: [(write: WriteRequest, status: Int, body: String, verdict: Verdict)] = [
        (create, 201, #"{"id":7,"name":"Lamp","archived":true}"#, .refused(.other)),
        (create, 201, #"{"id":7,"name":"Lamp"}"#, .done), (create, 200, #"{"id":7}"#, .uncertain),
        (create, 201, "", .uncertain), (create, 201, "{}", .uncertain), (create, 201, page, .uncertain),
        (create, 500, #"{"code":"sku_taken"}"#, .uncertain), (create, 400, page, .uncertain),
        (create, 409, #"{"code":"sku_taken"}"#, .refused(.duplicate)), (create, 409, "{}", .notSent),
        (create, 409, page, .uncertain), (create, 400, #"{"code":"not_created"}"#, .uncertain),
        (create, 400, #"{"code":"other"}"#, .refused(.other)), (create, 200, #"{"success":false}"#, .refused(.other)),
        (create, 418, "{}", .refused(.credentials)), (create, 401, "{}", .refused(.credentials)),
        (create, 403, "{}", .refused(.denied)), (create, 302, "", .uncertain), (create, 429, "", .notSent),
        (update, 200, #"[{"id":7,"name":"x"}]"#, .done), (update, 200, #"[{"id":8}]"#, .uncertain),
        (update, 200, "[]", .refused(.notFound)), (update, 204, "", .refused(.notFound)),
        (update, 200, page, .uncertain),
        (update, 200, #"{"success":false}"#, .refused(.other)), (update, 410, "{}", .refused(.notFound)),
        (update, 410, page, .uncertain), (update, 410, "gone", .refused(.other)), (update, 404, "{}", .refused(.other)),
        (update, 404, page, .uncertain), (update, 400, #"{"code":"invalid_id"}"#, .refused(.notFound)),
        (update, 403, page, .uncertain), (update, 200, #"[{"id":7"#, .uncertain), (update, 500, "{}", .uncertain),
        (delete, 200, #"{"deleted":1}"#, .done), (delete, 204, "", .done), (delete, 200, "true", .done),
        (delete, 200, #"{"id":7}"#, .done), (delete, 200, #"{"id":8}"#, .uncertain), (delete, 200, page, .uncertain),
        (delete, 200, "Service temporarily unavailable", .uncertain),
        (delete, 200, #"{"error":true,"reason":"locked"}"#, .uncertain),
        // A rule is looked for in all of a reply.
        (
            update, 200, #"[{"id":7,"name":"x","log":"\#(String(repeating: "x", count: 20_000))"}]"#, .done
        ),
        (
            delete, 200, #"{"log":"\#(String(repeating: "x", count: 20_000))","success":false}"#, .refused(.other)
        ),
        (delete, 202, "", .uncertain), (delete, 403, "{}", .refused(.other)), (delete, 404, "{}", .refused(.notFound)),
        (delete, 404, page, .uncertain), (delete, 404, "no", .uncertain),
    ]

    @Test(arguments: replies.indices)
    func `a reply means what its description says`(index: Int) async throws {
        let (write, status, body, verdict) = Self.replies[index]
        let market = InProcessMarket { _ in
            .reply(status, body, type: body.hasPrefix("<") ? "text/html" : "application/json")
        }
        let outcome = try await withMarket(inProcess: market, try Self.profile()) { await $0.perform(write) }
        #expect(Verdict(outcome) == verdict, "\(status) \(body): \(outcome)")
        // Behind a delete whose success is not known the product is looked for.
        let isRead = Verdict(outcome) == .uncertain && (200..<300).contains(status) && write == Self.delete
        #expect(market.requests.first?.method != "GET" && (market.requests.count > 1) == isRead)
    }

    @Test(arguments: [
        ("/price/0", 400, #"{"price":["This field is required."]}"#, " (HTTP 400): price: This field is required."),
        ("/errors/0", 400, #"{"errors":["No."]}"#, " (HTTP 400): No."),
        ("/problem", 400, #"{"problem":"No."}"#, " (HTTP 400): No."),
        ("/problem", 405, #"{"problem":"No."}"#, " POST /products (HTTP 405): No."),
    ])
    func `a refusal names the field that it is about, and the path where that may be wrong`(
        place: String,
        status: Int,
        body: String,
        words: String
    ) async throws {
        let profile = try Self.profile(Self.document.replacing("message: /problem", with: "message: \(place)"))
        let market = InProcessMarket { _ in .reply(status, body, type: "application/json") }
        let outcome = try await withMarket(inProcess: market, profile) { await $0.perform(Self.create) }
        guard case .refused(let refusal) = outcome else { return #expect(Bool(false), "\(outcome)") }
        #expect(refusal.message == "the market refused" + words)
    }

    @Test func `a wrong path of any write is named, in refusals and pages`() async throws {
        // A 404 with a page says nothing of the product.
        for (status, body, words) in [
            (404, #"{"problem":"No."}"#, "the market refused %@ (HTTP 404): No."),
            (405, #"{"problem":"No."}"#, "the market refused %@ (HTTP 405): No."),
            (404, "<html>", "the market's answer to %@ is not one of its API (HTTP 404, text/html): a web page"),
        ] {
            for (write, asked) in [
                (Self.create, "POST /products"), (Self.update, "PATCH /products/{id}"),
                (Self.delete, "DELETE /products/{id}"),
            ] {
                let market = InProcessMarket { _ in
                    .reply(status, body, type: body.hasPrefix("<") ? "text/html" : "application/json")
                }
                let outcome = try await withMarket(inProcess: market, try Self.profile()) { await $0.perform(write) }
                let message =
                    switch outcome {
                    case .refused(let refusal): refusal.message
                    case .uncertain(let trouble): trouble.message
                    case .notSent, .succeeded: "\(outcome)"
                    }
                #expect(message == words.replacing("%@", with: asked))
            }
        }
    }

    @Test(arguments: [(200, #"{"id":7,"name":"Lamp"}"#), (404, "{}"), (500, "{}")])
    func `a delete that is answered with words is done where the product is gone`(status: Int, body: String)
        async throws
    {
        let market = InProcessMarket { request in
            request.method == "GET"
                ? .reply(status, body) : .reply(200, #"{"code":0,"message":"success","error":null}"#)
        }
        let outcome = try await withMarket(inProcess: market, try Self.profile()) { await $0.perform(Self.delete) }
        #expect(Verdict(outcome) == (status == 404 ? .done : .uncertain), "\(outcome)")
    }

    @Test(arguments: [
        ("{\"id\":\"x1\"}", true, Verdict.refused(.other)), ("{\"id\":\"x1\"}", false, .done),
        ("\"accepted\"", false, .uncertain),
        ("\"lamp\"", false, .done), ("\"x-1\"", false, .done),
    ])
    func `the id of a new product is believed where it can be one, and its product is not deleted`(
        body: String,
        isArchived: Bool,
        verdict: Verdict
    ) async throws {
        let document = """
            market: 1
            name: ids
            identity: {id: {at: /id, as: text}, absent: {at: /archived, is: true}, key: {at: /sku, unique: unenforced}}
            fields: {name: {at: /name}}
            list: {path: /products, page: {by: none}, rows: "", complete: never}
            operations:
              detail: {path: "/products/{id}"}
              create: {method: POST, path: /products, body: json, answer: id}
            """
        let market = InProcessMarket { request in
            let id = request.path.split(separator: "/").last ?? ""
            return request.method == "GET"
                ? .reply(200, #"{"id":"\#(id)","archived":\#(isArchived)}"#) : .reply(201, body)
        }
        var create = WriteRequest(.create(ProductValues(name: "Lamp"), pictures: []))
        create.key = "lamp"
        let outcome = try await withMarket(inProcess: market, try Self.profile(document)) { await $0.perform(create) }
        #expect(Verdict(outcome) == verdict, "\(outcome)")
    }

    @Test func `an answer that is not a delete key is not quoted`() async throws {
        let document = Self.document.replacing(
            "delete: {method: DELETE, path: \"/products/{id}\"",
            with: "delete_key: {method: POST, path: \"/products/{id}/key\", answer: key, body: json}\n  "
                + "delete: {method: DELETE, path: \"/products/{id}\", query: {key: \"{delete_key}\"}"
        )
        let market = InProcessMarket { _ in .reply(200, #"{"token":"abcdefghijklmnop"}"#) }
        let outcome = try await withMarket(inProcess: market, try Self.profile(document)) {
            await $0.perform(WriteRequest(.deleteKey(MarketID(7))))
        }
        #expect(outcome == .uncertain(WriteTrouble("the market's answer is not a delete key (HTTP 200)")))
    }

    @Test(arguments: [
        (200, #"{"id":"file:1"}"#, "file:1"), (201, #"{"id":"x"}"#, "x"), (200, #"{"id":5}"#, nil), (200, "{}", nil),
        (200, #"{"id":""}"#, nil), (200, #"{"id":"a\r\nb"}"#, nil), (200, page, nil), (200, "", nil),
    ])
    func `an upload is known by what is answered to it`(status: Int, body: String, reference: String?) async throws {
        let folder = try PictureFolder()
        let upload = WriteRequest(.upload(try folder.picture("a.jpg", jpeg)))
        let market = InProcessMarket { _ in .reply(status, body) }
        let outcome = try await withMarket(inProcess: market, try Self.profile()) { await $0.perform(upload) }
        if let reference {
            #expect(outcome == .succeeded(WriteReply(reference: reference)))
        } else {
            #expect(Verdict(outcome) == .uncertain)
        }
    }

    // MARK: Repeated creates

    @Test func `a repeated create has the same bytes, boundary and header included, and a digest of them`() async throws
    {
        let folder = try PictureFolder()
        let picture = try folder.picture("a.jpg", jpeg)
        let market = InProcessMarket { _ in .reply(500) }
        let profile = try Self.profile()
        var create = Self.create
        create.idempotencyKey = "once-1"
        var digests: [ContentDigest?] = []
        for _ in 0..<2 {
            try await withMarket(inProcess: market, profile) { client in
                _ = await client.perform(create)
                digests.append(client.bodyDigest(of: create))
            }
        }
        let (first, second) = (market.requests[0], market.requests[1])
        #expect(first.body == second.body && first.contentType == second.contentType && first.headers == second.headers)
        #expect(first.headers == ["Once: once-1"])
        let digest = try #require(digests[0])
        #expect(digests == [digest, digest])

        try await withMarket(inProcess: market, profile) { client in
            var other = create
            other.idempotencyKey = "once-2"
            #expect(client.bodyDigest(of: other) != digest)
            _ = await client.perform(other)
            #expect(market.requests.last?.contentType != first.contentType)
            other = create
            other.key = "sku-1"
            #expect(client.bodyDigest(of: other) != digest)
            #expect(client.bodyDigest(of: Self.delete) == nil)
            // Not before its pictures have names, and not while they cannot be read.
            other.kind = .create(ProductValues(name: "Lamp"), pictures: [picture])
            #expect(client.bodyDigest(of: other) == nil)
            other.references = ["file:1"]
            #expect(client.bodyDigest(of: other) != nil)
        }
    }

    @Test func `no digest holds a secret`() async throws {
        let market = InProcessMarket { _ in .reply(500) }
        let write = WriteRequest(.create(ProductValues(name: "Lamp", price: 1), pictures: []))
        var digests: Set<ContentDigest?> = []
        for secret in ["one", "two"] {
            var settings = configuration("http://market.test", .v2b)
            settings.credentials = Credentials(identifier: Secret("i"), secret: Secret(secret))
            settings.transport = market
            digests.insert(try await withMarketClient(settings) { $0.bodyDigest(of: write) })
        }
        #expect(digests.count == 1 && digests.first != .some(nil))
    }

    // MARK: Hostile values

    @Test(arguments: ["", ".", "..", "a/../b", "a\r\nX: y", "?x=1#", "%2e%2e"])
    func `an id, a key and what a manifest says lead nowhere else`(value: String) async throws {
        let document = """
            market: 1
            name: shop
            identity: {id: {at: /id, as: text, chosen_by: us}, repeat: {header: Once, hours: 1, replays: errors, for: [create]}}
            fields: {name: {at: /name}}
            list: {path: /products, page: {by: none}, rows: /rows, complete: never}
            operations:
              detail: {path: "/products/{id}"}
              create: {method: PUT, path: "/products/{id}", body: json}
              delete_key: {method: POST, path: "/products/{id}/key", answer: path, body: json}
              delete: {method: DELETE, path: "/products/bin/{delete_key}", query: {of: "{id}"}}
            """
        // Before a PUT the product is asked for.
        let market = InProcessMarket { .reply($0.method == "GET" ? 404 : 500) }
        try await withMarket(inProcess: market, try Self.profile(document)) { client in
            var create = WriteRequest(.create(ProductValues(name: "x"), pictures: []))
            create.key = value
            _ = await client.perform(create)
            var repeated = create
            repeated.key = "fine"
            repeated.idempotencyKey = value
            _ = await client.perform(repeated)
            _ = await client.perform(WriteRequest(.deleteKey(.text(value))))
            for key in [
                value, "/products/bin/" + value, "/products/other", "/products/bin/../../x", "//evil.example/x",
            ] {
                _ = await client.perform(WriteRequest(.delete(.text("p"), key: key)))
            }
        }
        for request in market.requests {
            let path = request.path.prefix { $0 != "?" }
            #expect(path.hasPrefix("/products/") && !path.contains("/../") && !path.hasSuffix("/.."))
            #expect(!path.hasSuffix("/") && path.split(separator: "/").count <= 3)
            #expect((request.path + request.headers.joined()).utf8.allSatisfy { $0 > 0x1F && $0 < 0x7F })
            #expect(!request.path.contains("#"))
        }
    }

    @Test func `a request without what it needs is refused, and nothing is sent`() async throws {
        let folder = try PictureFolder()
        let picture = try folder.picture("a.jpg", jpeg)
        let market = InProcessMarket { _ in .reply(500) }
        try await withMarket(inProcess: market, try Self.profile()) { client in
            let pictured = WriteRequest(.create(ProductValues(name: "Lamp"), pictures: [picture]))
            let outcome = await client.perform(pictured)
            #expect(
                outcome
                    == .refused(
                        WriteRefusal(
                            .other,
                            status: 0,
                            message: "a product's pictures cannot be sent before the market has them"
                        )
                    )
            )
            let shown = try client.describe(pictured).maskedLines
            #expect(shown.contains("  pictures[0]: {a.jpg}"))
            #expect(Verdict(await client.perform(WriteRequest(.attach(MarketID(1), picture)))) == .refused(.other))
        }
        #expect(market.requests.isEmpty)
    }

    // MARK: What is read before it is changed

    static let languages = """
        market: 1
        name: shop
        identity: {id: {at: /id, as: integer}}
        fields: {name: {at: /name, as: language_map, language: ko}, price: {at: /price, as: number}}
        list: {path: /products, page: {by: none}, rows: /rows, complete: never}
        operations:
          detail: {path: "/products/{id}"}
          update: {method: PATCH, path: "/products/{id}", body: json}
        """

    @Test(arguments: [
        (404, "{}", Verdict.refused(.notFound)), (500, "{}", .notSent), (200, page, .notSent),
        (401, "{}", .refused(.credentials)),
        (200, #"{"id":8}"#, .notSent), (302, "", .refused(.other)), (200, #"{"id":7,"name":"text"}"#, .refused(.other)),
    ])
    func `where the product cannot be read, nothing is sent`(status: Int, body: String, verdict: Verdict) async throws {
        let market = InProcessMarket { request in
            request.method == "GET" ? .reply(status, body) : .reply(200, #"{"id":7}"#)
        }
        try await withMarket(inProcess: market, try Self.profile(Self.languages)) { client in
            #expect(Verdict(await client.perform(Self.update)) == verdict)
            #expect(market.requests.allSatisfy { $0.method == "GET" })
            // What does not belong to it needs no reading.
            var price = Self.update
            let values = ProductValues(price: 2)
            price.kind = .update(MarketID(7), ProductUpdate(changed: [.price], desired: values, live: values))
            let before = market.requests.count
            #expect(Verdict(await client.perform(price)) == .done)
            #expect(market.requests.dropFirst(before).map(\.method) == ["PATCH"])
        }
    }

    @Test func `a product that counts as deleted is not there`() async throws {
        let market = InProcessMarket { .reply(200, #"{"id":7,"name":"Lamp","archived":\#($0.index == 0)}"#) }
        try await withMarket(inProcess: market, try Self.profile()) { client in
            let deleted = try await client.product(MarketID(7))
            let there = try await client.product(MarketID(7))
            #expect(deleted == nil && there?.name == "Lamp")
            #expect(try await !client.countsAsDeleted(MarketID(7)))
        }
    }

    @Test func `a row whose detail counts as deleted is left out where details are read, and has not vanished`()
        async throws
    {
        let market = InProcessMarket { request in
            let id = request.path.split(separator: "/").last ?? ""
            return request.path.contains("?") || id == "products"
                ? .reply(200, #"{"total":2,"rows":[{"id":8,"name":"Fan"},{"id":7,"name":"Lamp"}]}"#)
                : .reply(200, #"{"id":\#(id),"name":"Lamp","archived":\#(id == "8")}"#)
        }
        try await withMarket(inProcess: market, try Self.profile()) { client in
            var ids: [MarketID] = []
            var problems = 0
            let summary = try await client.walk(details: true) {
                ids.append($0.id)
            } problem: { _ in
                problems += 1
            }
            #expect(ids == [7] && problems == 0 && summary.catalogMoved != true)
        }
    }

    @Test(arguments: [404, 200])
    func `a product whose id we choose is not put in the place of another`(status: Int) async throws {
        let market = InProcessMarket { request in
            request.method == "GET"
                ? .reply(status, status == 200 ? #"{"code":"lamp","name":"Mug"}"# : "{}") : .reply(201)
        }
        let document = """
            market: 1
            name: chosen
            identity: {id: {at: /code, as: text, chosen_by: us}}
            fields: {name: {at: /name}}
            list: {path: /products, page: {by: none}, rows: "", complete: never}
            operations:
              detail: {path: "/products/{id}"}
              create: {method: PUT, path: "/products/{id}", body: json}
            """
        try await withMarket(inProcess: market, try Self.profile(document)) { client in
            var create = WriteRequest(.create(ProductValues(name: "Lamp"), pictures: []))
            create.key = "lamp"
            let verdict = Verdict(await client.perform(create))
            #expect(verdict == (status == 200 ? .refused(.duplicate) : .uncertain))
            #expect(market.requests.map(\.method) == (status == 200 ? ["GET"] : ["GET", "PUT"]))
        }
    }

    @Test(arguments: ["whole", "merged"])
    func `what the market makes of a text is not sent back to it`(sending: String) async throws {
        let market = InProcessMarket { _ in .reply(200, #"{"id":7,"name":"Tom &amp; Jerry","price":1}"#) }
        let document = """
            market: 1
            name: escaping
            identity: {id: {at: /id, as: integer}}
            fields: {name: {at: /name, echo: normalised}, price: {at: /price, as: number}}
            list: {path: /products, page: {by: none}, rows: "", complete: never}
            operations:
              detail: {path: "/products/{id}"}
              update: {method: PUT, path: "/products/{id}", body: json, send: \(sending)}
            """
        let live = ProductValues(name: "Tom & Jerry", price: 1)
        var desired = live
        desired.price = 2
        let update = WriteRequest(
            .update(MarketID(7), ProductUpdate(changed: [.price], desired: desired, live: live))
        )
        try await withMarket(inProcess: market, try Self.profile(document)) { client in
            #expect(Verdict(await client.perform(update)) == .done)
            let body = try JSONValue.parse(try #require(market.requests.last).body)
            #expect(body["name"] == .string("Tom & Jerry") && body["price"]?.integer == 2)
        }
    }

    @Test func `members that the description does not name are noted in details and in replies to updates`()
        async throws
    {
        let shown = #"""
            {"id":7,"sku":"a","name":"Lamp","price":1,"sale":{"from":null,"to":""},"archived":false,"pictures":[{"id":1}],
             "weight":3,"active":false,"dimensions":{"width":2,"depth":""},"tags":["a"],"notes":[],
             "meta":[{"key":"a"},{"value":0}]}
            """#
        let market = InProcessMarket { .reply(200, $0.method == "GET" ? shown : "[\(shown)]") }
        let named: Set = ["/weight", "/active", "/dimensions/width", "/tags/*", "/meta/*/key", "/meta/*/value"]
        try await withMarket(inProcess: market, try Self.profile()) { client in
            let detail = try await client.product(MarketID(7))
            #expect(detail?.members == named)
            let values = ProductValues(name: "Lamp", price: 1)
            let update = ProductUpdate(changed: [.price], desired: values, live: values)
            guard case .succeeded(let reply) = await client.perform(WriteRequest(.update(MarketID(7), update))) else {
                Issue.record("the update is not answered with its product")
                return
            }
            #expect(reply.product?.members == named)
        }
        // What the built-in markets leave alone is known.
        let builtIn = InProcessMarket { _ in .reply(200, #"{"id":7,"name":"Lamp","price":1,"weight":3}"#) }
        try await withMarket(inProcess: builtIn, .v2b) { client in
            let product = try await client.product(MarketID(7))
            #expect(product?.name == "Lamp" && product?.members == nil)
        }
    }

    // MARK: Keys

    private static func found(_ pages: [String], details: [Int: String], key: String = "ours") async throws
        -> [LiveProduct]
    {
        let market = InProcessMarket { request in
            if let id = Int(request.path.split(separator: "/").last ?? "") {
                return details[id].map { .reply(200, $0) } ?? .reply(404, "{}")
            }
            let number = Int(request.path.split(separator: "page=").last?.prefix { $0.isNumber } ?? "") ?? 0
            guard request.path.contains("sku=o%20") == key.hasPrefix("o "), pages.indices.contains(number - 1) else {
                return .reply(404, "{}")
            }
            return .reply(200, pages[number - 1])
        }
        return try await withMarket(inProcess: market, try profile()) { try await $0.products(withKey: key) }
    }

    @Test func `only products that show the key themselves carry it, however much is found`() async throws {
        let first = #"{"total":5,"rows":[{"id":9,"sku":"OURS"},{"id":8,"sku":"ours"}]}"#
        let second = #"{"total":5,"rows":[{"id":7,"sku":"ours "},{"id":6}]}"#
        let third = #"{"total":5,"rows":[{"id":5,"sku":"ours","archived":true}]}"#
        let details = [
            8: #"{"id":8,"sku":"ours","name":"Lamp"}"#, 6: #"{"id":6,"sku":"ours"}"#, 5: #"{"id":5,"sku":"ours"}"#,
        ]
        #expect(
            try await Self.found([first, second, third], details: details).map(\.id) == [MarketID(8), MarketID(6)]
        )
        // A row that another product has taken the key from, or that is gone.
        #expect(try await Self.found([first, second, third], details: [8: #"{"id":8,"sku":"theirs"}"#]).isEmpty)
        #expect(try await Self.found([#"{"total":0,"rows":[]}"#], details: [:], key: "o r").isEmpty)
    }

    @Test(arguments: [
        [#"{"total":3,"rows":[{"id":9,"sku":"a"}]}"#, #"{"total":3,"rows":[{"sku":"ours"}]}"#], ["[]"], ["<html>"],
        Array(repeating: #"{"total":900,"rows":[{"id":1,"sku":"a"},{"id":2,"sku":"b"}]}"#, count: 200),
        [#"{"rows":[]}"#], [],
    ])
    func `where it cannot be said which products carry a key, that is an error`(pages: [String]) async throws {
        await #expect(throws: MarketError.self) { _ = try await Self.found(pages, details: [:]) }
    }

    @Test func `a product that moved between two pages is found all the same`() async throws {
        let first = #"{"total":3,"rows":[{"id":9,"sku":"a"},{"id":8,"sku":"b"}]}"#
        // Product 9 is deleted while page 2 is asked for, so that 7 is on page 1 by then.
        let answers = [
            first, #"{"total":2,"rows":[]}"#, #"{"total":2,"rows":[{"id":8,"sku":"b"},{"id":7,"sku":"ours"}]}"#,
            #"{"total":2,"rows":[{"id":8,"sku":"b"},{"id":7,"sku":"ours"}]}"#,
        ]
        let market = InProcessMarket { request in
            request.path.contains("sku=")
                ? .reply(200, answers[min(request.index, 3)]) : .reply(200, #"{"id":7,"sku":"ours"}"#)
        }
        try await withMarket(inProcess: market, try Self.profile()) { client in
            let found = try await client.products(withKey: "ours")
            #expect(found.map(\.id) == [MarketID(7)])
        }
    }
}
