@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketClient

/// Replies that are not the API's, that come in another form than plain JSON, or that a cache had.
struct ForeignReplyTests {
    private static let lamp = #"{"id":7,"title":"Lamp","price":1,"currency":"KRW","stock":1}"#
    private static let page = #"{"page":1,"items":[\#(lamp)]}"#
    private static let end = #"{"page":2,"items":[]}"#
    private static let notice = "<br />\n<b>Notice</b>: Undefined index: p in <b>/srv/a.php</b><br />\n"

    /// What servers in front of a market, and broken ones behind it, answer with 200, and what a message says of it.
    static let bodies: [(body: String, type: String, words: String)] = [
        (notice + lamp, "text/html", "“<br />\\n<b>Notice</b>: Undefined index: p…”"),
        ("Fatal error: out of memory", "text/plain", "“Fatal error: out of memory”"),
        ("<html><head><title>Maintenance</title></head></html>", "text/html", "“Maintenance”"),
        ("<!DOCTYPE html><title>Sign in</title>", "application/json", "“Sign in”"),
        ("", "application/json", "it is empty"),
        (#"{"id":7,"#, "application/json", #"“{"id":7,”"#),
        (#"{"status":"closed for today"}"#, "application/json", #"“{"status":"closed for today"}”"#),
        ("[]", "application/json", "“[]”"),
        ("null", "application/json", "“null”"),
    ]

    enum Read: String, CaseIterable { case list, detail }

    private func read(_ what: Read, _ client: MarketClient) async throws -> LiveProduct? {
        switch what {
        case .detail: try await client.product(MarketID(7))
        case .list: try await client.catalog().products[MarketID(7)]
        }
    }

    private func answer(_ path: String) -> TransportReply {
        switch path {
        case "/item/7": .reply(200, Self.lamp)
        case "/items/1": .reply(200, Self.page)
        default: .reply(200, Self.end.replacing("2", with: path.suffix(1)))
        }
    }

    @Test(arguments: Read.allCases, bodies.indices)
    func `what is no reply of the API is asked for again, and described`(what: Read, index: Int) async throws {
        let (body, type, words) = Self.bodies[index]
        let once = InProcessMarket { $0.index == 0 ? .reply(200, body, type: type) : answer($0.path) }
        try await withMarket(inProcess: once, .v1b) { client in
            let found = try await read(what, client)
            #expect(found?.name == "Lamp")
        }
        let always = InProcessMarket { _ in .reply(200, body, type: type) }
        try await withMarket(inProcess: always, .v1b) { client in
            let error = await #expect(throws: MarketError.self) { _ = try await read(what, client) }
            let message = error?.message ?? ""
            #expect(error?.code == .unreadable && message.contains(words), "\(message)")
            let address = "http://market.test\(what == .list ? "/items/1" : "/item/7")"
            #expect(message.hasSuffix(" (HTTP 200, \(type), \(address))"), "\(message)")
        }
        #expect(always.requests.count { ["/items/1", "/item/7"].contains($0.path) } == 3)
    }

    @Test func `a secret at the place where a description is cut is masked in whole`() async throws {
        for padding in 0..<60 {
            let body = String(repeating: "x", count: padding) + " example=&#$secret ;"
            let market = InProcessMarket { _ in .reply(200, body, type: "text/plain") }
            try await withMarket(inProcess: market, .v1b, attempts: 1) { client in
                let error = await #expect(throws: MarketError.self) { _ = try await client.product(MarketID(7)) }
                #expect(error?.message.contains("exam") == false, "\(error?.message ?? "")")
            }
        }
    }

    @Test(arguments: ["404 Not Found", "Gone"], [404, 400, 410, 418])
    func `a proxy's page is neither the end of a list nor another profile's`(title: String, status: Int) async throws {
        let foreign = TransportReply.reply(status, "<html><title>\(title)</title></html>", type: "text/html")
        let once = InProcessMarket { $0.index == 0 ? foreign : answer($0.path) }
        try await withMarket(inProcess: once, .v1b) { client in
            let found = try await read(.list, client)
            #expect(found?.name == "Lamp")
        }
        let always = InProcessMarket { _ in foreign }
        try await withMarket(inProcess: always, .v1b) { client in
            let error = await #expect(throws: MarketError.self) { _ = try await read(.list, client) }
            #expect(error?.code == .unreadable && error?.message.contains("“\(title)”") == true)
        }
    }

    @Test func `a market that answers an unknown path with a page still shows its profile`() async throws {
        let market = InProcessMarket { request in
            request.path.hasPrefix("/item") ? answer(request.path) : .reply(404, "<html></html>", type: "text/html")
        }
        try await withMarket(inProcess: market, .v2b) { client in
            let error = await #expect(throws: MarketError.self) { _ = try await client.catalog() }
            #expect(error?.code == .profile)
        }
    }

    // MARK: Byte order marks and compression

    @Test func `a byte order mark says nothing, whatever reply it is in`() async throws {
        let create = WriteRequest(.create(ProductValues(name: "Lamp", price: 1), pictures: []))
        let change = ProductUpdate(changed: [.stock], desired: ProductValues(stock: 1), live: ProductValues())
        let writes: [(write: WriteRequest, status: Int, body: String)] = [
            (create, 201, #"{"id":7,"name":"Lamp"}"#), (create, 400, #"{"message":"too long"}"#),
            (WriteRequest(.update(MarketID(7), change)), 200, #"{"id":7,"name":"Lamp","stock":1}"#),
            (WriteRequest(.update(MarketID(7), change)), 404, #"{"message":"no such item"}"#),
            (WriteRequest(.deleteKey(MarketID(7))), 200, "abc-1"),
            (WriteRequest(.update(MarketID(7), change)), 200, ""),
        ]
        for (write, status, body) in writes {
            var outcomes: [WriteOutcome] = []
            for mark in ["", "\u{FEFF}"] {
                let market = InProcessMarket { _ in .reply(status, mark + body) }
                outcomes.append(try await withMarket(inProcess: market, .v2b) { await $0.perform(write) })
            }
            #expect(outcomes[0] == outcomes[1], "\(body)")
        }
        for what in Read.allCases {
            let market = InProcessMarket { request in
                let plain = answer(request.path)
                return TransportReply(status: 200, body: [0xEF, 0xBB, 0xBF] + plain.bytes())
            }
            try await withMarket(inProcess: market, .v1b, attempts: 1) { client in
                let found = try await read(what, client)
                #expect(found?.name == "Lamp")
            }
        }
    }

    private static let compressedLamp: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xAB, 0x56, 0xCA, 0x4C, 0x51, 0xB2, 0x32, 0xD7,
        0x51, 0x2A, 0xC9, 0x2C, 0xC9, 0x49, 0x55, 0xB2, 0x52, 0xF2, 0x49, 0xCC, 0x2D, 0x50, 0xD2, 0x51, 0x2A, 0x28,
        0xCA, 0x4C, 0x06, 0x72, 0x0D, 0x75, 0x94, 0x92, 0x4B, 0x8B, 0x8A, 0x52, 0xF3, 0x92, 0x2B, 0x81, 0x72, 0xDE,
        0x41, 0xE1, 0x40, 0xA9, 0xE2, 0x92, 0xFC, 0xE4, 0x6C, 0xA0, 0x54, 0x2D, 0x00, 0x44, 0x78, 0xB9, 0x82, 0x3C,
        0x00, 0x00, 0x00,
    ]
    /// 20 000 blanks.
    private static let compressedBlanks: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xED, 0xC1, 0x31, 0x01, 0x00, 0x00, 0x00, 0xC2,
        0xA0, 0x2A, 0xEB, 0x9F, 0xD2, 0x1A, 0x1E, 0x40, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xF0, 0x60, 0x28, 0xC4, 0x08, 0x85, 0x20, 0x4E, 0x00,
        0x00,
    ]

    private static func compressed(_ status: Int, _ body: [UInt8], as encoding: String) -> HTTPMarket.Answer {
        let head = "HTTP/1.1 \(status) X\r\nContent-Encoding: \(encoding)\r\nContent-Length: \(body.count)\r\n\r\n"
        return .bytes(Array(head.utf8) + body)
    }

    @Test(arguments: ["gzip", "GZIP"])
    func `what nobody asked to be compressed is read`(encoding: String) async throws {
        try await HTTPMarket.run { _ in
            Self.compressed(200, Self.compressedLamp, as: encoding)
        } _: { market in
            try await withMarketClient(configuration(market.url, .v1b, attempts: 1)) { client in
                let product = try await client.product(MarketID(7))
                #expect(product?.name == "Lamp")
                let create = WriteRequest(.create(ProductValues(name: "Lamp", price: 1), pictures: []))
                guard case .succeeded(let reply) = await client.perform(create) else {
                    Issue.record("not created")
                    return
                }
                #expect(reply.product?.name == "Lamp")
            }
            let heads = market.requests.map { String(decoding: $0.bytes, as: UTF8.self).lowercased() }
            #expect(heads.map { $0.contains("cache-control: no-cache\r\n") } == [true, false])
            #expect(heads.allSatisfy { $0.contains("accept-encoding: identity\r\n") })
        }
    }

    @Test func `the limit of a reply is on what comes out, and a damaged one proves nothing`() async throws {
        let cut = Array(Self.compressedLamp.dropLast(12))
        for (body, limit, requests) in [(Self.compressedBlanks, 10_000, 1), (cut, 10_000, 3)] {
            try await HTTPMarket.run { _ in
                Self.compressed(200, body, as: "gzip")
            } _: { market in
                var settings = configuration(market.url, .v1b)
                settings.replyByteLimit = limit
                try await withMarketClient(settings) { client in
                    let error = await #expect(throws: MarketError.self) { _ = try await client.product(MarketID(7)) }
                    #expect(error != nil)
                    #expect(market.requests.count == requests)
                    let create = WriteRequest(.create(ProductValues(name: "Lamp", price: 1), pictures: []))
                    guard case .uncertain = await client.perform(create) else {
                        Issue.record("a reply that is not whole decides")
                        return
                    }
                }
            }
        }
    }

    // MARK: What replies prove

    private static func described(
        missing: String = "[404]",
        rules: String? = nil,
        find: String = "query: {sku: \"{key}\"}"
    )
        throws -> MarketProfile
    {
        let document = """
            market: 1
            name: shop
            identity:
              id: {at: /id, as: integer, order: rising}
              key: {at: /sku, unique: racy, find: {\(find)}}
            fields: {name: {at: /name}}
            list: {path: /products, page: {by: none}, rows: /rows, complete: whole}
            operations:
              detail: {path: "/products/{id}", missing: \(missing)}
              create: {method: POST, path: /products, body: json}
            \(rules.map { "errors: {rules: \($0)}" } ?? "")
            """
        return try MarketProfile(document: Array(document.utf8))
    }

    @Test(arguments: ["[404]", "[410]", "[empty]", "[410, empty]"], [400, 404, 410, 200])
    func `a reply that means that a product is gone says so, however a missing one is answered`(
        missing: String,
        status: Int
    ) async throws {
        let rule = "[{for: [detail], status: \(status), at: /code, is: invalid_id, means: gone}]"
        let profile = try Self.described(missing: missing, rules: rule)
        let market = InProcessMarket { _ in .reply(status, #"{"code":"invalid_id"}"#) }
        try await withMarket(inProcess: market, profile) { client in
            let product = try await client.product(MarketID(7))
            #expect(product == nil)
        }
        #expect(market.requests.count == 1)
        // A rule about the status alone says nothing of a page of something in between.
        let bare = try Self.described(missing: missing, rules: "[{for: [detail], status: 404, means: gone}]")
        let proxy = InProcessMarket { _ in .reply(404, "<html></html>", type: "text/html") }
        try await withMarket(inProcess: proxy, bare) { client in
            _ = await #expect(throws: MarketError.self) { _ = try await client.product(MarketID(7)) }
        }
        #expect(proxy.requests.count == 3)
    }

    @Test func `a create that is answered with 404 says nothing of the credentials`() async throws {
        let create = WriteRequest(.create(ProductValues(name: "Lamp", price: 1), pictures: []))
        for profile in try MarketProfile.builtIns + [Self.described()] {
            let market = InProcessMarket { _ in .reply(404, #"{"message":"no route"}"#) }
            let outcome = try await withMarket(inProcess: market, profile) { await $0.perform(create) }
            guard case .refused(let refusal) = outcome else {
                Issue.record("\(outcome)")
                continue
            }
            #expect(refusal.kind == .other && refusal.status == 404, "\(profile)")
        }
    }

    @Test func `a page of a proxy does not say that no product has a key`() async throws {
        let profile = try Self.described(find: "path: \"/keys/{key}\"")
        for (status, type, isOwn) in [(404, "text/html", false), (404, "application/json", true)] {
            let market = InProcessMarket { _ in .reply(status, isOwn ? "{}" : "<html></html>", type: type) }
            try await withMarket(inProcess: market, profile) { client in
                let found = try? await client.products(withKey: "lamp")
                #expect(found == (isOwn ? [] : nil))
            }
        }
    }

    @Test(arguments: [("0", false), ("1", true), ("86400", true), ("soon", true), (nil, false)] as [(String?, Bool)])
    func `what a cache had proves no absence`(age: String?, isOld: Bool) async throws {
        @Sendable func reply(_ status: Int, _ body: String) -> TransportReply {
            TransportReply(status: status, headers: age.map { [("Age", $0)] } ?? [], body: Array(body.utf8))
        }
        let market = InProcessMarket { request in
            request.path == "/products"
                ? reply(200, #"{"rows":[]}"#)
                : request.path.contains("sku=") ? reply(200, #"{"rows":[]}"#) : reply(404, "{}")
        }
        try await withMarket(inProcess: market, try Self.described(), attempts: 2) { client in
            let catalog = try await client.catalog()
            #expect(catalog.isFromCache == isOld)
            let found = try? await client.products(withKey: "lamp")
            #expect(found == (isOld ? nil : []))
            if isOld {
                await #expect(throws: MarketError.self) { _ = try await client.product(MarketID(7)) }
            } else {
                let product = try await client.product(MarketID(7))
                #expect(product == nil)
            }
        }
    }

    // MARK: Members

    private static let members = """
        market: 1
        name: shop
        identity: {id: {at: /id, as: integer}}
        fields: {name: {at: /name}, description: {at: /text/long}, price: {at: /price, as: number}, stock: {at: /stock, as: integer}}
        pictures: {style: none, read: {at: /images}}
        list: {path: /products, page: {by: none}, rows: /rows, complete: whole}
        operations: {detail: {path: "/products/{id}"}}
        """

    /// Rows, and the columns of which none has a member.
    static let rows: [(rows: String, missing: Set<CatalogColumn>)] = [
        (#"{"id":1,"name":"a","text":{"long":"b"},"price":1,"stock":2,"images":[]}"#, []),
        (#"{"id":1,"name":null,"text":null,"price":null,"stock":null,"images":null}"#, []),
        (#"{"id":1,"name":"","text":{"long":""},"price":"","stock":"","images":[]}"#, []),
        (#"{"id":1}"#, [.name, .description, .price, .stock, .images]),
        (#"{"id":1,"name":"a","text":{"short":"b"},"price":1,"images":[]}"#, [.description, .stock]),
        (#"{"id":1,"name":"a","text":[],"price":1,"stock":2,"images":[]}"#, []),
        (#"{"id":1,"name":"a","price":1,"images":[]},{"id":2,"text":{"long":"b"},"stock":1}"#, []),
        (#"7,{"id":1,"name":"a","price":1,"stock":3,"images":[]},null"#, [.description]),
    ]

    @Test(arguments: rows.indices)
    func `a member that no row has is missing, and one that is null or empty is not`(index: Int) async throws {
        let (rows, missing) = Self.rows[index]
        let profile = try MarketProfile(document: Array(Self.members.utf8))
        let market = InProcessMarket { request in
            request.path == "/products"
                ? .reply(200, #"{"rows":[\#(rows)]}"#)
                : .reply(200, #"{"id":\#(request.path.suffix(1)),"text":{"long":"b"}}"#)
        }
        try await withMarket(inProcess: market, profile) { client in
            let list = try await client.walk(details: false) { _ in
            } problem: { _ in
            }
            #expect(list.missing == missing)
            let details = try await client.walk(details: true) { _ in
            } problem: { _ in
            }
            #expect(details.missing == missing.subtracting([.description]))
        }
    }
}
