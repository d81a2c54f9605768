@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketFiles
@testable import OpenMarketManifest
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import Testing

/// Where a manifest that is pulled finds the passwords of its market and its products.
final class PullSecretTests {
    private static let scope = MarketScope(url: "http://market", profile: .v1b, identifier: nil)

    private let folder: TemporaryDirectory
    private let near: String
    private let far: String

    init() throws {
        folder = try TemporaryDirectory()
        near = try #require(FileSystem.resolved(folder.write("shop/keys/near.txt", "near")))
        far = try #require(FileSystem.resolved(folder.write("far.txt", "far")))
    }

    /// Pulls products whose passwords the state knows.
    private func pull(
        _ secrets: [SecretReference],
        market: SecretReference
    ) async throws -> (PulledShop, text: String) {
        let state = MemoryState()
        let held = try await state.hold(Self.scope, for: "test", waiting: .zero)
        var products: [LiveProduct] = []
        for (index, secret) in secrets.enumerated() {
            let id = MarketID(Int64(index) + 1)
            products.append(LiveProduct(id: id, name: "Lamp \(id)", price: 1000, currency: .krw, stock: 5))
            var entry = StateEntry(key: "lamp-\(id)", id: id, applied: ProductValues(name: "Lamp \(id)"))
            entry.secret = secret
            try await held.apply([.put(entry)])
        }
        await held.close()
        var settings = MarketSettings(url: Self.scope.url, profile: .v1b)
        settings.secret = ResolvedSecret(reference: market, value: Secret("market"))
        let run = try PullRun(
            path: folder.path + "/shop/copy.yaml",
            from: MarketTarget(settings),
            MarketOnlyManifest(settings),
            adopts: true,
            managesProducts: false,
            options: ManifestOptions(environment: ["OWN": "own"])
        )
        let connection = LocalConnection(StandInMarket(profile: .v1b, list: products))
        let work = try MarketWork(connection, settings, in: state, beside: folder.path)
        let pulled = try await run.run(with: work)
        return (pulled, String(decoding: try folder.read("shop/copy.yaml"), as: UTF8.self))
    }

    @Test func `a file is named from the manifest's folder, and what cannot be named is said to be left out`()
        async throws
    {
        let lost = "/lost/openmarket.yaml"
        let (pulled, text) = try await pull(
            [.environment("OWN"), .file(near), .file(far), .manifest(lost, path: "products[b].secret")],
            market: .file(near)
        )
        let secrets = text.split(separator: "\n").filter { $0.contains("secret") }.map(String.init)
        #expect(
            secrets == [
                "  secret: !file keys/near.txt", "    secret: !env OWN", "    secret: !file keys/near.txt",
                "  # secret is not written: it is in \(far), outside of the manifest's folder",
                "  # secret is not written: it was written out in \(lost), and secrets are not copied",
            ]
        )
        #expect(
            pulled.omissions.map { [$0.key, "\($0.id)", $0.field, $0.reason] } == [
                ["lamp-3", "3", "secret", "it is in \(far), outside of the manifest's folder"],
                ["lamp-4", "4", "secret", "it was written out in \(lost), and secrets are not copied"],
            ]
        )
        #expect(pulled.document["not_managed"]?.elements?.compactMap { $0["field"]?.text } == ["secret", "secret"])
    }

    @Test func `the market's password is left out where the manifest could not name its file`() async throws {
        let (pulled, text) = try await pull([.environment("OWN")], market: .file(far))
        #expect(text.contains("# market.secret is not written: it is in \(far), outside of the manifest's folder\n"))
        #expect(!text.contains("!file") && pulled.omissions.isEmpty)
    }
}
