@testable import OpenMarket
@testable import OpenMarketClient
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing

/// The model by itself: that what the histories judge by is what the documents say.
struct ModelMarketTests {
    @Test func `a page of v2a has the members that were seen, numbers as Java spells them`() {
        var market = ModelMarket(.v2a, firstID: 193)
        _ = market.insert(.lamp)
        let reply = market.get("/api/products?page_no=1&items_per_page=10")
        let text = String(decoding: reply.body, as: UTF8.self)
        #expect(
            text == #"""
                {"page_no":1,"items_per_page":10,"total_count":1,"offset":0,"limit":10,"last_page":1,"has_next":false,"has_prev":false,"pages":[{"id":193,"vendor_id":29,"name":"Desk lamp","thumbnail":"http://market.test/media/training-resources/29/thumb/00000000000011ed00001001.png","currency":"KRW","price":6.0E7,"bargain_price":4.2E7,"discounted_price":1.8E7,"stock":3,"created_at":"2022-11-15T00:00:00.00","issued_at":"2022-11-15T00:00:00.00"}]}
                """#
        )
        #expect(market.get("/api/products?page_no=2&items_per_page=10").status == 204)
    }

    @Test func `an item of v1 has the members that were seen`() {
        var market = ModelMarket(.v1b, firstID: 43)
        _ = market.insert(.lamp)
        let reply = market.get("/item/43")
        let text = String(decoding: reply.body, as: UTF8.self)
        #expect(
            text == #"""
                {"id":43,"title":"Desk lamp","descriptions":"Warm light, two arms.","price":60000000,"currency":"KRW","stock":3,"discounted_price":18000000,"thumbnails":["http://market.test/media/thumbnails/00000000000011ed00001001.png"],"images":["http://market.test/media/images/00000000000011ed00001001.png"],"registration_date":1668470400.043}
                """#
        )
        #expect(String(decoding: market.get("/items/2").body, as: UTF8.self) == #"{"page":2,"items":[]}"#)
        #expect(market.get("/item/44").status == 404)
    }

    @Test(arguments: MarketProfile.builtIns)
    func `the client reads the model's list, and the model refuses a stranger`(profile: MarketProfile) async throws {
        var market = ModelMarket(profile)
        for _ in 0..<45 { _ = market.insert(.lamp) }
        let scheduler = SimulatedScheduler(seed: 1)
        let network = ModelNetwork(market: market, seed: 1, scheduler: scheduler)
        let catalog = try scheduler.run {
            var configuration = ClientConfiguration(
                url: ModelMarket.base,
                profile: profile,
                credentials: Credentials(identifier: Secret("stranger"), secret: Secret("nothing"))
            )
            configuration.clock = SimulatedClock(scheduler: scheduler)
            configuration.transport = network
            return try await withMarketClient(configuration) { client in
                let catalog = try await client.catalog()
                var update = ProductUpdate(changed: [.price], desired: ProductValues(price: 5), live: ProductValues())
                update.live.sale = Sale.fullPrice
                let outcome = await client.perform(WriteRequest(.update(MarketID(7), update)))
                guard case .refused = outcome else { throw Unexpected(outcome: "\(outcome)") }
                return catalog
            }
        }
        #expect(catalog.products.count == 45)
        #expect(catalog.problems.isEmpty)
        #expect(network.market.products.values.allSatisfy { $0.price == 6e7 })
    }

    private struct Unexpected: Error {
        var outcome: String
    }
}

extension ModelMarket {
    fileprivate mutating func get(_ path: String) -> ModelReply {
        var dice = SeededGenerator(seed: 1)
        return answer(ModelRequest(method: "GET", path: path), at: .zero, day: 19_311, dice: &dice)
    }
}

extension ModelProduct {
    fileprivate static let lamp = ModelProduct(
        id: 0,
        vendor: 29,
        password: "theirs",
        name: "Desk lamp",
        description: "Warm light, two arms.",
        price: 6e7,
        currency: "KRW",
        discounted: 1.8e7,
        stock: 3,
        pictures: [Picture(id: 0, stem: "", fileExtension: "png", bytes: SmallPicture.png(1))],
        createdDay: 19_311,
        editedDay: 19_311,
        maker: .others
    )
}
