@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Synchronization
import Testing

/// Absence needs proof: a 404 is believed when the list agrees.
struct ProductLookupTests {
    /// A market whose details and list need not agree.
    private final class DividedMarket: StandInMarket {
        let ids: Set<MarketID>
        let problems: [RowProblem]
        let deleted: Set<MarketID>
        let isFromCache: Bool
        /// After so many details every product shows.
        let denials: Int
        private let counts = Mutex((details: 0, lists: 0))

        var details: Int { counts.withLock { $0.details } }
        var lists: Int { counts.withLock { $0.lists } }

        init(
            listed: Set<MarketID>,
            deleted: Set<MarketID> = [],
            problems: [RowProblem] = [],
            isFromCache: Bool = false,
            denials: Int = .max
        ) {
            self.isFromCache = isFromCache
            self.deleted = deleted
            self.problems = problems
            ids = listed
            self.denials = denials
        }

        /// Asked for once for each reading.
        var listed: [LiveProduct] {
            counts.withLock { $0.lists += 1 }
            return ids.map { LiveProduct(id: $0) }
        }

        func countsAsDeleted(_ id: MarketID) async throws -> Bool { deleted.contains(id) }

        func product(_ id: MarketID) async throws -> LiveProduct? {
            let count = counts.withLock { counts in
                counts.details += 1
                return counts.details
            }
            return count > denials ? LiveProduct(id: id) : nil
        }
    }

    private func lookup(_ market: DividedMarket, hiding: Duration = .zero) -> ProductLookup {
        ProductLookup(market: market, hiding: hiding) { _ in }
    }

    @Test func `what only its detail shows as deleted is gone, though the list has it`() async throws {
        let lookup = lookup(DividedMarket(listed: [4, 9], deleted: [4]))
        #expect(try await lookup.product(4) == nil)
        await #expect(throws: MarketError.self) { try await lookup.product(9) }
    }

    @Test func `what neither the detail nor the list shows is gone, and the list is read once`() async throws {
        let market = DividedMarket(listed: [4, 9])
        let lookup = lookup(market)
        for id in [3, 5, 7] as [MarketID] {
            let product = try await lookup.product(id)
            #expect(product == nil)
        }
        #expect(market.lists == 1)
    }

    @Test(arguments: [true, false])
    func `a list with a row that cannot be read, or that a cache had, proves nothing`(isFromCache: Bool) async {
        let row = RowProblem(place: "page 1, row 2", message: "it is not an object")
        let lookup = lookup(
            DividedMarket(listed: [4, 9], problems: isFromCache ? [] : [row], isFromCache: isFromCache)
        )
        for id in [3, 5, 11] as [MarketID] {
            let error = await #expect(throws: MarketError.self) { try await lookup.product(id) }
            #expect(error?.code == .unreadable)
        }
    }

    @Test func `a newer product than the list had is looked for again`() async throws {
        let market = DividedMarket(listed: [4])
        let lookup = lookup(market)
        _ = try await lookup.product(3)
        _ = try await lookup.product(5)
        #expect(market.lists == 2)
    }

    @Test func `a 404 for a product that is listed does not prove anything`() async throws {
        let market = DividedMarket(listed: [7])
        await #expect(
            throws: MarketError(
                .unreadable,
                "the market answers 404 for product 7, and its list does not prove that it is gone: it may still exist"
            )
        ) { _ = try await lookup(market).product(7) }
    }

    @Test func `a product that is hidden for a while shows in the end`() async throws {
        let market = DividedMarket(listed: [7], denials: 2)
        let product = try await lookup(market, hiding: .seconds(2)).product(7)
        #expect(product?.id == 7)
    }
}
