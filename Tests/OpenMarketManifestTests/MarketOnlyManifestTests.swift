@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketManifest
@testable import OpenMarketTestSupport
import Testing

/// The market of a manifest, whatever is wrong with its products.
struct MarketOnlyManifestTests {
    private func read(_ text: String) throws -> MarketOnlyManifest {
        let folder = try TemporaryDirectory()
        let file = try folder.write("shop.yaml", text)
        return try MarketOnlyManifest(files: [file], options: ManifestOptions())
    }

    @Test func `faults of products are not faults of the market`() throws {
        let manifest = try read(
            "market: {url: \"http://market\", api: v2b}\nproducts:\n  - {key: a, price: cheap, images: [none.png]}\n"
        )
        #expect(manifest.settings.url == "http://market" && manifest.settings.profile == .v2b)
        #expect(manifest.files.count == 1)
    }

    @Test func `faults of the market's section are named`() throws {
        let faults = #expect(throws: MarketOnlyManifest.Faults.self) { try read("market: {api: v9}\nproducts: []\n") }
        #expect(faults?.diagnostics.map(\.path) == ["market.api"])
    }

    @Test func `without files the environment says where the market is`() throws {
        let options = ManifestOptions(environment: ["OPENMARKET_URL": "http://market", "OPENMARKET_API": "v1a"])
        let manifest = try MarketOnlyManifest(files: [], options: options)
        #expect(manifest.settings.url == "http://market" && manifest.settings.profile == .v1a)
        #expect(manifest.files.isEmpty && !manifest.hasProducts)
    }
}
