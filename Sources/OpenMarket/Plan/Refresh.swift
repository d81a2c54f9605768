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
        var needed: Set<MarketID> = []
        let entries = renamedState().entries
        // Counted, so that rare cases are searched for only if they exist.
        var listedEntries = 0
        var last = -1
        // Listings without a known live product.
        var unplaced = 0
        for index in manifest.listings.indices {
            let position = entries.position(ofKeyOf: index, in: manifest.listings, guess: last + 1)
            last = position ?? last
            if position == nil { unplaced += 1 } else { listedEntries += 1 }
            // A row may not show whether a product carries the current key of its listing.
            let isRenamed =
                sendsKeys && capabilities.key?.isChangeable == true
                && !manifest.listings.previously(at: index).isEmpty
            let isReplaced = !replaced.patterns.isEmpty && replaced.contains(manifest.listings.key(at: index))
            if let position, mode != .full, !isReplaced, !isRenamed, manifest.listings.row(at: index) == nil,
                isKnownCurrent(index, position, entries)
            {
                continue
            }
            let listing = manifest.listings[index]
            let entry = position.map { entries.entry(at: $0) }
            guard filter.takes(listing.key) else { continue }
            // The list may lag or lack a row; because a missing pinned product is an error, its details are read.
            if let pinned = listing.pinnedID, pinned != entry?.id, live.products[pinned] == nil {
                needed.insert(pinned)
            }
            // A delete needs only the product's name.
            guard let entry else { continue }
            guard let row = live.products[entry.id] else {
                // If it is gone, its successor is compared like any other adopted product.
                unplaced += 1
                needed.insert(entry.id)
                continue
            }
            guard !listing.isAbsent else { continue }
            guard product(of: entry) != nil else {
                unplaced += 1
                continue
            }
            // Believed until the write, before which the product is read.
            if row.isWhole { continue }
            if isReplaced || isRenamed && row.key != listing.key {
                needed.insert(entry.id)
            } else if mode != .full, let table = listing.row {
                if table.action != .ignore, !listing.isShown(by: row, known: entry) { needed.insert(entry.id) }
            } else if mode == .full || !listing.matches(entry)
                // Where the row shows it, a stock that changed is known without a look at the rest.
                || !row.matches(entry, ignoring: listing.ignoreChanges.union(row.stock == nil ? [] : [.stock]))
            {
                needed.insert(entry.id)
            }
        }
        if listedEntries != entries.count, manifest.isComplete {
            for entry in entries.values where live.products[entry.id] == nil && filter.takes(entry.key) {
                needed.insert(entry.id)
            }
        }
        if unplaced > 0 {
            let candidates = adoptionCandidates(entries: entries, filter: filter)
            needed.formUnion(candidates.filter { live.products[$0]?.isWhole != true })
        }
        return needed.inOrder()
    }

    /// The URLs of pictures to fetch and hash, each once, by product id and then in the product's order.
    ///
    /// These are the pictures that no reply to our requests named, on a market that keeps the bytes.
    package func picturesNeeded(capabilities: MarketCapabilities, filter: KeyFilter) -> [String] {
        // Nothing to fetch if only rows were read.
        guard capabilities.keepsPictureBytes, live.products.showPictures else {
            return []
        }
        let entries = renamedState().entries
        var wanted: [MarketID: [StateEntry.BoundImage]] = [:]
        for listing in manifest.listings where !listing.isAbsent && listing.values.images != nil {
            // Only the bytes show which of the market's pictures is the wanted thumbnail.
            guard !listing.ignoreChanges.contains(.images) || listing.manages(.thumbnail) else { continue }
            guard filter.takes(listing.key), let entry = entries[listing.key] else { continue }
            if live.products[entry.id]?.images != nil { wanted[entry.id] = entry.images ?? [] }
        }
        let candidates = adoptionCandidates(entries: entries, filter: filter) { listing in
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

extension Listing {
    fileprivate func matches(_ entry: StateEntry) -> Bool {
        if values == entry.applied { return true }
        return ProductField.allCases.allSatisfy { field in
            ignoreChanges.contains(field) || values[field] == entry.applied[field]
                || (field == .salePrice && values.sale == nil && entry.applied.sale == Sale.fullPrice)
        }
    }
}

extension LiveProduct {
    /// Whether a row of the list shows the values last applied, as far as it shows any that matter.
    func matches(_ entry: StateEntry, ignoring ignored: Set<ProductField>) -> Bool {
        guard entry.shown.isEmpty else {
            var (product, plain) = (self, entry)
            entry.recognize(in: &product.values)
            plain.shown = ProductValues()
            return product.matches(plain, ignoring: ignored)
        }
        func agrees(_ shown: String?, _ known: String?) -> Bool {
            shown == nil || known == nil || shown.isExactly(known)
        }
        let applied = entry.applied
        var aside = ProductFieldSet(ignored)
        let lacked = lackedFields(of: applied)
        guard lacked.isEmpty || !lacked.subtracting(aside).overlaps(applied.fields) else { return false }
        // Rows show no bytes of pictures: their addresses are compared instead.
        aside.formUnion([.images, .thumbnail])
        return values.agrees(with: applied, ignoring: aside)
            && agrees(thumbnailURL, entry.thumbnailURL) && agrees(issuedAt, entry.issuedAt)
    }
}
