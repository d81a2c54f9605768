import Logging
@testable import OpenMarket
@testable import OpenMarketClient
@testable import OpenMarketDescription
@testable import OpenMarketServer
@testable import OpenMarketTestSupport
import Testing

/// The reference server on a free port, with its database and pictures in a folder that goes away.
struct MarketUnderTest: Sendable {
    let url: String
    let profile: MarketProfile

    static let vendor = Vendor(
        id: 29,
        name: "example",
        identifier: "00000000-0000-11ed-0000-000000000000",
        secret: Secret("contract-secret=&#$")
    )
    static let credentials = Credentials(identifier: Secret(vendor.identifier), secret: vendor.secret)

    /// Serves a profile while `body` runs.
    static func run<Result: Sendable>(
        _ profile: MarketProfile,
        isStrict: Bool = false,
        _ body: @escaping @Sendable (MarketUnderTest) async throws -> Result
    ) async throws -> Result {
        let folder = try TemporaryDirectory()
        let served = try #require(ServedProfile(rawValue: profile.name))
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        var configuration = ServerConfiguration(profiles: [served], databasePath: folder.path + "/market.db")
        configuration.port = 0
        configuration.vendors = [vendor]
        configuration.isStrict = isStrict
        let server = try await OpenMarketServer(
            configuration: configuration,
            logger: Logger(label: "contract") { _ in SwiftLogNoOpLogHandler() },
            onReady: { port.yield($0) }
        )
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask {
                try await server.run()
                return nil
            }
            group.addTask {
                for await port in ports {
                    return try await body(MarketUnderTest(url: "http://127.0.0.1:\(port)", profile: profile))
                }
                return nil
            }
            var result: Result?
            while result == nil, let next = try await group.next() { result = next }
            group.cancelAll()
            guard let result else { throw MarketError(.unreachable, "the server stopped before its test") }
            return result
        }
    }

    /// A client of this market.
    func client<Result>(
        as profile: MarketProfile? = nil,
        credentials: Credentials = credentials,
        _ body: (MarketClient) async throws -> Result
    ) async throws -> Result {
        try await withMarketClient(
            ClientConfiguration(url: url, profile: profile ?? self.profile, credentials: credentials),
            body
        )
    }
}
