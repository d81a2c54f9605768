package import OpenMarket
import OpenMarketDescription

package struct ClientConfiguration: Sendable {
    /// The base URL, `http` or `https`; a trailing slash does not matter.
    var url: String
    package var profile: MarketProfile
    package var credentials: Credentials
    /// The maximum number of open connections, and so of concurrent requests.
    package var parallelism = Parallelism.standard
    /// The number of rows per page that the list is requested with, if it can be chosen; `nil` for the description's.
    var pageSize: Int?
    package var connectTimeout: Duration = .seconds(10)
    /// The maximum silence of a connection while a reply is due.
    package var idleTimeout: Duration = .seconds(30)
    /// The maximum duration of one request, including its reply.
    package var requestTimeout: Duration = .seconds(60)
    /// The maximum size of a page of the list, in bytes.
    var pageByteLimit = 16 << 20
    /// The maximum size of any other reply, in bytes.
    var replyByteLimit = 1 << 20
    /// The maximum size of a fetched picture, in bytes.
    var pictureByteLimit = 32 << 20
    var largestReply: Int { max(pageByteLimit, replyByteLimit, pictureByteLimit) }
    /// The hosts that pictures may be fetched from besides the market's own: `cdn.example.org`, `127.0.0.1:9000`.
    package var pictureHosts: [String] = []
    /// How often a read is tried, including the first time.
    var readAttempts = 5
    /// The waits before a read is tried again.
    var delays = RetryDelays(base: .milliseconds(250), cap: .seconds(8))
    /// The total time that a read waits for a market that does not answer, regardless of the number of attempts.
    package var patience: Duration = .zero
    /// Called with the reason and the wait before a read waits for ten seconds or longer at the market's request.
    ///
    /// Also called when a read continues although all its attempts failed.
    package var onWaiting: (@Sendable (MarketError, Duration) -> Void)?
    /// Called with the number of products in the list, for each page that states it.
    package var onTotal: (@Sendable (Int) -> Void)?
    /// Called with the address of the market's page for people if a reply names one of the market's own origin.
    package var onShopPage: (@Sendable (String) -> Void)?
    /// The source of the jitter in back-off: numbers in 0..<1.
    var random: @Sendable () -> Double = { Double.random(in: 0..<1) }
    var clock: any Clock<Duration> = ContinuousClock()
    /// Called with the body of each successful reply; if set, only reads are sent.
    package var onReply: (@Sendable ([UInt8]) -> Void)?
    /// Stores the replies of the list, and supplies those of an interrupted run.
    package var replyLog: (any ReplyLog)?
    /// The `User-Agent` header: `openmarket/1.0`.
    package var userAgent = "openmarket"
    /// The boundary of multipart bodies; `nil` for random ones.
    var boundary: String?
    /// Whether new products are hidden from buyers, according to the market's description.
    package var hidesNewProducts = false
    /// Whether plain `http` to another machine may carry credentials and serve described markets.
    ///
    /// The built-in markets write regardless of their URL's scheme.
    package var allowsInsecureHTTP = false
    /// The SHA-256 of the description that the user accepts.
    ///
    /// A market with another description file, or with this one after a change, is only read. The built-in markets need
    /// no acceptance.
    package var acceptedDescription: ContentDigest?
    /// Whether there is a market; false if there are only picture hosts.
    private(set) var hasMarket = true
    /// Replaces the network with an in-process market.
    ///
    /// If ``clock`` is also replaced, there are no waits.
    var transport: (any Transport)?

    package init(url: String, profile: MarketProfile, credentials: Credentials = Credentials()) {
        self.url = url
        self.profile = profile
        self.credentials = credentials
    }

    /// The configuration of a client that only fetches pictures, and only from these hosts.
    ///
    /// `byteLimit` is the maximum size of a picture in bytes.
    package static func pictures(
        from hosts: [String],
        byteLimit: Int,
        userAgent: String
    ) -> ClientConfiguration {
        // There is no market: this name never resolves (RFC 6761).
        var configuration = ClientConfiguration(url: "http://market.invalid", profile: .v1b)
        configuration.hasMarket = false
        configuration.pictureByteLimit = byteLimit
        configuration.pictureHosts = hosts
        configuration.readAttempts = 3
        configuration.userAgent = userAgent
        return configuration
    }

    /// A client that reads a recorded conversation instead of a network.
    package init(replaying conversation: RecordedConversation, as profile: MarketProfile) {
        self.init(
            url: conversation.origin,
            profile: profile,
            // Requests to a recording are not sent.
            credentials: Credentials(identifier: Secret("recorded"), secret: Secret("recorded"))
        )
        parallelism = 1
        readAttempts = 1
        allowsInsecureHTTP = true
        transport = RecordedTransport(conversation)
    }

    /// Why only reads are sent; `nil` if writes are allowed.
    var obstacleToWriting: String? {
        if onReply != nil { return "the market is only looked at" }
        guard let digest = profile.digestToAccept, acceptedDescription != digest else { return nil }
        return "the description of \(profile.name), sha256:\(digest), was not accepted"
    }

    /// The base URL without its trailing slash.
    ///
    /// Throws ``MarketError`` if it is not the base of an API.
    func checkedBase() throws(MarketError) -> String {
        do throws(MarketURL.Fault) {
            return try MarketURL(url).description
        } catch {
            throw MarketError(.refused, "the market's URL \(error.message)")
        }
    }
}
