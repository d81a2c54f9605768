@testable import OpenMarket
@testable import OpenMarketTestSupport
import Synchronization
import Testing

/// Absence needs proof: a 404 is believed when the list agrees.
struct ProductLookupTests {
    /// A market whose list shows products of which there are no details.
    private static func market(listing ids: MarketID...) -> StandInMarket {
        StandInMarket(list: ids.map { LiveProduct(id: $0) }, details: [])
    }

    private func lookup(_ market: StandInMarket, hiding: Duration = .zero) -> ProductLookup {
        ProductLookup(market: market, hiding: hiding) { _ in }
    }

    @Test func `what only its detail shows as deleted is gone, though the list has it`() async throws {
        var market = Self.market(listing: 4, 9)
        market.deleted = [4]
        let lookup = lookup(market)
        #expect(try await lookup.product(4) == nil)
        await #expect(throws: MarketError.self) { try await lookup.product(9) }
    }

    @Test func `what neither the detail nor the list shows is gone, and the list is read once`() async throws {
        let market = Self.market(listing: 4, 9)
        let lookup = lookup(market)
        for id in [3, 5, 7] as [MarketID] {
            let product = try await lookup.product(id)
            #expect(product == nil)
        }
        #expect(market.asked.lists == 1)
    }

    @Test(arguments: [true, false])
    func `a list with a row that cannot be read, or that a cache had, proves nothing`(isFromCache: Bool) async {
        var market = Self.market(listing: 4, 9)
        market.isFromCache = isFromCache
        if !isFromCache { market.problems = [RowProblem(place: "page 1, row 2", message: "it is not an object")] }
        let lookup = lookup(market)
        for id in [3, 5, 11] as [MarketID] {
            let error = await #expect(throws: MarketError.self) { try await lookup.product(id) }
            #expect(error?.code == .unreadable)
        }
    }

    @Test func `a newer product than the list had is looked for again`() async throws {
        let market = Self.market(listing: 4)
        let lookup = lookup(market)
        _ = try await lookup.product(3)
        _ = try await lookup.product(5)
        #expect(market.asked.lists == 2)
    }

    @Test func `a 404 for a product that is listed does not prove anything`() async throws {
        let market = Self.market(listing: 7)
        await #expect(
            throws: MarketError(
                .unreadable,
                "the market answers 404 for product 7, and its list does not prove that it is gone: it may still exist"
            )
        ) { _ = try await lookup(market).product(7) }
    }

    @Test func `a product that is hidden for a while shows in the end`() async throws {
        let asked = Atomic(0)
        var market = Self.market(listing: 7)
        market.onDetail = { asked.add(1, ordering: .relaxed).newValue > 2 ? LiveProduct(id: $0) : nil }
        let product = try await lookup(market, hiding: .seconds(2)).product(7)
        #expect(product?.id == 7)
    }
}
