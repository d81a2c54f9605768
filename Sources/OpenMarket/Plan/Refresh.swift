/// How much of the market a plan reads.
package enum RefreshMode: String, Hashable, Sendable, CaseIterable {
    /// The list, and the details of products whose row or listing changed.
    case changed
    /// The list, and details of every managed product whose row omits any.
    case full
    /// No reads: the state is trusted.
    case nothing = "none"
}

extension Planner.Input {
    /// The products whose details a plan needs besides their rows, in ascending order.
    ///
    /// These are managed products missing from the list (only a detail proves them gone), those whose row or listing
    /// differs from the state, and candidates for adoption.
    package func detailsNeeded(
        mode: RefreshMode,
        capabilities: MarketCapabilities,
        filter: KeyFilter,
        replaced: KeyPatterns = KeyPatterns()
    ) -> [MarketID] {
        guard mode != .nothing else { return [] }
        let pairing = Pairing(self)
        var needed: Set<MarketID> = []
        // Whether a listing is without a live product, which starts a search for candidates for adoption.
        var isOneWithoutProduct = false
        for (index, pair) in pairing.pairs.enumerated() {
            let isReplaced = !replaced.patterns.isEmpty && replaced.contains(manifest.listings.key(at: index))
            if mode != .full, pair.isCurrent, !isReplaced { continue }
            let listing = manifest.listings[index]
            let entry = pair.entry.map { pairing.entries.entry(at: $0) }
            if entry == nil { isOneWithoutProduct = true }
            guard filter.takes(listing.key) else { continue }
            // The list may lag or lack a row. A missing pinned product is an error, so its details are read.
            if let pinned = listing.pinnedID, pinned != entry?.id, live.products[pinned] == nil {
                needed.insert(pinned)
            }
            guard let entry else { continue }
            guard case .live(let row) = standing(of: entry, pairing.unread) else {
                // If it is gone, its successor is adopted like other products.
                isOneWithoutProduct = true
                if live.products[entry.id] == nil { needed.insert(entry.id) }
                continue
            }
            // A delete needs only the product's name. A whole row is trusted until the write, which reads the product
            // first.
            if listing.isAbsent || row.isWhole { continue }
            // A row may not show whether its product has the listing's current key.
            let isRenamed =
                sendsKeys && capabilities.key?.isChangeable == true && !listing.previously.isEmpty
                && row.key != listing.key
            if isReplaced || isRenamed || mode == .full || !isDecided(listing, entry, by: row, capabilities) {
                needed.insert(entry.id)
            }
        }
        if pairing.unlistedCount > 0 {
            for entry in pairing.entries.values where live.products[entry.id] == nil && filter.takes(entry.key) {
                needed.insert(entry.id)
            }
        }
        if isOneWithoutProduct {
            let candidates = adoptionCandidates(pairing, filter: filter)
            needed.formUnion(candidates.filter { live.products[$0]?.isWhole != true })
        }
        return needed.inOrder()
    }

    /// Whether a row shows all that a plan needs: the product is unchanged, or only its stock changed.
    private func isDecided(
        _ listing: Listing,
        _ entry: StateEntry,
        by row: LiveProduct,
        _ capabilities: MarketCapabilities
    ) -> Bool {
        let changes = comparison(of: listing, entry, row, capabilities).changes
        guard changes.allSatisfy({ $0.field == .stock && $0.kind == .drift && $0.live != nil }) else { return false }
        // The rest of the row shows whether fields changed that it omits.
        func agrees(_ shown: String?, _ known: String?) -> Bool {
            shown == nil || known == nil || shown.isExactly(known)
        }
        return agrees(row.thumbnailURL, entry.thumbnailURL) && agrees(row.issuedAt, entry.issuedAt)
    }

    /// The URLs of pictures to fetch and hash, each once, by product id and then in the product's order.
    ///
    /// These are pictures that the replies to writes did not name, on a market that keeps the bytes.
    package func picturesNeeded(capabilities: MarketCapabilities, filter: KeyFilter) -> [String] {
        guard capabilities.keepsPictureBytes, live.products.showPictures else {
            return []
        }
        let pairing = Pairing(self)
        var wanted: [MarketID: [StateEntry.BoundImage]] = [:]
        for (index, pair) in pairing.pairs.enumerated() {
            guard !pair.isCurrent, let position = pair.entry,
                live.products[pairing.entries.id(at: position)]?.images != nil
            else { continue }
            let (listing, entry) = (manifest.listings[index], pairing.entries.entry(at: position))
            guard !listing.isAbsent, listing.values.images != nil, filter.takes(listing.key) else { continue }
            // Only the bytes identify the wanted thumbnail among the live pictures.
            guard !listing.ignoreChanges.contains(.images) || listing.manages(.thumbnail) else { continue }
            wanted[entry.id] = entry.images ?? []
        }
        let candidates = adoptionCandidates(pairing, filter: filter) { listing in
            listing.values.images != nil || listing.values.thumbnail != nil
        }
        for id in candidates { wanted[id] = [] }
        var seen: Set<ExactText> = []
        return wanted.keys.inOrder().flatMap { id in
            (live.products[id]?.images ?? [])
                .filter { image in wanted[id]?.contains { $0.reference.isExactly(image.reference) } == false }
                .map(\.url)
                .filter { seen.insert(ExactText($0)).inserted }
        }
    }
}

extension LiveCatalog {
    /// The catalog according to the state, for plans that do not read the market.
    ///
    /// The state's references replace the URLs of pictures.
    package static func remembered(by state: StateSnapshot) -> LiveCatalog {
        LiveCatalog(products: LiveProducts(remembering: state.entries))
    }
}
