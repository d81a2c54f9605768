/// The changes on the market since the last apply, product by product.
///
/// Unlike a plan, it does not check whether a change could be undone, so a problem with one product does not hide
/// changes of the others.
package struct MarketDrift: Sendable {
    /// A product that differs between market and state, or between manifest and state.
    package struct Product: Sendable {
        package var listing: Int
        /// The state's entry, under the key that it has there.
        package var entry: StateEntry
        package var live: ProductValues
        /// The fields that changed on the market, and those that the manifest changed as well.
        package var changes: [FieldChange]
        /// The entry that the state needs if manifest and market agree without it; `nil` if it has that entry.
        package var agreed: StateEntry?
    }

    /// Why the changes of a product are unknown.
    package enum Obstacle: Hashable, Sendable {
        case gone
        case foreign
        /// `id:` refers to another product than the state.
        case pinnedElsewhere(MarketID)
        case unreadable
        /// An operation of an earlier run on the product is unresolved.
        case unresolved
        /// The market's description excludes it from writing.
        case otherKind
        /// The state has no entry for the product, and the market does not show it exactly as the manifest lists it.
        case unknown
    }

    /// The products that differ, in the manifest's order.
    package var products: [Product] = []
    /// The listings that could not be compared, in the manifest's order.
    package var obstacles: [(listing: Int, obstacle: Obstacle)] = []
    /// The number of listings that the state knows.
    package var knownCount = 0
}

extension Planner.Input {
    /// Finds the changes on the market, and the listings that could not be compared.
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
                let pinned = listing.pinnedID.flatMap { live.products[$0] }
                if pinned?.isManageable == false {
                    drift.obstacles.append((index, .otherKind))
                } else if !isLive(listing, capabilities) {
                    drift.obstacles.append((index, .unknown))
                }
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

    private func obstacle(
        to listing: Listing,
        _ entry: StateEntry,
        _ unread: UnreadRows
    ) -> MarketDrift.Obstacle? {
        guard let product = product(of: entry) else {
            if unreadRow(of: entry, unread) != nil { return .unreadable }
            return live.products[entry.id] == nil ? .gone : .foreign
        }
        if !product.isManageable { return .otherKind }
        // An id that the market no longer has does not contradict the state's.
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
        // A picture that could not be fetched is neither equal nor different.
        if live.images?.contains(where: { unreadPictures[$0.url] != nil }) ?? false {
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

    /// Whether the market shows a product that the state does not know exactly as the manifest lists it.
    private func isLive(_ listing: Listing, _ capabilities: MarketCapabilities) -> Bool {
        guard let live = listing.pinnedID.flatMap({ live.products[$0] }) else { return false }
        let entry = StateEntry(adopting: live, as: listing)
        let values = live.values(entry: entry, digests: pictureDigests, capabilities: capabilities)
        return compare(listing, entry, live, values, capabilities).changes.isEmpty
    }
}

extension StateEntry {
    /// The entry updated with the values on which manifest and market agree; `nil` if it has them already.
    ///
    /// Pictures are left out: a plan learns which of the market's names belong to them.
    fileprivate func agreeing(with settled: ProductValues, as listing: Listing) -> StateEntry? {
        var entry = self
        for field in ProductField.allCases where field != .images && field != .thumbnail {
            guard listing.manages(field), let value = settled[field], value != applied[field] else { continue }
            entry.applied[field] = value
        }
        return entry == self ? nil : entry
    }
}
