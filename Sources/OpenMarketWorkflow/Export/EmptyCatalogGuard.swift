package import OpenMarket

/// Decides whether an empty catalog is plausible, before it replaces one with products.
package struct EmptyCatalogGuard: Sendable {
    package enum Refusal: Error, Hashable, Sendable {
        /// A product exists on the market that the list does not show.
        case isListed(MarketID)
        /// None can be looked up: the earlier export does not show ids, or the market does not show single products.
        case unconfirmed
    }

    /// The number of products to look up, from the state and from the earlier export each.
    static let sampleSize = 20

    /// The newest products in the state.
    let managed: [MarketID]
    /// Those of the earlier export; empty if it does not show ids, and `nil` if it lacks products.
    let earlier: [MarketID]?

    /// Checks that the products of the state and of the earlier export are gone; otherwise throws ``Refusal``.
    func confirm(by market: any Market) async throws {
        let ids = Set(managed + (earlier ?? [])).sorted(by: MarketID.follows)
        guard ids.isEmpty || market.profile.capabilities.showsDetails else { throw Refusal.unconfirmed }
        for id in ids where try await market.product(id) != nil { throw Refusal.isListed(id) }
        guard earlier?.isEmpty != true else { throw Refusal.unconfirmed }
    }
}
