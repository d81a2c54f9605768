import Hummingbird
import OpenMarket

/// Endpoints that tests of apps use to start over; available only if the configuration allows it.
struct ControlRoutes {
    let shop: Shop
    let seed: ShopSeed?
    let generations: [Generation]

    func add(to router: Router<ServerRequestContext>) {
        router.post("_shop/reset", use: reset)
    }

    /// Resets the shop to its start: the products of the seed, or none.
    @Sendable
    private func reset(_ request: Request, context: ServerRequestContext) async throws -> Response {
        let count = try await shop.reset(to: seed, generations)
        return WireReply(.ok) { json in
            json.key("products")
            json.integer(count)
        }.response
    }
}
