@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketClient

/// Rule 9: pictures are fetched only from hosts that the market is on or that were named.
struct PictureHostTests {
    private static let named = ["cdn.example.org", "127.0.0.1:9000", "[::1]"]

    @Test(arguments: [
        "http://market.test/a.png", "https://MARKET.test:8443/a.png", "http://market.test",
        "https://cdn.example.org/x?y#z",
        "http://127.0.0.1:9000/a.png", "http://[::1]:80/a.png",
        "https://s3.ap-northeast-2.amazonaws.com/media.yagom-academy.kr/training-resources/29/a_origin.png",
    ])
    func `the market's host, named ones and those of the profile are asked`(url: String) {
        #expect(Self.hosts(.v2b).allow(url))
    }

    @Test(arguments: [
        "http://127.0.0.1/a.png", "http://127.0.0.1:9001/a.png", "http://169.254.169.254/latest/meta-data",
        "http://market.test@evil.test/a.png", "http://evil.test#@market.test/", "http://market.test\\@evil.test/",
        "http://market.test.evil.test/a.png", "http://evilmarket.test/a.png", "ftp://market.test/a.png",
        "http:///a.png",
        "http://market.te%73t/a.png", "http://ⓜarket.test/a.png", "http:/market.test/a.png",
        "https://s3.ap-northeast-2.amazonaws.com/someone-else/a.png",
        "https://s3.ap-northeast-2.amazonaws.com/media.yagom-academy.kr/../someone-else/a.png",
        "https://s3.ap-northeast-2.amazonaws.com/media.yagom-academy.kr/%2e%2E/someone-else/a.png",
        "https://s3.ap-northeast-2.amazonaws.com:444/media.yagom-academy.kr/a.png",
        "https://camp-open-market.s3.ap-northeast-2.amazonaws.com/images/a.png",
    ])
    func `no other host is asked`(url: String) {
        #expect(!Self.hosts(.v2b).allow(url))
    }

    /// The network library ends the process for a port that is none.
    @Test(arguments: ["65536", "99999", "0", "-1", "18446744073709551616", "٨٠", "80a", ""])
    func `an address with a port that is none is refused before it is asked`(port: String) async throws {
        for address in ["http://127.0.0.1:\(port)/a.png", "https://[::1]:\(port)?a", "HTTP://127.0.0.1:\(port)"] {
            _ = try await withMarketClient(configuration("http://127.0.0.1:1", .v2b, attempts: 1)) { client in
                await #expect {
                    _ = try await client.pictureDigest(at: address)
                } throws: { error in
                    error as? MarketError
                        == MarketError(.refused, "a picture's URL has the invalid port '\(port)'")
                }
            }
        }
    }

    @Test func `the media host of v1 belongs to v1`() {
        #expect(Self.hosts(.v1a).allow("https://camp-open-market.s3.ap-northeast-2.amazonaws.com/images/a.png"))
    }

    private static func hosts(_ profile: MarketProfile) -> PictureHosts {
        PictureHosts(
            marketURL: "https://Market.test:8443/shop",
            folders: profile.pictureFolders,
            named: named
        )
    }

    @Test func `a client sends nothing to another host`() async throws {
        try await HTTPMarket.run { _ in
            .reply(200, "picture", type: "image/png")
        } _: { elsewhere in
            let url = elsewhere.url + "/a.png"
            _ = try await withMarketClient(configuration("http://localhost:1", .v2b, attempts: 1)) { client in
                await #expect {
                    _ = try await client.pictureDigest(at: url)
                } throws: { error in
                    error as? MarketError
                        == MarketError(
                            .foreignHost,
                            "127.0.0.1:\(elsewhere.port) is neither the market's host nor named in `market.picture_hosts`"
                        )
                }
            }
            #expect(elsewhere.requests.isEmpty)
            var settings = configuration("http://localhost:1", .v2b, attempts: 1)
            settings.pictureHosts = ["127.0.0.1"]
            let digest = try await withMarketClient(settings) { try await $0.pictureDigest(at: url) }
            #expect(digest == ContentDigest(hashing: Array("picture".utf8).span))
            #expect(elsewhere.requests.map(\.path) == ["/a.png"])
        }
    }
}
