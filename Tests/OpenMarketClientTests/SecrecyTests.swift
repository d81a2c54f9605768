import Logging
@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Synchronization
import Testing
@testable import OpenMarketClient

/// Rule 8: what the market says is shown without secrets, and logs hold no delete keys.
struct SecrecyTests {
    static let awkward = #"q"uo\te/한"#

    private static func credentials() -> Credentials {
        Credentials(identifier: Secret("vendor-id-0815"), secret: Secret(awkward))
    }

    private func withMarket<Result>(
        _ profile: MarketProfile,
        _ answer: @escaping @Sendable (InProcessMarket.Request) throws(TransportFailure) -> TransportReply,
        _ body: (MarketClient) async throws -> Result
    ) async throws -> Result {
        var settings = configuration("http://market.test", profile, attempts: 1)
        settings.credentials = Self.credentials()
        settings.transport = InProcessMarket(answer)
        return try await withMarketClient(settings, body)
    }

    private static func quoted(_ text: String) -> String {
        String(decoding: JSONValue.string(text).bytes(), as: UTF8.self)
    }

    /// What a market may answer that quotes what it was sent.
    static let replies: [(status: Int, body: String)] = [
        (400, #"{"message":\#(quoted("secret \(awkward) of vendor-id-0815 is wrong"))}"#),
        (400, #"{"error":{"rejected":\#(quoted(awkward))}}"#),
        (400, #"{"cut":"off, \#(quoted(awkward))"#),
        (500, "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n\(awkward)\r\n--b--"),
        (403, "<html><title>\(awkward) is not allowed</title></html>"),
        (200, #"{"echo":\#(quoted(#"{"secret":\#(quoted(awkward))}"#))}"#),
        (400, String(repeating: " ", count: ErrorText.limit - 4) + awkward),
    ]

    @Test(arguments: MarketProfile.builtIns, replies.indices)
    func `no words of the market hold a secret`(profile: MarketProfile, reply: Int) async throws {
        let (status, body) = Self.replies[reply]
        let writes: [WriteRequest] = [
            WriteRequest(.create(ProductValues(name: "Lamp", price: 10), pictures: [])),
            WriteRequest(.proveOwnership(MarketID(7))),
        ]
        let said = try await withMarket(profile) { _ in
            .reply(status, body)
        } _: { client in
            var said: [String] = []
            for write in writes { said.append("\(await client.perform(write))") }
            do {
                _ = try await client.product(MarketID(7))
            } catch {
                said.append("\(error)")
            }
            return said.joined(separator: "\n")
        }
        for part in ["uo\\te", "te/한", "uo\\\\te", "vendor-id-0815", "q\"u", "q\\\"u"] {
            #expect(!said.contains(part), "\(said)")
        }
    }

    @Test func `a redirect shows no secret in its target`() async throws {
        let target = "http://elsewhere/?secret=" + String(repeating: "x", count: 174) + "q%22uo%5Cte%2F%ED%95%9C"
        let said = try await withMarket(.v2b) { _ in
            TransportReply(status: 302, headers: [("Location", target)])
        } _: { client in
            var said = "\(await client.perform(WriteRequest(.proveOwnership(MarketID(7)))))"
            do {
                _ = try await client.product(MarketID(7))
            } catch {
                said += "\(error)"
            }
            return said
        }
        #expect(said.contains("elsewhere") && !said.contains("q%22") && !said.contains("uo%5C"))
    }

    /// Both ways of spelling a key, and a market that quotes the path in its refusal.
    @Test(arguments: [
        (MarketProfile.v2a, "11111111-2222-11ec-abfa-333333333333"),
        (.v2b, "/api/products/MTkzfDExMTExMTExLTIyMjItMTFlZC1iZTEw=="),
    ])
    func `logs and messages hold no delete key`(profile: MarketProfile, key: String) async throws {
        let log = RecordedLog()
        let outcome = try await HTTPMarket.run { _ in
            .reply(404, "no route for DELETE /api/products/7/\(key)", type: "text/plain")
        } _: { market in
            try await withLogger(log.logger) { _ in
                try await withMarketClient(configuration(market.url, profile, attempts: 1)) { client in
                    await client.perform(WriteRequest(.delete(MarketID(7), key: key)))
                }
            }
        }
        let token = String(key.split(separator: "/").last ?? "")
        #expect(log.text.contains("/api/products/"))
        #expect(!log.text.contains(token))
        #expect(!"\(outcome)".contains(token))
    }
}

/// A logger that keeps what it is given.
private final class RecordedLog: Sendable {
    private let lines = Mutex<[String]>([])

    var text: String { lines.withLock { $0.joined(separator: "\n") } }

    var logger: Logger {
        var logger = Logger(label: "test") { [self] _ in Handler(log: self) }
        logger.logLevel = .trace
        return logger
    }

    private struct Handler: LogHandler {
        let log: RecordedLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let line = "\(event.message) \(event.metadata ?? [:])"
            log.lines.withLock { $0.append(line) }
        }
    }
}
