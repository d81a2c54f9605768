/// Drift since the last apply, product by product.
///
/// Unlike a plan, it does not check whether a change can be undone, so a problem with one product hides no other
/// change.
package struct MarketDrift: Sendable {
    /// A product whose market and state, or manifest and state, differ.
    package struct Product: Sendable {
        package var listing: Int
        /// The state's entry, under the key that it has in the state.
        package var entry: StateEntry
        package var live: ProductValues
        /// Fields that changed on the market, and those that the manifest changed too.
        package var changes: [FieldChange]
        /// The entry that the state needs if manifest and market agree; `nil` if it has that entry.
        package var agreed: StateEntry?
    }

    /// Why the changes of a product are unknown.
    package enum Obstacle: Hashable, Sendable {
        case gone
        case foreign
        /// `id:` refers to another product than the state.
        case pinnedElsewhere(MarketID)
        case unreadable
        /// An earlier run's operation on the product is unresolved.
        case unresolved
        /// The market's description excludes the product from writing.
        case otherKind
        /// The state lacks an entry, and the live product is not exactly as listed.
        case unknown
    }

    /// In the manifest's order.
    package var products: [Product] = []
    /// Listings that could not be compared, in the manifest's order.
    package var obstacles: [(listing: Int, obstacle: Obstacle)] = []
    package var knownCount = 0
}

extension Planner.Input {
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
                var changes = comparison.changes.filter { $0.kind != .change }
                // The market's value is not the one of the product's own line.
                for index in changes.indices where listing.adjusted?.touches(changes[index].field) == true {
                    changes[index].kind = .conflict
                }
                let product = MarketDrift.Product(
                    listing: index,
                    entry: entry,
                    live: comparison.live,
                    changes: changes,
                    agreed: entry.agreeing(with: comparison.settled, as: listing)
                )
                if !product.changes.isEmpty || product.agreed != nil { drift.products.append(product) }
            }
        }
        return drift
    }

    /// Whether `id:` and the state name different products; an id that is gone from the market does not contradict.
    private func isPinnedElsewhere(_ listing: Listing, _ entry: StateEntry) -> Bool {
        guard let pinned = listing.pinnedID, pinned != entry.id else { return false }
        return live.products[pinned] != nil && !owedDeletes.contains { $0.id == pinned }
    }

    /// Leaves out the pictures if one of them could not be fetched.
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

    /// Whether a product without an entry is exactly as the manifest lists it.
    private func isListed(_ live: LiveProduct, by listing: Listing, _ capabilities: MarketCapabilities) -> Bool {
        compare(listing, StateEntry(adopting: live, as: listing), live, capabilities).changes.isEmpty
    }
}

extension StateEntry {
    /// The entry with the common values of manifest and market; `nil` if it has them already.
    ///
    /// Leaves out pictures, whose references only a plan learns.
    fileprivate func agreeing(with settled: ProductValues, as listing: Listing) -> StateEntry? {
        var entry = self
        for field in ProductField.allCases where field != .images && field != .thumbnail {
            guard listing.manages(field), let value = settled[field], value != applied[field] else { continue }
            entry.applied[field] = value
        }
        return entry == self ? nil : entry
    }
}
