import FoundationEssentials
import GRDB
import HTTPTypes
import HummingbirdTesting
import Logging
import NIOCore
@testable import OpenMarket
@testable import OpenMarketTestSupport
import Synchronization
import Testing
@testable import OpenMarketServer

/// What apps need beside the API: the page, other origins, addresses behind a proxy, a seed, a new start, the log.
struct ShopServingTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    @Test(arguments: [
        ([ServedProfile.v2b, .v1b], "v2 v1"), ([.v1a, .v2a], "v2 v1"), ([.v1a], "v1"), ([.v2a], "v2"),
    ])
    func `the page says which catalogs there are and may load nothing from elsewhere`(
        _ profiles: [ServedProfile],
        _ generations: String
    ) async throws {
        var configuration = fixture.configuration(.v2b)
        configuration.profiles = profiles
        configuration.publicURL = "https://shop.example/market"
        try await fixture.serve(configuration) { talk async throws in
            for (path, type) in [
                ("/", "text/html; charset=utf-8"), ("/shop.css", "text/css; charset=utf-8"),
                ("/shop.js", "text/javascript; charset=utf-8"),
            ] {
                try await talk.client.execute(uri: path, method: .get) { response in
                    #expect(response.status == .ok)
                    #expect(response.headers[.contentType] == type)
                    #expect(
                        response.headers[.contentSecurityPolicy]
                            == """
                            default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                            img-src 'self' data: https://shop.example; base-uri 'none'; form-action 'none'; \
                            frame-ancestors 'none'
                            """
                    )
                }
            }
            #expect(try await talk.get("/").body.contains(#"<meta name="generations" content="\#(generations)">"#))
        }
    }

    @Test(arguments: [(nil, "http://localhost/"), ("https://shop.example/market", "https://shop.example/market/")])
    func `every reply names the page`(publicURL: String?, page: String) async throws {
        var configuration = fixture.configuration(.v2b, .v1b)
        configuration.publicURL = publicURL
        let name = try #require(HTTPField.Name("shop-page"))
        try await fixture.serve(configuration) { talk async throws in
            for path in ["/", "/api/products", "/items/1", "/api/products/9", "/item/9", "/nowhere"] {
                try await talk.client.execute(uri: path, method: .get) { #expect($0.headers[name] == page, "\(path)") }
            }
        }
    }

    // MARK: - Other origins

    @Test(arguments: ["/", "/api/products", "/items/1", "/api/products/9", "/item/9", "/nowhere", "/images/none.png"])
    func `replies let pages of the named origins read them, also those that say no`(_ path: String) async throws {
        let here = "https://app.example"
        for (allowed, origin, answer) in [
            ([], here, nil), ([here], here, here), ([here], "https://other.example", nil), (["*"], here, "*"),
            (["https://b.example", here], here, here), ([here], nil, nil), ([here], "null", nil),
        ] as [([String], String?, String?)] {
            var configuration = fixture.configuration(.v2b, .v1b)
            configuration.allowedOrigins = allowed
            try await fixture.serve(configuration) { talk async throws in
                var headers = HTTPFields()
                headers[.origin] = origin
                try await talk.client.execute(uri: path, method: .get, headers: headers) { response in
                    #expect(response.headers[.accessControlAllowOrigin] == answer)
                    #expect(response.headers[.accessControlExposeHeaders] == answer.map { _ in "retry-after" })
                    #expect(response.headers[.vary] == (allowed.isEmpty || origin == nil ? nil : "origin"))
                    #expect(response.headers[.accessControlAllowCredentials] == nil)
                }
            }
        }
    }

    @Test func `a preflight allows what the API takes, and reaches no handler`() async throws {
        var configuration = fixture.configuration(.v2b, .v1b)
        configuration.allowedOrigins = ["https://app.example"]
        try await fixture.serve(configuration) { talk async throws in
            for path in ["/api/products", "/api/products/1", "/item", "/item/7"] {
                for (origin, isAllowed) in [("https://app.example", true), ("https://other.example", false)] {
                    let headers: HTTPFields = [.origin: origin, .accessControlRequestMethod: "PATCH"]
                    try await talk.client.execute(uri: path, method: .options, headers: headers) { response in
                        #expect(response.status == (isAllowed ? .noContent : .forbidden))
                        #expect(response.headers[.accessControlAllowOrigin] == (isAllowed ? origin : nil))
                        let methods = isAllowed ? "GET, HEAD, POST, PATCH, DELETE" : nil
                        #expect(response.headers[.accessControlAllowMethods] == methods)
                        let names = isAllowed ? "content-type, identifier" : nil
                        #expect(response.headers[.accessControlAllowHeaders] == names)
                        #expect(response.headers[.accessControlMaxAge] == (isAllowed ? "600" : nil))
                    }
                }
            }
        }
    }

    @Test(
        arguments: [
            ([], "https://evil.example", false), ([], "null", false), ([], "http://localhost:81", false),
            ([], "http://localhost", true), ([], "https://shop.example", true), ([], nil, true),
            (["https://app.example"], "https://app.example", true),
            (["https://app.example"], "http://b.example", false),
            (["*"], "https://evil.example", true),
        ] as [([String], String?, Bool)]
    )
    func `a page of another origin changes nothing unless it is allowed`(
        _ allowed: [String],
        _ origin: String?,
        _ isTaken: Bool
    ) async throws {
        var configuration = fixture.configuration(.v2b, .v1b)
        configuration.allowedOrigins = allowed
        configuration.publicURL = "https://shop.example/market"
        configuration.allowsReset = true
        try await fixture.serve(configuration) { talk async throws in
            var headers: HTTPFields = [.contentType: "multipart/form-data; boundary=\(Form.boundary)"]
            headers[.origin] = origin
            let made = try await talk.send(
                .post,
                "/item",
                headers: headers,
                body: Form.item().image("images[]").bytes
            )
            let reset = try await talk.send(.post, "/_shop/reset", headers: headers)
            if isTaken {
                #expect([made.status, reset.status] == [200, 200])
            } else {
                let refusal = Talk.Reply(
                    403,
                    "text/plain;charset=UTF-8",
                    "pages of this origin may not write here; --allow-origin lets them"
                )
                #expect([made, reset] == [refusal, refusal])
            }
            #expect(try await talk.send(.get, "/items/1", headers: headers).status == 200)
        }
    }

    // MARK: - Addresses

    @Test(
        arguments: [
            (nil, false, [:], "http://localhost"),
            (nil, false, ["x-forwarded-proto": "https", "x-forwarded-host": "shop.example"], "http://localhost"),
            (nil, true, [:], "http://localhost"),
            (nil, true, ["x-forwarded-proto": "https"], "https://localhost"),
            (
                nil, true, ["x-forwarded-proto": "HTTPS, http", "x-forwarded-host": "Shop.example:8443, 10.0.0.1"],
                "https://shop.example:8443"
            ),
            (nil, true, ["x-forwarded-proto": "gopher", "x-forwarded-host": "a\"><script>"], "http://localhost"),
            ("https://shop.example/market", true, ["x-forwarded-host": "other.example"], "https://shop.example/market"),
        ] as [(String?, Bool, [String: String], String)]
    )
    func `addresses begin as the configuration or a trusted proxy says`(
        _ publicURL: String?,
        _ trustsProxy: Bool,
        _ forwarded: [String: String],
        _ base: String
    ) async throws {
        var configuration = fixture.configuration(.v2b, .v1b)
        configuration.publicURL = publicURL
        configuration.trustsProxy = trustsProxy
        try await fixture.serve(configuration) { talk async throws in
            let product = try await talk.product()
            let item = try await talk.item()
            var headers = HTTPFields()
            for (name, value) in forwarded { headers[try #require(HTTPField.Name(name))] = value }
            let listed = try await talk.send(.get, "/api/products", headers: headers).body
            #expect(listed.contains("\"thumbnail\":\"\(base)/training-resources/"))
            let detail = try await talk.send(.get, "/api/products/\(product)", headers: headers).body
            #expect(detail.contains("\"url\":\"\(base)/training-resources/"))
            let items = try await talk.send(.get, "/items/1", headers: headers).body
            #expect(items.contains("\"thumbnails\":[\"\(base)/thumbnails/"))
            let shown = try await talk.send(.get, "/item/\(item)", headers: headers).body
            #expect(shown.contains("\"images\":[\"\(base)/images/"))
        }
    }

    // MARK: - A start

    @Test func `a seed fills an empty shop with the same products for the same value`() async throws {
        func lists(_ seed: ShopSeed) async throws -> [String] {
            let fixture = try Fixture()
            var configuration = fixture.configuration(.v2b, .v1b)
            configuration.seed = seed
            return try await fixture.server(configuration).application.test(.router) { client in
                let talk = Talk(client: client)
                return [
                    masked(try await talk.get("/api/products?page_no=1&items_per_page=50").body),
                    masked(try await talk.get("/items/1").body),
                ]
            }
        }
        let first = try await lists(.drawn(products: 25, value: 7))
        #expect(try await lists(.drawn(products: 25, value: 7)) == first)
        #expect(try await lists(.drawn(products: 25, value: 8)) != first)
        #expect(first[0].contains("\"totalCount\":25,"))
        for mark in ["\"currency\":\"KRW\"", "\"currency\":\"USD\"", "\"stock\":0", "호\"", " no. "] {
            #expect(first[0].contains(mark), "\(mark)")
        }
    }

    @Test(arguments: [ServedProfile.v1a, .v1b, .v2a, .v2b])
    func `the example is in the shop with its names, prices and pictures`(profile: ServedProfile) async throws {
        let example = try FileManager.default.contentsOfDirectory(atPath: Self.example + "/images").map {
            [UInt8](try Data(contentsOf: URL(fileURLWithPath: Self.example + "/images/" + $0)))
        }
        var configuration = fixture.configuration(profile)
        configuration.seed = .koreanShop
        try await fixture.serve(configuration) { talk async throws in
            let isV2 = profile.generation == .v2
            let list = try await talk.get(isV2 ? "/api/products?page_no=1&items_per_page=20" : "/items/1").body
            for name in ["백자 달항아리", "청자 운학문 찻잔", "한지 조명등", "방짜 유기 수저 한 벌", "조각보 보자기", "하동 우전 녹차 80g"] {
                #expect(list.contains("\"\(name)\""), "\(name)")
            }
            // The lamp costs 89 000, 15 000 less on sale; the wrapping cloth 52 000, 5 000 less.
            let sales = isV2 ? ["15000.0", "5000.0"] : ["74000", "47000"]
            for sale in sales { #expect(list.contains("\"discounted_price\":\(sale)"), "\(sale): \(list)") }
            var shown: Set<[UInt8]> = []
            for id in 1...7 {
                let product = try await talk.get(isV2 ? "/api/products/\(id)" : "/item/\(id)").body
                let folder = isV2 ? "/training-resources/" : "/images/"
                for match in product.matches(of: /http:\/\/localhost(\/[^"]+)/) where match.1.hasPrefix(folder) {
                    let bytes = try await talk.client.execute(uri: String(match.1), method: .get) {
                        Array($0.body.readableBytesView)
                    }
                    shown.insert(bytes)
                }
            }
            #expect(shown == Set(example))
        }
    }

    private static let example =
        URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
        + "/examples/korean-shop"

    @Test func `a database with products is not filled, and keeps them`() async throws {
        try await fixture.serve(fixture.configuration(.v2b)) { talk async throws in
            try await talk.product()
        }
        var configuration = fixture.configuration(.v2b)
        configuration.seed = .drawn(products: 5)
        #expect(try await fixture.opening(configuration).foundProducts == 1)
        try await fixture.serve(configuration) { talk async throws in
            #expect(try await talk.get("/api/products").body.contains("\"totalCount\":1,"))
        }
    }

    @Test func `a new database is distinguished from an empty one`() async throws {
        #expect(try await fixture.opening(fixture.configuration(.v2b)).foundProducts == nil)
        #expect(try await fixture.opening(fixture.configuration(.v2b)).foundProducts == 0)
    }

    @Test func `of two servers that find a shop empty one fills it`() async throws {
        let configuration = fixture.configuration(.v2b)
        let shops = try (0..<2).map { _ in try Shop(configuration: configuration) { 0 } }
        var filled: [Bool] = []
        for shop in shops { filled.append(try await shop.fill(.drawn(products: 2), [.v2]) { _ in }) }
        #expect(filled == [true, false])
        #expect(try await shops[0].productCount() == 2)
    }

    @Test func `every drawing is a PNG that says what it is`() {
        for shape in SeedDrawing.Shape.allCases {
            for colour in SeedColour.all {
                for view in 0..<3 {
                    let bytes = SeedDrawing(shape: shape, colour: colour, view: view).png()
                    #expect(PictureFormat(head: bytes) == .png)
                    #expect(bytes.count < 20_000)
                    // Width, height, two bits a pixel, a palette.
                    #expect(Array(bytes[16..<29]) == [0, 0, 1, 0, 0, 0, 1, 0, 2, 3, 0, 0, 0])
                }
            }
        }
    }

    @Test func `a reset brings the start back, with the same ids`() async throws {
        var configuration = fixture.configuration(.v2b, .v1b)
        configuration.seed = .drawn(products: 3)
        configuration.allowsReset = true
        try await fixture.serve(configuration) { talk async throws in
            let start = masked(try await talk.get("/api/products").body + talk.get("/items/1").body)
            let id = try await talk.product()
            #expect(id == 7)
            #expect(try await talk.send(.post, "/_shop/reset") == .init(200, "application/json", #"{"products":6}"#))
            #expect(masked(try await talk.get("/api/products").body + talk.get("/items/1").body) == start)
            #expect(try await talk.product() == 7)
        }
    }

    @Test func `resets at once leave one start`() async throws {
        var configuration = fixture.configuration(.v2b, .v1b)
        configuration.seed = .drawn(products: 3)
        configuration.allowsReset = true
        try await fixture.serve(configuration) { talk async throws in
            try await withThrowingTaskGroup(of: Talk.Reply.self) { group in
                for _ in 0..<8 { group.addTask { try await talk.send(.post, "/_shop/reset") } }
                for try await reply in group {
                    #expect(reply == .init(200, "application/json", #"{"products":6}"#))
                }
            }
            #expect(try await talk.get("/api/products").body.contains("\"totalCount\":3,"))
            #expect(try await Self.files(in: fixture.folder.path + "/images") == Self.pictures(of: talk))
        }
    }

    @Test func `a seed that is interrupted leaves nothing, and the next one is whole`() async throws {
        var configuration = fixture.configuration(.v2b, .v1b)
        configuration.seed = .drawn(products: 20)
        let made = Mutex(0)
        let clock = fixture.clock
        let server = try await OpenMarketServer(
            configuration: configuration,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            onSeeding: { total in
                #expect(total == 40)
                // In the second catalog.
                guard
                    made.withLock({
                        $0 += 1; return $0 == 25
                    })
                else { return }
                withUnsafeCurrentTask { $0?.cancel() }
            },
            clock: { clock.now }
        )
        let seeding = Task { _ = try await server.open() }
        await #expect(throws: CancellationError.self) { try await seeding.value }
        #expect(made.withLock(\.self) == 25)
        #expect(try Self.files(in: fixture.folder.path + "/images") == [])
        try server.close()
        let again = try await fixture.server(configuration, opens: false)
        #expect(try await again.open().foundProducts == 0)
        try await again.application.test(.router) { client async throws in
            let talk = Talk(client: client)
            #expect(try await talk.get("/api/products").body.contains("\"totalCount\":20,"))
            #expect(try await Self.files(in: fixture.folder.path + "/images") == Self.pictures(of: talk))
        }
    }

    /// The names of the files in a folder and those below it.
    private static func files(in folder: String) throws -> Set<String> {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder)
        return Set(paths.filter { $0.contains("/") }.compactMap { $0.split(separator: "/").last.map(String.init) })
    }

    /// The names of the pictures that the products of both catalogs show.
    private static func pictures(of talk: Talk) async throws -> Set<String> {
        var names: Set<String> = []
        let list = try await talk.get("/api/products?items_per_page=100").body + talk.get("/items/1").body
        for id in list.matches(of: /"id":(\d+),/).compactMap({ Int64($0.1) }) {
            for path in ["/api/products/\(id)", "/item/\(id)"] {
                let shown = try await talk.get(path).body
                for match in shown.matches(of: /\/(?:images\/|\d{8}\/)([0-9A-Fa-f-]{32,36})(?:\.|_origin)/) {
                    names.insert(match.1.lowercased().filter { $0 != "-" })
                }
            }
        }
        return names
    }

    // MARK: - Pictures and files

    @Test(arguments: [ServedProfile.v1a, .v1b, .v2a, .v2b])
    func `a picture is under the addresses that products show, and no other`(profile: ServedProfile) async throws {
        try await fixture.serve(fixture.configuration(profile)) { talk async throws in
            let isV2 = profile.generation == .v2
            let shown =
                isV2
                ? try await talk.get("/api/products/\(talk.product())").body
                : try await talk.get("/item/\(talk.item())").body
            let paths = Set(
                shown.matches(of: /http:\/\/localhost(\/(?:images|thumbnails|training-resources)\/[^"]+)/).map {
                    String($0.1)
                }
            )
            #expect(paths.count == 2)
            for path in paths {
                #expect(try await talk.get(path).status == 200)
                let stem = path.prefix { $0 != "." }
                for other in [path + "x", String(stem), stem + ".", stem + "_big.png", path + "/", "/images" + path] {
                    #expect(try await talk.get(other).status == 404, "\(other)")
                }
            }
        }
    }

    @Test func `a file of another program is refused as it is`() async throws {
        let path = fixture.folder.path + "/shop.db"
        let database = try DatabaseQueue(path: path)
        try await database.write { try $0.execute(sql: "CREATE TABLE note (text)") }
        try database.close()
        let foreign = try Data(contentsOf: URL(fileURLWithPath: path))
        for bytes in [Data("Not a database but a text.\n".utf8), foreign] {
            try bytes.write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            await #expect(throws: ServerError.self) { try await fixture.server(fixture.configuration(.v2b)) }
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o644)
            #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path) == ["shop.db"])
        }
    }

    @Test func `a shop that was not started for it cannot be reset`() async throws {
        try await fixture.serve(fixture.configuration(.v2b, .v1b)) { talk async throws in
            try await talk.product()
            #expect(try await talk.send(.post, "/_shop/reset").status == 404)
            #expect(try await talk.get("/api/products").body.contains("\"totalCount\":1,"))
        }
    }

    // MARK: - The log

    @Test(arguments: [ServedProfile.v2a, .v2b])
    func `no log has what deletes a product, whatever is done with it`(profile: ServedProfile) async throws {
        let log = CollectedLog()
        let configuration = fixture.configuration(profile, faults: FaultPlan())
        let server = try await fixture.server(configuration, logger: log.logger)
        try await server.application.test(.router) { client in
            let talk = Talk(client: client)
            let id = try await talk.product()
            let step = profile == .v2a ? "secret" : "archived"
            let answer = try await talk.json(.post, "/api/products/\(id)/\(step)", #"{"secret":"example-secret"}"#)
            let key = try #require(answer.body.split(separator: "/").last.map(String.init))
            try #require(answer.status == 200 && key.count >= 36)
            log.clear()
            let escaped = "%" + String(try #require(key.utf8.first), radix: 16) + key.dropFirst()
            var count = 0
            for before in [
                "/api/products/", "/api/products/\(id)/", "/x/api/products/", "/products/", "/API/Products/",
                "/api/product%73/", "//api//products//", "/api%2Fproducts%2F", "/api/products/\(id)/archived/", "/",
                "/api/", "/api/products/images/", "/api/products.json/",
            ] {
                for key in [key, escaped] {
                    for method in [
                        HTTPRequest.Method.options, .get, .head, .put, .patch, .post, .trace,
                    ] + (before.hasPrefix("/api/products/") ? [] : [.delete]) {
                        _ = try await talk.json(method, before + key, "{}", vendor: nil)
                        count += 1
                    }
                }
            }
            let logged = try await talk.get("/_log").body
            #expect(log.lines.count == count + 1)
            for lines in [log.lines.joined(separator: "\n"), logged] {
                for part in [key.prefix(20), key.suffix(20), key.dropFirst(4).prefix(20)] {
                    #expect(!lines.contains(part))
                }
            }
        }
    }

    @Test func `the log has paths without a key as they came`() async throws {
        let log = CollectedLog()
        let server = try await fixture.server(fixture.configuration(.v2b, .v1b), logger: log.logger)
        let paths = [
            "/", "/api/products", "/api/products/", "/api/products/12", "/api/products/12/secret", "/item/3",
            "/nowhere",
            "/images/11111111-2222-4333-8444-555555555555.png",
            "/training-resources/29/20221115/11111111222243338444555555555555_origin.png",
        ]
        try await server.application.test(.router) { client in
            for path in paths { _ = try await Talk(client: client).get(path) }
        }
        let logged = log.lines.compactMap { $0.firstMatch(of: /info GET (\S+) \d+/).map { String($0.1) } }
        #expect(logged == paths)
    }

    @Test func `the log has the documented members of a query, and why a request was wrong`() async throws {
        let log = CollectedLog()
        let server = try await fixture.server(fixture.configuration(.v2b), logger: log.logger)
        try await server.application.test(.router) { client in
            let talk = Talk(client: client)
            _ = try await talk.get("/api/products?page_no=2&secret=s3cret&items_per_page=5&key=abc&search_value=a%1Bb")
            _ = try await talk.get("/api/products?page_no=x")
            _ = try await talk.json(.patch, "/api/products/1", "{}", vendor: nil)
        }
        #expect(
            log.lines == [
                "info GET /api/products 204 query=page_no=2&items_per_page=5&search_value=a%1Bb",
                "info GET /api/products 400 query=page_no=x reason='page_no' is not an integer",
                "info PATCH /api/products/1 400 reason=the identifier or secret is missing or wrong",
            ]
        )
    }
}
