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
        let pairing = Pairing(self)
        let formerKeys = pairing.formerKeys
        var drift = MarketDrift()
        for (index, pair) in pairing.pairs.enumerated() {
            if pair.isCurrent {
                drift.knownCount += 1
                continue
            }
            let listing = manifest.listings[index]
            guard !listing.isAbsent else { continue }
            guard blockedKeys.isDisjoint(with: [listing.key] + listing.previously) else {
                drift.obstacles.append((index, .unresolved))
                continue
            }
            guard let position = pair.entry else {
                let pinned = listing.pinnedID.flatMap { live.products[$0] }
                if pinned?.isManageable == false {
                    drift.obstacles.append((index, .otherKind))
                } else if !(pinned.map { isListed($0, by: listing, capabilities) } ?? false) {
                    drift.obstacles.append((index, .unknown))
                }
                continue
            }
            drift.knownCount += 1
            var entry = pairing.entries.entry(at: position)
            switch standing(of: entry, pairing.unread) {
            case .unreadable: drift.obstacles.append((index, .unreadable))
            case .gone(let successor): drift.obstacles.append((index, successor == nil ? .gone : .foreign))
            case .live(let live) where !live.isManageable: drift.obstacles.append((index, .otherKind))
            case .live where isPinnedElsewhere(listing, entry):
                drift.obstacles.append((index, .pinnedElsewhere(entry.id)))
            case .live(let live):
                let comparison = compare(listing, entry, live, capabilities)
                entry.key = formerKeys[entry.key] ?? entry.key
                let product = MarketDrift.Product(
                    listing: index,
                    entry: entry,
                    live: comparison.live,
                    changes: comparison.changes.filter { $0.kind != .change },
                    agreed: entry.agreeing(with: comparison.settled, as: listing)
                )
                if !product.changes.isEmpty || product.agreed != nil { drift.products.append(product) }
            }
        }
        return drift
    }

    /// Whether `id:` refers to another product than the state; an id that the market no longer has contradicts nothing.
    private func isPinnedElsewhere(_ listing: Listing, _ entry: StateEntry) -> Bool {
        guard let pinned = listing.pinnedID, pinned != entry.id else { return false }
        return live.products[pinned] != nil && !owedDeletes.contains { $0.id == pinned }
    }

    /// Compares without the pictures if one could not be fetched.
    private func compare(
        _ listing: Listing,
        _ entry: StateEntry,
        _ live: LiveProduct,
        _ capabilities: MarketCapabilities
    ) -> FieldComparison {
        var listing = listing
        if unreadPicture(of: live, entry) != nil { listing.ignoreChanges.formUnion([.images, .thumbnail]) }
        return comparison(of: listing, entry, live, capabilities)
    }

    /// Whether the market shows a product that the state does not know exactly as the manifest lists it.
    private func isListed(_ live: LiveProduct, by listing: Listing, _ capabilities: MarketCapabilities) -> Bool {
        compare(listing, StateEntry(adopting: live, as: listing), live, capabilities).changes.isEmpty
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
