import OpenMarket
import Synchronization

/// A market that is opened without a network, and remembers with which accepted descriptions.
///
/// Where its replies are observed, it shows those that are set, and the page that they name.
struct LocalConnection<Client: Market>: MarketConnection {
    final class Log: Sendable {
        let opened = Mutex<[ContentDigest?]>([])
    }

    let market: Client
    let log = Log()
    let parallelism = 3
    var acceptedDescription: ContentDigest?
    var onReply: (@Sendable ([UInt8]) -> Void)?
    var onShopPage: (@Sendable (String) -> Void)?
    var replies: [String] = []
    var shopPage: String?

    init(_ market: Client) { self.market = market }

    var profile: MarketProfile { market.profile }

    func open<Result>(_ body: (Client) async throws -> Result) async throws -> Result {
        log.opened.withLock { $0.append(acceptedDescription) }
        if let onShopPage, let shopPage { onShopPage(shopPage) }
        if let onReply { for reply in replies { onReply(Array(reply.utf8)) } }
        return try await body(market)
    }

    var opened: [ContentDigest?] { log.opened.withLock(\.self) }
}
