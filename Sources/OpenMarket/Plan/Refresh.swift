/// The extent to which a plan reads the market.
package enum RefreshMode: String, Hashable, Sendable, CaseIterable {
    /// The list, and the details of products whose row or listing changed.
    case changed
    /// The list and every managed product's details, as far as its row lacks any.
    case full
    /// No reads: the state is trusted.
    case nothing = "none"
}

extension Planner.Input {
    /// The products whose details a plan needs in addition to their rows, by ascending id.
    ///
    /// These are managed products that the list lacks (only a detail proves them gone), managed products whose row or
    /// listing differs from the state, and candidates for adoption.
    package func detailsNeeded(
        mode: RefreshMode,
        capabilities: MarketCapabilities,
        filter: KeyFilter,
        replaced: KeyPatterns = KeyPatterns()
    ) -> [MarketID] {
        guard mode != .nothing else { return [] }
        let pairing = Pairing(self)
        var needed: Set<MarketID> = []
        // Whether a listing has no known live product, so that candidates for adoption are searched for.
        var isOneWithoutProduct = false
        for (index, pair) in pairing.pairs.enumerated() {
            let isReplaced = !replaced.patterns.isEmpty && replaced.contains(manifest.listings.key(at: index))
            if mode != .full, pair.isCurrent, !isReplaced { continue }
            let listing = manifest.listings[index]
            let entry = pair.entry.map { pairing.entries.entry(at: $0) }
            if entry == nil { isOneWithoutProduct = true }
            guard filter.takes(listing.key) else { continue }
            // The list may lag or lack a row; because a missing pinned product is an error, its details are read.
            if let pinned = listing.pinnedID, pinned != entry?.id, live.products[pinned] == nil {
                needed.insert(pinned)
            }
            guard let entry else { continue }
            guard case .live(let row) = standing(of: entry, pairing.unread) else {
                // If it is gone, its successor is compared like any other adopted product.
                isOneWithoutProduct = true
                if live.products[entry.id] == nil { needed.insert(entry.id) }
                continue
            }
            // A delete needs only the product's name. A whole row is believed until the write, before which the product
            // is read.
            if listing.isAbsent || row.isWhole { continue }
            // A row may not show whether a product carries the current key of its listing.
            let isRenamed =
                sendsKeys && capabilities.key?.isChangeable == true && !listing.previously.isEmpty
                && row.key != listing.key
            if isReplaced || isRenamed || mode == .full
                || listing.row?.action != .ignore && !isDecided(listing, entry, by: row, capabilities)
            {
                needed.insert(entry.id)
            }
        }
        if pairing.unlistedCount > 0, manifest.isComplete {
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

    /// Whether a row of the list shows all that a plan has to know of a product: nothing changed, or only its stock.
    private func isDecided(
        _ listing: Listing,
        _ entry: StateEntry,
        by row: LiveProduct,
        _ capabilities: MarketCapabilities
    ) -> Bool {
        let isOfTable = listing.row != nil
        let listing = isOfTable ? listing.completed(by: entry, as: row) : listing
        let changes = comparison(of: listing, entry, row, capabilities).changes
        guard changes.allSatisfy({ $0.field == .stock && $0.kind == .drift && $0.live != nil }) else { return false }
        // The rows of a table usually repeat the list.
        if isOfTable, ProductField.allCases.allSatisfy({ !listing.manages($0) || row.values[$0] != nil }) {
            return true
        }
        // The rest of the row shows whether anything changed that it does not show.
        func agrees(_ shown: String?, _ known: String?) -> Bool {
            shown == nil || known == nil || shown.isExactly(known)
        }
        return agrees(row.thumbnailURL, entry.thumbnailURL) && agrees(row.issuedAt, entry.issuedAt)
    }

    /// The URLs of pictures to fetch and hash, each once, by product id and then in the product's order.
    ///
    /// These are the pictures that no reply to our requests named, on a market that keeps the bytes.
    package func picturesNeeded(capabilities: MarketCapabilities, filter: KeyFilter) -> [String] {
        // Nothing to fetch if only rows were read.
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
            // Only the bytes show which of the market's pictures is the wanted thumbnail.
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
    /// The catalog according to the state, for planning without reading the market.
    ///
    /// The URLs of pictures are the references in the state.
    package static func remembered(by state: StateSnapshot) -> LiveCatalog {
        LiveCatalog(products: LiveProducts(remembering: state.entries))
    }
}
