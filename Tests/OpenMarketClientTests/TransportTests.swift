@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Synchronization
import Testing
@testable import OpenMarketClient

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The seam under the client: requests over something that is not a network.
struct TransportTests {
    @Test func `a client runs over a transport in process, bodies in whole`() async throws {
        let folder = try PictureFolder()
        let picture = try folder.picture("a.jpg", jpeg)
        let market = InProcessMarket { request in
            if request.method == "GET" { return .reply(404, #"{"message":"no such product"}"#) }
            return .reply(201, #"{"id":7,"name":"Desk lamp","price":10.0}"#)
        }
        let write = WriteRequest(.create(ProductValues(name: "Desk lamp", price: 10), pictures: [picture]))
        try await withMarket(inProcess: market, .v2b) { client in
            let missing = try await client.product(MarketID(7))
            #expect(missing == nil)
            guard case .succeeded(let reply) = await client.perform(write) else {
                Issue.record("not created")
                return
            }
            #expect(reply.product?.id == MarketID(7))
        }
        let requests = market.requests
        #expect(requests.map(\.method) == ["GET", "POST"])
        #expect(requests.map(\.path) == ["/api/products/7", "/api/products"])
        let head = Array(
            (#"--openmarket-boundary"# + "\r\n"
                + #"Content-Disposition: form-data; name="params""# + "\r\nContent-Type: application/json\r\n\r\n")
                .utf8
        )
        #expect(Array(requests[1].body.prefix(head.count)) == head)
        #expect(requests[1].body.firstRange(of: jpeg) != nil)
    }

    /// The configured time counts, and not the attempts; but only where there is no answer.
    @Test func `a market that is down is waited for as long as configured`() async throws {
        func read(failures: Int, patience: Duration, with failed: TransportReply) async throws -> (Bool, Int, Int) {
            let market = InProcessMarket {
                $0.index < failures ? failed : .reply(404, #"{"message":"no such product"}"#)
            }
            var settings = configuration("http://market.test", .v2b, attempts: 3)
            settings.transport = market
            settings.patience = patience
            let waits = Mutex(0)
            settings.onWaiting = { _, _ in waits.withLock { $0 += 1 } }
            let succeeded = await withTaskGroup(of: Bool.self) { group in
                group.addTask { [settings] in
                    (try? await withMarketClient(settings) { _ = try await $0.product(MarketID(7)) }) != nil
                }
                return await group.next() ?? false
            }
            return (succeeded, market.requests.count, waits.withLock(\.self))
        }
        let down = TransportReply.reply(503)
        #expect(try await read(failures: 12, patience: .seconds(3600), with: down) == (true, 13, 1))
        #expect(try await read(failures: 2, patience: .seconds(3600), with: down) == (true, 3, 0))
        #expect(try await read(failures: 12, patience: .zero, with: down) == (false, 3, 0))
        #expect(try await read(failures: 12, patience: .nanoseconds(1), with: down) == (false, 3, 0))
        #expect(try await read(failures: 12, patience: .seconds(3600), with: .reply(200, "{")) == (false, 3, 0))
    }

    @Test func `a wait that the market asks for is said before it, where it is a long one`() async throws {
        func waits(_ asked: String) async throws -> [Duration] {
            let market = InProcessMarket {
                $0.index < 2
                    ? TransportReply(status: 503, headers: [("Retry-After", asked)], body: [])
                    : .reply(404, #"{"message":"no such product"}"#)
            }
            var settings = configuration("http://market.test", .v2b, attempts: 3)
            settings.transport = market
            settings.random = { 0 }
            let waits = Mutex<[Duration]>([])
            settings.onWaiting = { error, wait in
                #expect(error.message.contains("HTTP 503"))
                waits.withLock { $0.append(wait) }
            }
            _ = try await withMarketClient(settings) { try await $0.product(MarketID(7)) }
            return waits.withLock(\.self)
        }
        #expect(try await waits("30") == [.seconds(30), .seconds(30)])
        #expect(try await waits("86400") == [.seconds(300), .seconds(300)])
        #expect(try await waits("9") == [])
    }

    @Test func `the market's total is reported with the pages that say it`() async throws {
        let market = InProcessMarket { _ in
            .reply(
                200,
                #"{"totalCount":1,"pages":[{"id":5,"name":"Lamp"}],"lastPage":1,"itemsPerPage":100,"hasNext":false}"#
            )
        }
        var settings = configuration("http://market.test", .v2b)
        settings.transport = market
        let totals = Mutex<[Int]>([])
        settings.onTotal = { total in totals.withLock { $0.append(total) } }
        _ = try await withMarketClient(settings) { try await $0.catalog() }
        #expect(Set(totals.withLock(\.self)) == [1])
    }

    @Test(
        arguments: [
            (nil, nil), ("http://market.test/", "http://market.test"),
            ("http://market.test/shop/", "http://market.test/shop/"),
            ("http://market.test/shop", "http://market.test/shop"),
            ("HTTP://Market.test:80/", "http://market.test"), ("https://market.test/", nil),
            ("http://market.test:8080/", nil), ("http://market.test.evil.example/", nil),
            ("http://market.test@evil.example/", nil), ("http://market.test/\u{1B}[2J", nil), ("/", nil),
            ("javascript:alert(1)", nil),
        ] as [(String?, String?)]
    )
    func `the page for people is reported where it is the market's own`(named: String?, reported: String?) async throws
    {
        let market = InProcessMarket { request in
            TransportReply(
                status: request.method == "GET" ? 404 : 201,
                headers: [("Content-Type", "application/json")] + (named.map { [("Shop-Page", $0)] } ?? []),
                body: Array(#"{"id":7,"name":"Desk lamp"}"#.utf8)
            )
        }
        var settings = configuration("http://market.test/api-of-it", .v2b)
        settings.transport = market
        let pages = Mutex<[String]>([])
        settings.onShopPage = { page in pages.withLock { $0.append(page) } }
        _ = try await withMarketClient(settings) { client in
            _ = try await client.product(MarketID(7))
            return await client.perform(
                WriteRequest(.create(ProductValues(name: "Desk lamp", price: 10), pictures: []))
            )
        }
        #expect(pages.withLock(\.self) == (reported.map { [$0, $0] } ?? []))
    }

    @Test func `a picture that changed reaches no transport`() async throws {
        let folder = try PictureFolder()
        var picture = try folder.picture("a.jpg", jpeg)
        picture.byteCount += 1
        let market = InProcessMarket { _ in .reply(201) }
        let write = WriteRequest(.create(ProductValues(name: "Desk lamp", price: 10), pictures: [picture]))
        let outcome = try await withMarket(inProcess: market, .v2b) { await $0.perform(write) }
        guard case .refused = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(market.requests.isEmpty)
    }

    @Test func `pictures are the same bytes, read into memory or streamed`() throws {
        let folder = try PictureFolder()
        let large = jpeg + (0..<(MultipartBody.heldBytes + 7)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let pictures = [try folder.picture("a.jpg", jpeg), try folder.picture("large.jpg", large)]
        let text = RequestDescription.Part.field(WireField("title", .text("탁상등")))
        for chosen in [pictures, [pictures[0]], []] {
            let parts = [text] + chosen.map { RequestDescription.Part.picture(name: "images", $0) }
            let bytes = try [0, .max].map { limit in
                let body = try MultipartBody(parts, boundary: "boundary", holding: limit)
                let bytes = try TransportBody.multipart(body).bytes()
                #expect(body.byteCount == bytes.count)
                return bytes
            }
            #expect(bytes[0] == bytes[1])
        }
        let standard = try MultipartBody(
            [.picture(name: "images", pictures[1])],
            boundary: "boundary"
        )
        #expect(standard.segments.count == 3, "a large picture is not held in memory")
    }

    @Test func `a picture that changed or grew is found out, read into memory or streamed, and a pipe is not read`()
        throws
    {
        let folder = try PictureFolder()
        let picture = try folder.picture("a.jpg", jpeg)
        func expect(_ message: String) {
            for limit in [0, Int.max] {
                #expect(throws: MarketError(.input, message)) {
                    _ = try MultipartBody([.picture(name: "images", picture)], boundary: "boundary", holding: limit)
                }
            }
        }
        for content in [jpeg.reversed(), jpeg + [0], Array(jpeg.dropLast())] {
            try folder.folder.write("a.jpg", content)
            expect("images/a.jpg changed since it was checked")
        }
        #expect(unlink(picture.file) == 0 && mkfifo(picture.file, 0o600) == 0)
        expect("images/a.jpg is not a regular file")
    }

    @Test func `pages that are asked for ahead open no more connections than may be open at once`() async throws {
        try await HTTPMarket.run { request in
            let number = request.target.split(separator: "&").first.flatMap { Int($0.drop { !$0.isNumber }) } ?? 0
            let rows = ((40 - number) * 2..<(41 - number) * 2).reversed().map { #"{"id":\#($0 + 1)}"# }
            return .reply(
                200,
                #"{"pageNo":\#(number),"totalCount":80,"itemsPerPage":2,"lastPage":40,"pages":[\#(rows.joined(separator: ","))]}"#
            )
        } _: { market in
            var configuration = configuration(market.url, .v2b)
            configuration.parallelism = 3
            let products = try await withMarketClient(configuration) { client in
                var ids: [MarketID] = []
                _ = try await client.walk(details: false) {
                    ids.append($0.id)
                } problem: { _ in
                }
                return ids
            }
            #expect(products == (1...80).reversed().map { MarketID($0) })
            #expect((1...3).contains(market.connectionCount))
        }
    }
}
