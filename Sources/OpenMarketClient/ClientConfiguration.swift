package import OpenMarket
import OpenMarketDescription

/// Which market a client talks to, and how patiently.
package struct ClientConfiguration: Sendable {
    /// The base URL, `http` or `https`; a slash at its end makes no difference.
    var url: String
    /// The profile.
    package var profile: MarketProfile
    /// What the client proves itself with.
    package var credentials: Credentials
    /// How many connections may be open at once, and so how many requests run at once.
    package var parallelism: Int
    /// How long connecting may take.
    var connectTimeout: Duration
    /// How long a connection may stay silent while a reply is due.
    var idleTimeout: Duration
    /// How long one request may take, its reply included.
    var requestTimeout: Duration
    /// The largest page of the list, in bytes.
    var pageByteLimit: Int
    /// The largest reply of another kind, in bytes.
    var replyByteLimit: Int
    /// The largest picture that is fetched, in bytes.
    var pictureByteLimit: Int
    /// The hosts beside the market's own that pictures may be fetched from: `cdn.example.org`, `127.0.0.1:9000`.
    var pictureHosts: [String]
    /// How often a read is tried, the first time included.
    var readAttempts: Int
    /// How long a read waits before it is tried again.
    var delays = RetryDelays(base: .milliseconds(250), cap: .seconds(8))
    /// How long a read waits in all for a market that does not answer, however many attempts that takes.
    package var patience: Duration = .zero
    /// Called with the reason and the wait before a read waits for ten seconds or longer, as the market asked, and once it
    /// goes on although all its attempts were in vain.
    package var onWaiting: (@Sendable (MarketError, Duration) -> Void)?
    /// Called with how many products the list has, with each page that says it.
    package var onTotal: (@Sendable (Int) -> Void)?
    /// Called with the address at which a person can look at the market, where a reply says it: one of the market's own origin.
    package var onShopPage: (@Sendable (String) -> Void)?
    /// What the jitter of back-off comes from: numbers in 0..<1.
    var random: @Sendable () -> Double = { Double.random(in: 0..<1) }
    /// What back-off waits by.
    var clock: any Clock<Duration>
    /// Called with the body of each successful reply; nothing but reads is sent then.
    package var onReply: (@Sendable ([UInt8]) -> Void)?
    /// Where the replies to a reading of the list are kept, and where those of an interrupted one are found.
    package var replyLog: (any ReplyLog)?
    /// What the client calls itself: `openmarket/1.0`.
    var userAgent: String
    /// Where multipart boundaries come from; each is checked against the content before it is used.
    var boundaries: BoundarySource
    /// Whether new products are hidden from buyers, as the market's description says.
    package var hidesNewProducts = false
    /// Whether credentials may be sent, and described markets be read, over `http` to another machine.
    ///
    /// The built-in markets write over what their URL says, as they always did.
    package var allowsInsecureHTTP = false
    /// The SHA-256 of the description that whoever runs the program accepts.
    ///
    /// To a market that another file describes, or this one after a change, nothing is sent but reads. The built-in markets need none.
    package var acceptedDescription: ContentDigest?
    /// Whether there is a market, and not only hosts with pictures.
    private(set) var hasMarket = true
    /// What requests go over instead of the network: a market in process.
    ///
    /// With ``clock`` replaced too, nothing waits.
    var transport: (any Transport)?

    /// A configuration.
    package init(
        url: String,
        profile: MarketProfile,
        credentials: Credentials = Credentials(),
        parallelism: Int = Parallelism.standard,
        connectTimeout: Duration = .seconds(10),
        idleTimeout: Duration = .seconds(30),
        requestTimeout: Duration = .seconds(60),
        pageByteLimit: Int = 16 << 20,
        replyByteLimit: Int = 1 << 20,
        pictureByteLimit: Int = 32 << 20,
        pictureHosts: [String] = [],
        readAttempts: Int = 5,
        clock: any Clock<Duration> = ContinuousClock(),
        userAgent: String = "openmarket"
    ) {
        self.url = url
        self.profile = profile
        self.credentials = credentials
        self.parallelism = max(1, parallelism)
        self.connectTimeout = connectTimeout
        self.idleTimeout = idleTimeout
        self.requestTimeout = requestTimeout
        self.pageByteLimit = pageByteLimit
        self.replyByteLimit = replyByteLimit
        self.pictureByteLimit = pictureByteLimit
        self.pictureHosts = pictureHosts
        self.readAttempts = max(1, readAttempts)
        self.clock = clock
        self.userAgent = userAgent
        self.boundaries = .random
    }

    /// A client that fetches pictures from hosts that are not a market's, and nothing else.
    ///
    /// - Parameters:
    ///   - hosts: the only hosts that are asked.
    ///   - byteLimit: the largest picture, in bytes.
    ///   - userAgent: what the client calls itself.
    /// - Returns: its configuration.
    package static func pictures(
        from hosts: [String],
        byteLimit: Int,
        userAgent: String
    ) -> ClientConfiguration {
        // There is no market: this name never leads anywhere (RFC 6761).
        var configuration = ClientConfiguration(
            url: "http://market.invalid",
            profile: .v1b,
            pictureByteLimit: byteLimit,
            pictureHosts: hosts,
            readAttempts: 3,
            userAgent: userAgent
        )
        configuration.hasMarket = false
        return configuration
    }

    /// A client that reads a recorded conversation in place of a network.
    ///
    /// - Parameters:
    ///   - conversation: the requests and their replies.
    ///   - profile: what the recorded market speaks.
    package init(replaying conversation: RecordedConversation, as profile: MarketProfile) {
        self.init(
            url: conversation.origin,
            profile: profile,
            // What is asked of a recording goes nowhere.
            credentials: Credentials(identifier: Secret("recorded"), secret: Secret("recorded")),
            parallelism: 1,
            readAttempts: 1
        )
        allowsInsecureHTTP = true
        transport = RecordedTransport(conversation)
    }

    /// Why nothing is sent but reads; `nil` where anything may be.
    var obstacleToWriting: String? {
        if onReply != nil { return "the market is only looked at" }
        guard !profile.isBuiltIn, acceptedDescription != profile.digest else { return nil }
        return "the description of \(profile.name), sha256:\(profile.digest), was not accepted"
    }

    /// The base URL without its last slash, checked.
    ///
    /// - Throws: ``MarketError`` when it is not the base of an API.
    func checkedBase() throws(MarketError) -> String {
        do throws(MarketURL.Fault) {
            return try MarketURL(url).description
        } catch {
            throw MarketError(.refused, "the market's URL \(error.message)")
        }
    }
}
