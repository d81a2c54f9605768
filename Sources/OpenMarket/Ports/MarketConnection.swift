/// The way to reach a market: opens the connections of a client, lends it, and closes them.
///
/// Use cases open a market only after they hold its state, and know no HTTP.
package protocol MarketConnection: Sendable {
    associatedtype Client: Market

    var profile: MarketProfile { get }

    var parallelism: Int { get }

    /// The description that the user accepts; without it, a described market is sent only reads.
    var acceptedDescription: ContentDigest? { get set }

    /// Called with the body of each successful reply; if set, only reads are sent.
    var onReply: (@Sendable ([UInt8]) -> Void)? { get set }

    /// Called with the address of the market's web page, for each reply that contains it.
    var onShopPage: (@Sendable (String) -> Void)? { get set }

    /// Called with the total number of products, for each page that contains it.
    var onTotal: (@Sendable (Int) -> Void)? { get set }

    /// Keeps the replies of a read of the list, and has those of an interrupted one.
    var replyLog: (any ReplyLog)? { get set }

    /// Opens the connections, lends them, and closes them.
    ///
    /// It throws ``MarketError`` if the URL is invalid, and rethrows errors of `body`.
    func open<Result>(_ body: (Client) async throws -> Result) async throws -> Result
}
