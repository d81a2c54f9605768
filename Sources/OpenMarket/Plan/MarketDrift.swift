/// What was changed on the market since the last apply, product by product.
///
/// Unlike a plan it asks of no product whether the change could be undone, so nothing about one product keeps the others
/// from being found.
package struct MarketDrift: Sendable {
    /// A product of which market and state differ, or manifest and state.
    package struct Product: Sendable {
        /// The place of the listing in the manifest.
        package var listing: Int
        /// What the state knows, under the key that it has there.
        package var entry: StateEntry
        /// What the market shows.
        package var live: ProductValues
        /// The fields that were changed there, and those that the manifest changed as well.
        package var changes: [FieldChange]
        /// What the state is to know where manifest and market agree without it; `nil` where it knows.
        package var agreed: StateEntry?
    }

    /// Why it cannot be known what was changed.
    package enum Obstacle: Hashable, Sendable {
        /// The product is gone from the market.
        case gone
        /// The market has the product as another vendor's.
        case foreign
        /// `id:` means another product than the state.
        case pinnedElsewhere(MarketID)
        /// The market's row could not be read.
        case unreadable
        /// An operation of an earlier run on the product is unresolved.
        case unresolved
        /// The state does not know the product, and the market does not show it just as the manifest has it.
        case unknown
    }

    /// The products that differ, in the manifest's order.
    package var products: [Product] = []
    /// The listings that could not be compared, in the manifest's order.
    package var obstacles: [(listing: Int, obstacle: Obstacle)] = []
    /// How many listings the state knows.
    package var knownCount = 0
}

extension Planner.Input {
    /// Finds what was changed on the market.
    ///
    /// - Parameter capabilities: how far pictures can be compared.
    /// - Returns: what differs, and what could not be compared.
    package func drift(capabilities: MarketCapabilities) -> MarketDrift {
        let renamed = renamedState()
        let entries = renamed.entries
        var formerKeys: [String: String] = [:]
        for case .rename(let old, let new) in renamed.renames { formerKeys[new] = old }
        let unread = live.unreadRows
        var drift = MarketDrift()
        var last = -1
        for index in manifest.listings.indices {
            let position = entries.position(ofKeyOf: index, in: manifest.listings, guess: last + 1)
            last = position ?? last
            if let position, isKnownCurrent(index, position, entries) {
                drift.knownCount += 1
                continue
            }
            let listing = manifest.listings[index]
            guard !listing.isAbsent else { continue }
            guard blockedKeys.isDisjoint(with: [listing.key] + listing.previously) else {
                drift.obstacles.append((index, .unresolved))
                continue
            }
            guard let position else {
                if !isLive(listing, capabilities) { drift.obstacles.append((index, .unknown)) }
                continue
            }
            drift.knownCount += 1
            var entry = entries.entry(at: position)
            if let obstacle = obstacle(to: listing, entry, unread) {
                drift.obstacles.append((index, obstacle))
                continue
            }
            guard let live = product(of: entry) else { continue }
            let values = live.values(entry: entry, digests: pictureDigests, capabilities: capabilities)
            let comparison = compare(listing, entry, live, values, capabilities)
            entry.key = formerKeys[entry.key] ?? entry.key
            let product = MarketDrift.Product(
                listing: index,
                entry: entry,
                live: values,
                changes: comparison.changes.filter { $0.kind != .change },
                agreed: entry.agreeing(with: comparison.settled, as: listing)
            )
            if !product.changes.isEmpty || product.agreed != nil { drift.products.append(product) }
        }
        return drift
    }

    /// What keeps a product that the state knows from being compared.
    private func obstacle(
        to listing: Listing,
        _ entry: StateEntry,
        _ unread: UnreadRows
    ) -> MarketDrift.Obstacle? {
        guard product(of: entry) != nil else {
            if unreadRow(of: entry, unread) != nil { return .unreadable }
            return live.products[entry.id] == nil ? .gone : .foreign
        }
        // A number that the market no longer has says nothing against the state's.
        if let pinned = listing.pinnedID, pinned != entry.id, live.products[pinned] != nil,
            !owedDeletes.contains(where: { $0.id == pinned })
        {
            return .pinnedElsewhere(entry.id)
        }
        return nil
    }

    private func compare(
        _ listing: Listing,
        _ entry: StateEntry,
        _ live: LiveProduct,
        _ values: ProductValues,
        _ capabilities: MarketCapabilities
    ) -> FieldComparison {
        var listing = listing
        // What may not be looked at is neither alike nor otherwise.
        if live.images?.contains(where: { foreignPictures[$0.url] != nil }) ?? false {
            listing.ignoreChanges.formUnion([.images, .thumbnail])
        }
        return FieldComparison(
            listing: listing,
            base: entry.applied,
            live: values,
            lacked: live.lackedFields(of: listing.values),
            capabilities: capabilities
        )
    }

    /// Whether the market shows a product that the state does not know just as the manifest has it.
    private func isLive(_ listing: Listing, _ capabilities: MarketCapabilities) -> Bool {
        guard let live = listing.pinnedID.flatMap({ live.products[$0] }) else { return false }
        let entry = StateEntry(adopting: live, as: listing)
        let values = live.values(entry: entry, digests: pictureDigests, capabilities: capabilities)
        return compare(listing, entry, live, values, capabilities).changes.isEmpty
    }
}

extension StateEntry {
    /// The same with the values that manifest and market have alike; `nil` where those are known.
    ///
    /// Pictures are left out: what binds them to the market's names is learned by a plan.
    fileprivate func agreeing(with settled: ProductValues, as listing: Listing) -> StateEntry? {
        var entry = self
        for field in ProductField.allCases where field != .images && field != .thumbnail {
            guard listing.manages(field), let value = settled[field], value != applied[field] else { continue }
            entry.applied[field] = value
        }
        return entry == self ? nil : entry
    }
}
