@testable import OpenMarket
@testable import OpenMarketTestSupport
import Synchronization
@testable import OpenMarketWorkflow

/// A market that is opened without a network, and remembers with which accepted descriptions.
///
/// Where its replies are observed, it shows those that are set, and the page that they name. What it does with kept replies
/// is set, too.
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
    var onTotal: (@Sendable (Int) -> Void)?
    var replyLog: (any ReplyLog)?
    var replies: [String] = []
    var shopPage: String?
    /// How many products its pages say there are.
    var total: Int?
    /// Done when it is opened, with the replies that are kept.
    var onOpen: @Sendable ((any ReplyLog)?) throws -> Void = { _ in }

    init(_ market: Client) { self.market = market }

    var profile: MarketProfile { market.profile }

    func open<Result>(_ body: (Client) async throws -> Result) async throws -> Result {
        log.opened.withLock { $0.append(acceptedDescription) }
        if let onShopPage, let shopPage { onShopPage(shopPage) }
        if let onReply { for reply in replies { onReply(Array(reply.utf8)) } }
        if let total { onTotal?(total) }
        try onOpen(replyLog)
        return try await body(market)
    }

    var opened: [ContentDigest?] { log.opened.withLock(\.self) }
}

extension MarketWork {
    /// The work on a market that is not asked for credentials, in a state that is beside a folder.
    init<Client: Market>(
        _ connection: LocalConnection<Client>,
        _ settings: MarketSettings,
        in state: MemoryState = MemoryState(),
        beside folder: String = "/shop/.openmarket",
        onEvent: @escaping @Sendable (SessionEvent) -> Void = { _ in }
    ) throws where Connection == LocalConnection<Client> {
        self.init(
            target: try MarketTarget(settings),
            client: connection,
            state: OpenedState(state, beside: folder),
            tool: "test",
            onEvent: onEvent
        )
    }
}
