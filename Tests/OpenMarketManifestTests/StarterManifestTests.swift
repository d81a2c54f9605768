@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketManifest

/// The first manifest of a user: for every market and currency nothing in it is doubtful.
struct StarterManifestTests {
    @Test(arguments: MarketProfile.builtIns, ["KRW", "USD", "JPY", "BHD"])
    func `it is read back without a fault or a doubt`(profile: MarketProfile, currency: String) throws {
        let folder = try TemporaryDirectory()
        try folder.write(StarterManifest.picture, SmallPicture.png(1))
        var starter = StarterManifest()
        starter.url = "https://market.example.org/shop"
        starter.profile = profile
        starter.currency = Currency(rawValue: currency)
        let environment = ["OPENMARKET_IDENTIFIER": "me", "OPENMARKET_SECRET": "a-secret-of-mine"]
        let bytes = try starter.bytes()
        let loaded = ManifestLoader(options: ManifestOptions(environment: environment))
            .decode(bytes, folder: folder.path)
        #expect(loaded.diagnostics == [])
        let manifest = try #require(loaded.manifest)
        #expect(manifest.market.url == "https://market.example.org/shop")
        #expect(manifest.market.profile == profile)
        #expect(manifest.market.secret?.reference == .environment("OPENMARKET_SECRET"))
        let namesVendor = String(decoding: bytes, as: UTF8.self).contains(
            "\n  identifier: !env OPENMARKET_IDENTIFIER\n"
        )
        #expect(namesVendor == (profile.capabilities.identifierIsScope))
        let listings = Array(manifest.listings)
        #expect(listings.map(\.key) == ["desk-lamp"])
        #expect(listings.first?.values.currency == Currency(rawValue: currency))
    }
}
