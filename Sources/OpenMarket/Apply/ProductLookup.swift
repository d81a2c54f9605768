import Synchronization

/// Reads products whose absence matters: one counts as gone only if both its detail and the list agree.
///
/// A 404 alone is inconclusive: it may come from a proxy, from a market that hides new writes (v1), or from a server
/// that does not have the product yet.
package final class ProductLookup: Sendable {
    private let market: any Market
    private let hiding: Duration
    /// How long to wait until hidden products certainly show; zero if none can be hidden.
    private let quiet: Duration
    private let hasWaited = Atomic(false)
    private let pause: @Sendable (Duration) async throws -> Void
    /// The list as last read.
    private let reading = Mutex<Reading?>(nil)

    private struct Reading {
        var ids: Set<MarketID>
        var unread: UnreadRows

        func mayList(_ id: MarketID) -> Bool { ids.contains(id) || unread.isFromCache || unread.row(of: id) != nil }
    }

    /// `hiding` is how long the market may hide a product after a write; `quiet` is how long ``proved(_:)`` waits.
    package init(
        market: any Market,
        hiding: Duration,
        quiet: Duration = .zero,
        pause: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.market = market
        self.hiding = hiding
        self.quiet = hiding > .zero ? quiet : .zero
        self.pause = pause
    }

    /// Reads a product in detail; `nil` if neither its detail nor the list has it.
    ///
    /// Throws ``MarketError``, also if the list shows a product without a detail.
    package func product(_ id: MarketID) async throws -> LiveProduct? {
        if let product = try await market.product(id) { return product }
        // The list may not show that a product counts as deleted.
        guard try await isListed(id), !(try await market.countsAsDeleted(id)) else { return nil }
        for _ in 0..<(hiding > .zero ? 3 : 1) {
            try await pause(hiding)
            if let product = try await market.product(id) { return product }
        }
        // It may have disappeared after the list was read.
        guard try await isListed(id) else { return nil }
        throw MarketError(
            .unreadable,
            "the market answers 404 for product \(id), and its list does not prove that it is gone: it may still exist"
        )
    }

    /// Reads a product whose absence would be recorded, with the errors of ``product(_:)``.
    ///
    /// `nil` means that it does not show even after the market's hiding of any client's writes.
    func proved(_ id: MarketID) async throws -> LiveProduct? {
        if let product = try await product(id) { return product }
        guard quiet > .zero, !hasWaited.load(ordering: .relaxed) else { return nil }
        try await pause(quiet)
        hasWaited.store(true, ordering: .relaxed)
        return try await product(id)
    }

    /// Whether the list has a product.
    ///
    /// A product missing from an earlier reading never comes back if it existed at that time; newer products are
    /// searched for again.
    private func isListed(_ id: MarketID) async throws -> Bool {
        if let known = reading.withLock({ $0 }), let newest = known.ids.newest(), !id.mayBeNewer(than: newest),
            !known.mayList(id)
        {
            return false
        }
        let catalog = try await market.catalog()
        let reading = Reading(ids: Set(catalog.products.keys), unread: catalog.unreadRowsSinceRequest)
        self.reading.withLock { $0 = reading }
        return reading.mayList(id)
    }
}
