@testable import OpenMarket
@testable import OpenMarketDescription
import Synchronization
@testable import OpenMarketClient

/// A market in process: answers requests by a closure, in the order in which they come.
final class InProcessMarket: Transport {
    /// A request as it came.
    struct Request: Sendable, Equatable {
        var method: String
        var path: String
        /// `name: value`, in the order in which they were sent.
        var headers: [String] = []
        var contentType: String?
        var body: [UInt8] = []
        /// How many requests came before it.
        var index = 0
    }

    private let answer: @Sendable (Request) throws(TransportFailure) -> TransportReply
    private let log = Mutex<[Request]>([])

    var requests: [Request] { log.withLock { $0 } }

    init(_ answer: @escaping @Sendable (Request) throws(TransportFailure) -> TransportReply) {
        self.answer = answer
    }

    func send(_ request: TransportRequest, limit: Int) async throws(TransportFailure) -> TransportReply {
        var received = Request(
            method: request.method,
            path: String(request.url.dropFirst("http://market.test".count)),
            headers: request.headers.map { "\($0.name): \($0.value)" },
            contentType: request.body.contentType,
            body: try request.body.bytes()
        )
        log.withLock { log in
            received.index = log.count
            log.append(received)
        }
        return try answer(received)
    }
}

extension TransportReply {
    /// A reply with a text.
    static func reply(_ status: Int, _ body: String = "", type: String = "application/json") -> TransportReply {
        TransportReply(status: status, headers: [("Content-Type", type)], body: Array(body.utf8))
    }
}

/// Runs a test against a market in process.
func withMarket<Result>(
    inProcess market: InProcessMarket,
    _ profile: MarketProfile,
    attempts: Int = 3,
    _ body: (MarketClient) async throws -> Result
) async throws -> Result {
    var settings = configuration("http://market.test", profile, attempts: attempts)
    settings.transport = market
    settings.allowsInsecureHTTP = true
    return try await withMarketClient(settings, body)
}
