/// How a market is reached: opens the connections of a client, lends it, and closes them.
///
/// Use cases open a market only once they hold its state, and know no HTTP.
package protocol MarketConnection: Sendable {
    /// What speaks with the market.
    associatedtype Client: Market

    /// What the market's description says of it.
    var profile: MarketProfile { get }

    /// How many requests are under way at once.
    var parallelism: Int { get }

    /// The description that whoever runs the program accepts; without it a described market is sent nothing but reads.
    var acceptedDescription: ContentDigest? { get set }

    /// Called with the body of each successful reply; nothing but reads is sent then.
    var onReply: (@Sendable ([UInt8]) -> Void)? { get set }

    /// Called with the address at which a person can look at the market, with each reply that says it.
    var onShopPage: (@Sendable (String) -> Void)? { get set }

    /// Called with how many products the list has, with each page that says it.
    var onTotal: (@Sendable (Int) -> Void)? { get set }

    /// Where the replies to a reading of the list are kept, and where those of an interrupted one are found.
    var replyLog: (any ReplyLog)? { get set }

    /// Opens the connections, lends them, and closes them.
    ///
    /// - Throws: ``MarketError`` when the URL cannot be used, and what `body` throws.
    func open<Result>(_ body: (Client) async throws -> Result) async throws -> Result
}
