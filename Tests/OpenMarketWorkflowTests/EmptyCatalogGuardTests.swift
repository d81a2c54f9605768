@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import Testing

struct EmptyCatalogGuardTests {
    private let market = StandInMarket(details: [LiveProduct(id: MarketID(7)), LiveProduct(id: MarketID(8))])

    private func confirm(managed: [Int64], earlier: [Int64]?) async throws {
        let earlier = earlier.map { $0.map { MarketID($0) } }
        try await EmptyCatalogGuard(managed: managed.map { MarketID($0) }, earlier: earlier, path: "a.csv").confirm(
            by: market
        )
    }

    @Test func `without anything to look up the empty list is believed`() async throws {
        try await confirm(managed: [], earlier: nil)
    }

    @Test func `it is believed when all products are gone`() async throws {
        try await confirm(managed: [1], earlier: [2, 3])
    }

    @Test func `it is not believed while a product of the state is there`() async {
        await expectAsyncEnd(.refused, "product 7 is on the market") { try await confirm(managed: [7], earlier: nil) }
    }

    @Test func `it is not believed while a product of the earlier export is there, the newest of which is named`() async
    {
        await expectAsyncEnd(.refused, "product 8 is on the market") {
            try await confirm(managed: [], earlier: [1, 7, 8])
        }
    }

    @Test func `a market that shows no single products confirms nothing, unless there is nothing to look up`()
        async throws
    {
        var market = StandInMarket()
        market.profile = try MarketProfile(
            document: Array(DescribedMarketTests.document.utf8),
            parameters: ["event": "a"]
        )
        await expectAsyncEnd(.refused, "the products in a.csv are not confirmed as gone") {
            try await EmptyCatalogGuard(managed: [], earlier: [MarketID(7)], path: "a.csv").confirm(by: market)
        }
        try await EmptyCatalogGuard(managed: [], earlier: nil, path: "a.csv").confirm(by: market)
    }

    @Test func `rows without ids confirm nothing`() async {
        await expectAsyncEnd(.refused, "the products in a.csv are not confirmed as gone") {
            try await confirm(managed: [1], earlier: [])
        }
    }
}
