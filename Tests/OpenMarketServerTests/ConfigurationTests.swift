@testable import OpenMarket
import Testing
@testable import OpenMarketServer

/// What a server is configured with, as a command line says it.
struct ConfigurationTests {
    @Test func `profiles are named in a list`() {
        #expect(ServedProfile.list("v2a, v1") == [.v2a, .v1b])
        #expect(ServedProfile.list("v1b,v3") == nil)
    }

    @Test(
        arguments: [
            ("*", true), ("https://app.example", true), ("http://localhost:5173", true),
            ("https://app.example/", false), ("https://App.example", false), ("https://app.example:443", false),
            ("app.example", false), ("https://app.example/shop", false), ("https://*.example", false), ("**", false),
        ]
    )
    func `an origin is spelled as browsers do`(text: String, isTaken: Bool) {
        #expect(ServerConfiguration.takesOrigin(text) == isTaken)
    }

    @Test(
        arguments: [
            ("1", .drawn(products: 1)), ("100000", .drawn(products: 100_000)), ("korean-shop", .koreanShop), ("0", nil),
            ("100001", nil), ("shop", nil),
        ] as [(String, ShopSeed?)]
    )
    func `a seed is a number of products or an example`(text: String, seed: ShopSeed?) {
        #expect(ShopSeed(text) == seed)
    }

    @Test func `pictures are beside the database unless they are elsewhere`() {
        #expect(ServerConfiguration(databasePath: "a/shop.db").imagesDirectory == "a/shop-images")
        #expect(ServerConfiguration(databasePath: "a/shop").imagesDirectory == "a/shop-images")
        #expect(ServerConfiguration(databasePath: "a/shop.db", imagesDirectory: "p").imagesDirectory == "p")
        let files = ServerConfiguration(databasePath: "shop.db").databaseFiles
        #expect(files == ["shop.db", "shop.db-wal", "shop.db-shm", "shop.db-journal"])
    }

    @Test func `an address of IPv6 is in brackets`() {
        #expect(NetworkAddress.url(host: "127.0.0.1", port: 80) == "http://127.0.0.1:80")
        #expect(NetworkAddress.url(host: "::1", port: 8080) == "http://[::1]:8080")
    }

    @Test func `a vendor of the environment needs both variables`() {
        let both = ["OPENMARKET_IDENTIFIER": "i", "OPENMARKET_SECRET": "s"]
        #expect(Vendor(environment: both) == Vendor(name: "openmarket", identifier: "i", secret: Secret("s")))
        for name in both.keys {
            #expect(Vendor(environment: both.filter { $0.key != name }) == nil)
            #expect(Vendor(environment: both.merging([name: ""]) { $1 }) == nil)
        }
    }
}
