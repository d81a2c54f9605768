@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketManifest
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketWorkflow

/// Which market is meant, and which products of it.
struct MarketTargetTests {
    @Test func `without a manifest something else has to name a market`() throws {
        let nothing = MarketSettings()
        expectEnd(.invalidInput, "openmarket.yaml is missing here, and no market is named") {
            try MarketTarget(MarketOnlyManifest(nothing))
        }
        expectEnd(.invalidInput, "no market is named", "set `market.url`") {
            try MarketTarget(MarketOnlyManifest(nothing, files: ["shop.yaml"]))
        }
        expectEnd(.invalidInput, "the market's API is not named") {
            try MarketTarget(MarketOnlyManifest(MarketSettings(url: "https://a.example")))
        }
        let settings = MarketSettings(url: "https://a.example", profile: .v2b)
        let target = try MarketTarget(MarketOnlyManifest(settings))
        #expect(target.url == "https://a.example" && target.profile == .v2b)
    }

    @Test func `a market that is asked which it is needs an address alone`() throws {
        let unnamed = MarketOnlyManifest(MarketSettings(url: "https://a.example"))
        #expect(try MarketTarget(asking: unnamed).profile == .v2b)
        let named = MarketOnlyManifest(MarketSettings(url: "https://a.example", profile: .v1a))
        #expect(try MarketTarget(asking: named).profile == .v1a)
        #expect(throws: CommandFailure.self) { try MarketTarget(asking: MarketOnlyManifest(MarketSettings())) }
    }

    @Test func `ids are those of the market, as a person writes them`() throws {
        let numbers = try PullRequest(ids: ["7", "9", "7"], as: .number, vendorID: 3, adopts: true)
        #expect(numbers == PullRequest(ids: [MarketID(7), MarketID(9)], vendorID: 3, adopts: true))
        #expect(try PullRequest(ids: [], as: .number) == PullRequest())
        #expect(throws: CommandFailure(.usage, "--id takes the number of a product, and not '0'")) {
            try PullRequest(ids: ["7", "0"], as: .number)
        }
        #expect(try PullRequest(ids: ["a"], as: .text).ids == [.text("a")])
    }
}
