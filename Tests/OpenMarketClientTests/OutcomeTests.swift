@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Synchronization
import Testing
@testable import OpenMarketClient

/// What each fault of a real connection is taken to mean.
///
/// Nothing that may have happened is called not sent.
struct OutcomeTests {
    let folder: PictureFolder
    let create: WriteRequest
    let update = WriteRequest(
        .update(MarketID(7), ProductUpdate(changed: [.stock], desired: ProductValues(stock: 1), live: ProductValues()))
    )

    init() throws {
        folder = try PictureFolder()
        create = WriteRequest(
            .create(ProductValues(name: "Lamp", price: 1), pictures: [try folder.picture("a.jpg", jpeg)])
        )
    }

    private func outcome(
        _ profile: MarketProfile,
        _ write: WriteRequest,
        _ answer: HTTPMarket.Answer,
        timeout: Duration = .seconds(20)
    ) async throws -> WriteOutcome {
        try await HTTPMarket.run { _ in
            answer
        } _: { market in
            let outcome = try await withMarketClient(configuration(market.url, profile, timeout: timeout)) {
                await $0.perform(write)
            }
            // A write is never sent twice.
            #expect(market.requests.count == 1)
            return outcome
        }
    }

    @Test func `a market that is down got nothing`() async throws {
        let closed = try RefusingPort()
        for write in [
            create, update, WriteRequest(.deleteKey(MarketID(1))), WriteRequest(.delete(MarketID(1), key: "k")),
        ] {
            let outcome = try await withMarketClient(configuration(closed.url, .v2b)) { await $0.perform(write) }
            #expect(outcome == .notSent(WriteTrouble("connection refused")))
        }
        let unknown = try await withMarketClient(configuration("http://no-such-host.invalid", .v2b)) {
            await $0.perform(create)
        }
        guard case .notSent = unknown else {
            Issue.record("\(unknown)")
            return
        }
    }

    @Test func `a market that cannot do TLS got nothing`() async throws {
        try await HTTPMarket.run { _ in
            .bytesThenClose(Array("HTTP/1.1 400 Bad\r\n\r\n".utf8))
        } _: { market in
            let url = market.url.replacing("http:", with: "https:")
            let outcome = try await withMarketClient(configuration(url, .v2b, timeout: .seconds(2))) {
                await $0.perform(create)
            }
            guard case .notSent = outcome else {
                Issue.record("\(outcome)")
                return
            }
        }
    }

    @Test func `a lost, cut or late reply leaves everything open`() async throws {
        let cut = HTTPMarket.Answer.bytesThenClose(
            Array("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"id\":7".utf8)
        )
        for write in [create, update] {
            for answer in [HTTPMarket.Answer.close, cut, .bytesThenClose(Array("rubbish\r\n\r\n".utf8))] {
                guard case .uncertain(let trouble) = try await outcome(.v2b, write, answer) else {
                    Issue.record("\(answer) is not uncertain")
                    return
                }
                #expect(!trouble.isOverload)
            }
            #expect(
                try await outcome(.v2b, write, .silence, timeout: .seconds(1))
                    == .uncertain(WriteTrouble("no answer in time"))
            )
        }
    }

    @Test func `5xx leaves everything open, also v1's 503 for a broken multipart body`() async throws {
        #expect(
            try await outcome(.v2b, create, .reply(500, #"{"message":"oops"}"#))
                == .uncertain(WriteTrouble("the market failed (HTTP 500): oops"))
        )
        #expect(
            try await outcome(.v1b, create, .reply(503, "<html><title>Application error</title>", type: "text/html"))
                == .uncertain(
                    WriteTrouble("the market failed (HTTP 503): a web page, “Application error”", isOverload: true)
                )
        )
        #expect(
            try await outcome(.v2b, update, .reply(503, "", headers: "Retry-After: 3\r\n"))
                == .uncertain(WriteTrouble("the market failed (HTTP 503)", isOverload: true, retryAfter: .seconds(3)))
        )
    }

    @Test func `429 did nothing and says for how long to wait`() async throws {
        #expect(
            try await outcome(.v2b, create, .reply(429, "slow down", headers: "Retry-After: 2\r\n"))
                == .notSent(
                    WriteTrouble(
                        "the market asked to wait (HTTP 429): slow down",
                        isOverload: true,
                        retryAfter: .seconds(2)
                    )
                )
        )
    }

    @Test func `4xx is a no, and its kind is reported`() async throws {
        func refusal(_ profile: MarketProfile, _ write: WriteRequest, _ status: Int, _ body: String) async throws
            -> WriteRefusal.Kind?
        {
            guard case .refused(let refusal) = try await outcome(profile, write, .reply(status, body)) else {
                return nil
            }
            #expect(refusal.status == status)
            return refusal.kind
        }
        let delete = WriteRequest(.delete(MarketID(1), key: "k"))
        // Words do not prove anything: a product may be called so.
        for words in ["MissingServletRequestPartException", "Wrong identifier", "The Secret Garden", ""] {
            #expect(try await refusal(.v2b, create, 400, words) == .denied)
            #expect(try await refusal(.v2b, update, 400, words) == .denied)
            #expect(try await refusal(.v1b, update, 400, words) == .other)
            #expect(try await refusal(.v2b, update, 403, words) == .denied)
            #expect(try await refusal(.v1b, update, 403, words) == .denied)
            #expect(try await refusal(.v2b, update, 401, words) == .credentials)
        }
        #expect(try await refusal(.v2b, delete, 400, "wrong secret") == .other)
        #expect(try await refusal(.v1b, update, 401, "") == .credentials)
        #expect(try await refusal(.v1b, update, 404, "") == .notFound)
        #expect(try await refusal(.v2b, update, 413, "") == .other)
    }

    @Test func `an odd answer to a create leaves it open, a redirect of another write does not`() async throws {
        let target = "Location: http://other.example/\r\n"
        #expect(
            try await outcome(.v2b, create, .reply(303, "", headers: target))
                == .uncertain(
                    WriteTrouble(
                        "the market redirects to http://other.example/: redirects are not followed (HTTP 303)"
                    )
                )
        )
        #expect(
            try await outcome(.v2b, update, .reply(301, "", headers: target))
                == .refused(
                    WriteRefusal(
                        .other,
                        status: 301,
                        message: "the market redirects to http://other.example/: redirects are not followed"
                    )
                )
        )
        let page = "<html><head><title>404 Not Found</title></head></html>"
        for (profile, status) in [(MarketProfile.v1b, 403), (.v1b, 404), (.v2b, 404), (.v2b, 413), (.v2b, 301)] {
            guard case .uncertain = try await outcome(profile, create, .reply(status, page, type: "text/html")) else {
                Issue.record("\(profile) \(status): a web page is taken for the market's answer to a create")
                continue
            }
        }
    }

    @Test(arguments: MarketProfile.builtIns)
    func `a 404 is believed only in the form of the API`(profile: MarketProfile) async throws {
        let key = WriteRequest(.deleteKey(MarketID(1)))
        let delete = WriteRequest(.delete(MarketID(1), key: profile.capabilities.deletesInTwoSteps ? "k" : nil))
        let bodies = [
            ("<html><title>404 Not Found</title>", "text/html", false), ("404 page not found\n", "text/plain", false),
            ("default backend - 404", "text/plain", false),
            (#"{"error":true,"reason":"Not Found"}"#, "text/html", false),
            (#"{"error":true,"reason":"Not Found"}"#, "application/json", true),
            (#"{"message":"no such item"}"#, "application/json", true), ("", "text/plain", true),
        ]
        for (body, type, isOwn) in bodies {
            for write in [update, delete] + (profile.capabilities.deletesInTwoSteps ? [key] : []) {
                let outcome = try await outcome(profile, write, .reply(404, body, type: type))
                switch outcome {
                case .refused(let refusal): #expect(isOwn && refusal.kind == .notFound, "\(body) \(write)")
                case .uncertain: #expect(!isOwn, "\(body) \(write)")
                default: Issue.record("\(outcome)")
                }
            }
            let market = InProcessMarket { _ in .reply(404, body, type: type) }
            try await withMarket(inProcess: market, profile, attempts: 2) { client in
                do {
                    let product = try await client.product(MarketID(1))
                    #expect(isOwn && product == nil, "\(body)")
                } catch let error as MarketError {
                    #expect(!isOwn && error.code == .unreadable && error.status == 404, "\(body)")
                }
            }
            #expect(market.requests.count == (isOwn ? 1 : 2))
        }
    }

    @Test func `a secret that the market quotes is masked`() async throws {
        #expect(
            try await outcome(.v2b, create, .reply(400, #"{"message":"secret example=&#$secret is wrong"}"#))
                == .refused(
                    WriteRefusal(
                        .denied,
                        status: 400,
                        message: "the market refused (HTTP 400): secret ••• is wrong"
                    )
                )
        )
    }

    @Test func `a success that cannot be read proves nothing`() async throws {
        for (write, body) in [
            (create, ""), (create, "<html><title>Welcome</title>"), (create, "{}"), (create, #"{"id":7"#),
            (update, "<html>"), (update, #"{"id":8}"#), (WriteRequest(.deleteKey(MarketID(1))), "<html>"),
        ] {
            guard case .uncertain = try await outcome(.v2b, write, .reply(200, body)) else {
                Issue.record("\(body) is taken for an answer")
                return
            }
        }
        #expect(try await outcome(.v2b, update, .reply(200, "")) == .succeeded(WriteReply()))
        #expect(
            try await outcome(.v2b, create, .reply(201, #"{"id":7}"#))
                == .succeeded(
                    WriteReply(
                        product: LiveProduct(id: MarketID(7), blank: ProductFieldSet(ProductField.allCases))
                    )
                )
        )
        #expect(
            try await outcome(.v2a, WriteRequest(.deleteKey(MarketID(1))), .reply(200, "abc-1", type: "text/plain"))
                == .succeeded(WriteReply(deleteKey: "abc-1"))
        )
        #expect(
            try await outcome(.v1a, WriteRequest(.delete(MarketID(1), key: nil)), .reply(200, #"{"id":1}"#))
                == .succeeded(WriteReply())
        )
    }

    @Test func `a reply larger than allowed leaves everything open`() async throws {
        let outcome = try await outcome(.v2b, create, .reply(200, String(repeating: "x", count: 2 << 20)))
        #expect(outcome == .uncertain(WriteTrouble("a reply of more than 1048576 bytes (HTTP 200)")))
    }
}

/// Reading: again where that may help, and never without end.
struct ReadingTests {
    private let row = #"{"id":7,"title":"Lamp","price":1,"currency":"KRW","stock":1}"#

    @Test func `a read is tried again after 503, a cut reply and garbage`() async throws {
        let row = row
        let answers: [HTTPMarket.Answer] = [
            .reply(503, "", headers: "Retry-After: 1\r\n"), .close,
            .bytesThenClose(Array("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"id\"".utf8)),
            .reply(200, #"{"id":7,"#), .reply(200, row),
        ]
        try await HTTPMarket.run {
            answers[min($0.index, 4)]
        } _: { market in
            let product = try await withMarketClient(configuration(market.url, .v1b, attempts: 5)) {
                try await $0.product(MarketID(7))
            }
            #expect(product?.name == "Lamp")
            #expect(market.requests.count == 5)
            let head = String(decoding: market.requests[4].bytes, as: UTF8.self)
            #expect(
                head == "GET /item/7 HTTP/1.1\r\nUser-Agent: openmarket/test\r\nAccept-Encoding: identity\r\n"
                    + "Cache-Control: no-cache\r\nhost: 127.0.0.1:\(market.port)\r\n\r\n"
            )
        }
    }

    @Test(arguments: [
        (
            HTTPMarket.Answer.reply(500, "no"),
            MarketError(.unreachable, "the market failed (HTTP 500): no", status: 500), 3
        ),
        (
            .reply(200, "{"),
            MarketError(
                .unreadable,
                "the market's answer cannot be read: the text ends; expected a name or '}' (byte 1): “{” "
                    + "(HTTP 200, application/json, MARKET/item/7)",
                status: 200
            ), 3
        ),
        (
            .reply(200, "<html><title>Hi</title></html>"),
            MarketError(
                .unreadable,
                "the market answered with a web page, “Hi”: is the URL right? "
                    + "(HTTP 200, application/json, MARKET/item/7)",
                status: 200
            ), 3
        ),
        (
            .reply(200, "[]"),
            MarketError(
                .unreadable,
                "the market's answer is not a product: it is not an object: “[]” "
                    + "(HTTP 200, application/json, MARKET/item/7)",
                status: 200
            ), 3
        ),
        (.reply(403, ""), MarketError(.credentials, "the market refused (HTTP 403)", status: 403), 1),
        (
            .reply(302, "", headers: "Location: http://other.example/\r\n"),
            MarketError(
                .refused,
                "the market redirects to http://other.example/: redirects are not followed",
                status: 302
            ), 1
        ),
        (
            .reply(200, String(repeating: " ", count: 2 << 20)),
            MarketError(.unreadable, "the market answers with a reply of more than 1048576 bytes"), 1
        ),
        (
            .close,
            MarketError(
                .unreachable,
                "the market at MARKET cannot be reached: the connection was closed before the answer was whole"
            ), 3
        ),
    ])
    func `what no trying helps ends with one clear error`(
        answer: HTTPMarket.Answer,
        expected: MarketError,
        requests: Int
    ) async throws {
        try await HTTPMarket.run { _ in
            answer
        } _: { market in
            var error = await #expect(throws: MarketError.self) {
                try await withMarketClient(configuration(market.url, .v1b)) { _ = try await $0.product(MarketID(7)) }
            }
            error?.message.replace(market.url, with: "MARKET")
            #expect(error == expected)
            #expect(market.requests.count == requests)
        }
    }

    @Test func `an unknown product is nil`() async throws {
        try await HTTPMarket.run { _ in
            .reply(404, #"{"error":true,"reason":"Not Found"}"#)
        } _: { market in
            let product = try await withMarketClient(configuration(market.url, .v1a)) {
                try await $0.product(MarketID(7))
            }
            #expect(product == nil)
        }
    }

    @Test func `a catalog is read by pages, and a bad row is reported`() async throws {
        try await HTTPMarket.run { request in
            switch request.path {
            case "/items/1": .reply(200, #"{"page":1,"items":[{"id":1,"price":null},{"title":"x"}]}"#)
            default: .reply(200, #"{"page":2,"items":[]}"#)
            }
        } _: { market in
            let catalog = try await withMarketClient(configuration(market.url + "/", .v1b)) { try await $0.catalog() }
            let row = LiveProduct(id: MarketID(1), sale: Sale.fullPrice, blank: [.name, .price, .currency, .stock])
            #expect(catalog.products == [MarketID(1): row])
            #expect(
                catalog.problems == [
                    RowProblem(id: MarketID(1), place: "product 1", message: "price is null"),
                    RowProblem(name: "x", place: "page 1, row 2", message: "id is missing"),
                ]
            )
        }
    }

    @Test func `the whole list is read, whatever the order of a day`() async throws {
        let rows = (1...300).map { #"{"id":\#($0),"created_at":"2022-11-15T00:00:00"}"# }
        let market = InProcessMarket { request in
            let page = request.path.contains("page_no=1&") ? 1 : request.path.contains("page_no=2&") ? 2 : 3
            let shown = rows[(page - 1) * 100..<page * 100].joined(separator: ",")
            return .reply(
                200,
                #"{"pageNo":\#(page),"totalCount":300,"itemsPerPage":100,"lastPage":3,"pages":[\#(shown)]}"#
            )
        }
        try await withMarket(inProcess: market, .v2b) { client in
            let catalog = try await client.catalog()
            #expect(catalog.products.keys.inOrder() == (1...300).map { MarketID($0) })
        }
    }

    @Test(arguments: MarketProfile.builtIns)
    func `the detail of another product is not taken for the one asked for`(profile: MarketProfile) async throws {
        let market = InProcessMarket { _ in .reply(200, #"{"id":9,"name":"Another","price":1}"#) }
        let error = await #expect(throws: MarketError.self) {
            try await withMarket(inProcess: market, profile) { _ = try await $0.product(MarketID(7)) }
        }
        #expect(error?.message.hasPrefix("asked for product 7, the market answers with product 9: “{") == true)
        #expect(market.requests.count == 3)
    }

    @Test(arguments: MarketProfile.builtIns)
    func `a product that vanishes before its detail is read is a catalog that moved`(profile: MarketProfile)
        async throws
    {
        let rows = #"{"id":1,"name":"a","title":"a","price":1},{"id":2,"name":"b","title":"b","price":1}"#
        let market = InProcessMarket { request in
            switch request.path {
            case "/items/1": .reply(200, #"{"page":1,"items":[\#(rows)]}"#)
            // Page 3 is asked for on the chance of being there, as page 2 is.
            case "/items/2", "/items/3": .reply(200, #"{"page":\#(request.path.suffix(1)),"items":[]}"#)
            case "/item/2", "/api/products/2": .reply(404, #"{"message":"gone"}"#)
            case "/item/1", "/api/products/1": .reply(200, #"{"id":1,"name":"a","title":"a","price":1}"#)
            default: .reply(200, #"{"pageNo":1,"totalCount":2,"itemsPerPage":100,"lastPage":1,"pages":[\#(rows)]}"#)
            }
        }
        try await withMarket(inProcess: market, profile) { client in
            var problems: [RowProblem] = []
            let summary = try await client.walk(details: true) { _ in
            } problem: {
                problems.append($0)
            }
            #expect(summary.catalogMoved == true)
            #expect(summary.isComplete)
            #expect(
                problems.filter { $0.message.contains("vanished") }
                    == [
                        RowProblem(
                            id: MarketID(2),
                            place: "product 2",
                            message: "it vanished before its detail was read"
                        )
                    ]
            )
        }
    }

    @Test(arguments: [
        "", "[]", "{\"pages\":[]}", "{\"items\":[]}", #"{"pageNo":1,"totalCount":0,"hasNext":true,"pages":[]}"#,
    ])
    func `an answer without products is not an empty catalog`(body: String) async throws {
        for profile in MarketProfile.builtIns {
            for status in body.isEmpty ? [200, 204] : [200] {
                let market = InProcessMarket { _ in .reply(status, body) }
                await #expect(throws: MarketError.self, "\(profile) \(body)") {
                    try await withMarket(inProcess: market, profile) { _ = try await $0.catalog() }
                }
            }
        }
    }

    @Test(arguments: [MarketProfile.v2a, .v2b], ["\"OK\"", "OK\n", "ok"])
    func `an empty catalog whose first page is past the end is one where the API answers`(
        profile: MarketProfile,
        health: String
    ) async throws {
        let market = InProcessMarket { request in
            request.path.hasSuffix("/healthChecker") ? .reply(200, health, type: "text/plain") : .reply(204)
        }
        let catalog = try await withMarket(inProcess: market, profile) { try await $0.catalog() }
        #expect(catalog.products.isEmpty && catalog.problems.isEmpty)
    }

    @Test(arguments: [
        (200, "<html>Welcome</html>", 204), (204, "", 204), (200, "", 204), (404, "", 204), (200, "OK", 200),
    ])
    func `a first page without a body proves nothing where the API does not answer`(
        healthStatus: Int,
        health: String,
        second: Int
    ) async throws {
        for profile in [MarketProfile.v2a, .v2b] {
            let pages = Mutex(0)
            let market = InProcessMarket { request in
                if request.path.hasSuffix("/healthChecker") { return .reply(healthStatus, health, type: "text/plain") }
                let page = pages.withLock { count in
                    count += 1
                    return count
                }
                return .reply(page == 1 ? 204 : second)
            }
            await #expect(throws: MarketError.self, "\(profile) \(healthStatus) \(health)") {
                try await withMarket(inProcess: market, profile) { _ = try await $0.catalog() }
            }
        }
    }

    @Test func `an empty catalog is one that says so`() async throws {
        for (profile, body) in [
            (MarketProfile.v1a, #"{"page":1,"items":[]}"#), (.v1b, #"{"page":1,"items":[]}"#),
            (.v2a, #"{"page_no":1,"total_count":0,"has_next":false,"pages":[]}"#),
            (.v2b, #"{"pageNo":1,"totalCount":0,"hasNext":false,"pages":[]}"#),
        ] {
            let market = InProcessMarket { _ in .reply(200, body) }
            let catalog = try await withMarket(inProcess: market, profile) { try await $0.catalog() }
            #expect(catalog.products.isEmpty && catalog.problems.isEmpty)
        }
    }

    @Test func `a picture is hashed, wherever it is, without credentials`() async throws {
        try await HTTPMarket.run {
            $0.path == "/pictures/1.jpg" ? .reply(200, "abc", type: "image/jpeg") : .reply(404, "")
        } _: { market in
            try await withMarketClient(configuration(market.url + "/base", .v2b)) { client in
                let digest = try await client.pictureDigest(at: "/pictures/1.jpg")
                #expect(digest.hexadecimal == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
                #expect(try await client.pictureDigest(at: market.url + "/pictures/1.jpg") == digest)
                await #expect(throws: MarketError.self) { try await client.pictureDigest(at: "file:///etc/passwd") }
                await #expect(throws: MarketError.self) { try await client.pictureDigest(at: "//other.example/x") }
                #expect(
                    market.requests.allSatisfy { !String(decoding: $0.bytes, as: UTF8.self).contains("identifier") }
                )
            }
        }
    }

    @Test func `as many connections are opened as there is parallelism`() async throws {
        let arrived = Counter()
        // No request is answered until all are there: with fewer connections this would end in a timeout.
        try await HTTPMarket.run { _ in
            _ = arrived.next()
            while arrived.value < 20 { usleepBriefly() }
            return .reply(200, #"{"id":7}"#)
        } _: { market in
            var settings = configuration(market.url, .v1b, attempts: 1)
            settings.parallelism = 20
            try await withMarketClient(settings) { client in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<20 { group.addTask { _ = try await client.product(MarketID(7)) } }
                    try await group.waitForAll()
                }
            }
        }
    }

    @Test(arguments: ["", "market.example", "ftp://x", "http://", "http://u:p@x", "http://x/?a=b", "http://x y"])
    func `a URL that is not a base of an API is refused`(url: String) async throws {
        await #expect(throws: MarketError.self) {
            try await withMarketClient(configuration(url, .v2b)) { _ in }
        }
    }

    @Test(arguments: [
        (#"{"pageNo":1,"totalCount":0,"pages":[]}"#, "/api/products", [MarketProfile.v2b]),
        (#"{"page_no":1,"total_count":0,"pages":[]}"#, "/api/products", [.v2a]),
        (#"{"page":1,"items":[]}"#, "/items", [.v1a, .v1b]),
    ])
    func `a market's profile is detected by its pages`(body: String, path: String, expected: [MarketProfile])
        async throws
    {
        try await HTTPMarket.run { request in
            request.path.hasPrefix(path)
                ? .reply(200, body) : request.path == "/healthChecker" ? .reply(200, #""OK""#) : .reply(404, "")
        } _: { market in
            let report = try await withMarketClient(configuration(market.url, .v2b)) { try await $0.probe() }
            #expect(report.profiles == expected)
            #expect(report.isHealthy == (path == "/items" ? nil : true))
            #expect(market.requests.allSatisfy { $0.method == "GET" })
        }
    }
}
