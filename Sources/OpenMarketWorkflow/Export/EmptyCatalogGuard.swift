package import OpenMarket

/// Decides whether a catalog without products is to be believed, before it takes the place of one with products.
package struct EmptyCatalogGuard: Sendable {
    /// Why it is not.
    package enum Refusal: Error, Hashable, Sendable {
        /// A product is on the market that the list does not show.
        case isListed(MarketID)
        /// None can be looked up: the earlier export does not show ids, or the market does not show single products.
        case unconfirmed
    }

    /// How many products of the state, and of the earlier export, are looked up.
    static let sampleSize = 20

    private let managed: [MarketID]
    private let earlier: [MarketID]?

    /// - Parameters:
    ///   - managed: the newest products that the state knows.
    ///   - earlier: products of the earlier export, without any where it does not show their ids; `nil` where it has none.
    init(managed: [MarketID], earlier: [MarketID]?) {
        self.managed = managed
        self.earlier = earlier
    }

    /// Makes sure that the products of the state and of the earlier export are gone.
    ///
    /// - Throws: ``Refusal``, and `MarketError`.
    func confirm(by market: any Market) async throws {
        let ids = Set(managed + (earlier ?? [])).sorted(by: MarketID.follows)
        guard ids.isEmpty || market.profile.capabilities.showsDetails else { throw Refusal.unconfirmed }
        for id in ids where try await market.product(id) != nil { throw Refusal.isListed(id) }
        guard earlier?.isEmpty != true else { throw Refusal.unconfirmed }
    }
}
