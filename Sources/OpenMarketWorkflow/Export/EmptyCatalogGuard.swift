import OpenMarket

/// Decides whether an empty catalog is plausible, before it replaces one with products.
struct EmptyCatalogGuard: Sendable {
    /// The number of products to look up, from the state and from the earlier export each.
    static let sampleSize = 20

    /// The newest products in the state.
    let managed: [MarketID]
    /// Those of the earlier export; empty if it does not show ids, and `nil` if it lacks products.
    let earlier: [MarketID]?
    /// The earlier export.
    let path: String

    /// Checks that the products of the state and of the earlier export are gone.
    func confirm(by market: any Market) async throws {
        let ids = Set(managed + (earlier ?? [])).sorted(by: MarketID.follows)
        guard ids.isEmpty || market.profile.capabilities.showsDetails else { throw unconfirmed }
        for id in ids where try await market.product(id) != nil { throw refusal("product \(id) is on the market") }
        guard earlier?.isEmpty != true else { throw unconfirmed }
    }

    /// None can be looked up: the earlier export does not show ids, or the market does not show single products.
    private var unconfirmed: CommandFailure { refusal("the products in \(path) are not confirmed as gone") }

    private func refusal(_ reason: String) -> CommandFailure {
        CommandFailure(
            .refused,
            "the market's list is empty, and \(reason); no file was written",
            help: "try again; --allow-empty writes an export without products all the same"
        )
    }
}
