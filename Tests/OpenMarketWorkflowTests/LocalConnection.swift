import OpenMarket
import Synchronization

/// A market that is opened without a network, and remembers with which accepted descriptions.
struct LocalConnection<Client: Market>: MarketConnection {
    final class Log: Sendable {
        let opened = Mutex<[ContentDigest?]>([])
    }

    let market: Client
    let log = Log()
    let parallelism = 3
    var acceptedDescription: ContentDigest?

    init(_ market: Client) { self.market = market }

    func open<Result>(_ body: (Client) async throws -> Result) async throws -> Result {
        log.opened.withLock { $0.append(acceptedDescription) }
        return try await body(market)
    }

    var opened: [ContentDigest?] { log.opened.withLock(\.self) }
}
