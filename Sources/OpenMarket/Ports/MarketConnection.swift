/// Opens connections to a market, passes a client to a body, and closes them.
///
/// Use cases open a market only after they hold its lease, and contain no HTTP.
package protocol MarketConnection: Sendable {
    associatedtype Client: Market

    var profile: MarketProfile { get }

    var parallelism: Int { get }

    /// The description that the user accepted; without it, a described market gets only reads.
    var acceptedDescription: ContentDigest? { get set }

    /// Called with the body of each successful reply; if set, only reads are sent.
    var onReply: (@Sendable ([UInt8]) -> Void)? { get set }

    /// Called with the URL of the market's web page, for each reply that contains it.
    var onShopPage: (@Sendable (String) -> Void)? { get set }

    /// Called with the total number of products, for each page that contains it.
    var onTotal: (@Sendable (Int) -> Void)? { get set }

    /// Keeps the replies of a read of the list, and provides those of an interrupted one.
    var replyLog: (any ReplyLog)? { get set }

    /// Throws ``MarketError`` if the URL is invalid, and rethrows errors of `body`.
    func open<Result>(_ body: (Client) async throws -> Result) async throws -> Result
}
