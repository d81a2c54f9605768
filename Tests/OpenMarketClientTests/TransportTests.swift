import OpenMarket
import Testing

@testable import OpenMarketClient

/// The seam under the client: requests over something that is no network.
struct TransportTests {
    @Test func `a client runs over a transport in process, bodies in whole`() async throws {
        let folder = try PictureFolder()
        let picture = try folder.picture("a.jpg", jpeg)
        let market = InProcessMarket { request in
            if request.method == "GET" { return .reply(404, #"{"message":"no such product"}"#) }
            return .reply(201, #"{"id":7,"name":"Desk lamp","price":10.0}"#)
        }
        let wish = WriteRequest(.create(ProductValues(name: "Desk lamp", price: 10), pictures: [picture]))
        try await withMarket(inProcess: market, .v2b) { client in
            let missing = try await client.product(ProductID(7))
            #expect(missing == nil)
            guard case .succeeded(let reply) = await client.perform(wish) else {
                Issue.record("not created")
                return
            }
            #expect(reply.product?.id == ProductID(7))
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

    @Test func `a picture that changed reaches no transport`() async throws {
        let folder = try PictureFolder()
        var picture = try folder.picture("a.jpg", jpeg)
        picture.byteCount += 1
        let market = InProcessMarket { _ in .reply(201) }
        let wish = WriteRequest(.create(ProductValues(name: "Desk lamp", price: 10), pictures: [picture]))
        let outcome = try await withMarket(inProcess: market, .v2b) { await $0.perform(wish) }
        guard case .refused = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(market.requests.isEmpty)
    }
}
