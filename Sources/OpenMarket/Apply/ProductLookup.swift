import Synchronization

/// Reads products whose absence matters: one is gone only when its detail and the list say so.
///
/// A 404 alone proves nothing: it may come from a proxy, from a market that hides what was just written (v1), or from a
/// server that does not hold the product yet.
package final class ProductLookup: Sendable {
    private let market: any Market
    /// For how long the market may hide a product that was just written.
    private let hiding: Duration
    /// How long to wait until it certainly shows what it may hide; zero where there is nothing to wait for.
    private let quiet: Duration
    /// Whether that was waited for.
    private let hasWaited = Atomic(false)
    private let pause: @Sendable (Duration) async throws -> Void
    /// What the list held when it was last asked.
    private let reading = Mutex<Reading?>(nil)

    private struct Reading {
        var ids: Set<MarketID>
        var unread: UnreadRows

        /// Whether the list has a product, or may have it.
        func mayList(_ id: MarketID) -> Bool { ids.contains(id) || unread.row(of: id) != nil }
    }

    /// A lookup.
    ///
    /// - Parameters:
    ///   - market: where to read.
    ///   - hiding: for how long the market may hide a product that was just written.
    ///   - quiet: how long ``proved(_:)`` waits until the market certainly shows what it may hide.
    ///   - pause: lets time pass.
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

    /// Reads a product in detail; `nil` when it is neither there nor in the list.
    ///
    /// - Throws: ``MarketError``, also when the list shows a product that its detail denies.
    package func product(_ id: MarketID) async throws -> LiveProduct? {
        if let product = try await market.product(id) { return product }
        // The list may not show that a product counts as deleted.
        guard try await isListed(id), !(try await market.countsAsDeleted(id)) else { return nil }
        for _ in 0..<(hiding > .zero ? 3 : 1) {
            try await pause(hiding)
            if let product = try await market.product(id) { return product }
        }
        // It may have gone after the list was read.
        guard try await isListed(id) else { return nil }
        throw MarketError(
            .unreadable,
            "the market answers 404 for product \(id), and lists it or a row that cannot be read: whether it exists is not known"
        )
    }

    /// Reads a product whose absence would be written down: `nil` only when it does not show either after the time for which
    /// the market may hide what was just written, by whomever.
    ///
    /// - Throws: as ``product(_:)``.
    func proved(_ id: MarketID) async throws -> LiveProduct? {
        if let product = try await product(id) { return product }
        guard quiet > .zero, !hasWaited.load(ordering: .relaxed) else { return nil }
        try await pause(quiet)
        hasWaited.store(true, ordering: .relaxed)
        return try await product(id)
    }

    /// Whether the list has a product.
    ///
    /// What an earlier reading did not have will never come back, as long as it was there to be read: newer products are
    /// looked for again.
    private func isListed(_ id: MarketID) async throws -> Bool {
        if let known = reading.withLock({ $0 }), let newest = known.ids.newest(), !id.mayBeNewer(than: newest),
            !known.mayList(id)
        {
            return false
        }
        let catalog = try await market.catalog()
        let reading = Reading(ids: Set(catalog.products.keys), unread: catalog.unreadRows)
        self.reading.withLock { $0 = reading }
        return reading.mayList(id)
    }
}
