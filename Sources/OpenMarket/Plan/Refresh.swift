/// How much of the market a plan reads.
package enum RefreshMode: String, Hashable, Sendable, CaseIterable {
    /// The list, and the details of products whose row or listing changed.
    case changed
    /// The list and every managed product's details.
    case full
    /// Nothing: the state is trusted.
    case nothing = "none"
}

extension Planner.Input {
    /// The products whose details a plan needs beyond their rows.
    ///
    /// - Parameters:
    ///   - mode: how much the user wants read.
    ///   - capabilities: what rows show.
    ///   - filter: which products the run is about.
    ///   - replaced: which products are replaced, whatever they show.
    /// - Returns: ids in order: managed products that the list lacks (only a detail proves them gone), whose
    ///   row or listing differs from the state, and candidates for adoption.
    package func detailsNeeded(
        mode: RefreshMode,
        capabilities: MarketCapabilities,
        filter: KeyFilter,
        replaced: KeyPatterns = KeyPatterns()
    ) -> [MarketID] {
        guard mode != .nothing else { return [] }
        var needed: Set<MarketID> = []
        let entries = renamedState().entries
        // Counted, so that what is rare is only looked for where it exists.
        var listedEntries = 0
        var last = -1
        // Listings that no live product is known for yet.
        var unplaced = 0
        for index in manifest.listings.indices {
            let position = entries.position(ofKeyOf: index, in: manifest.listings, guess: last + 1)
            last = position ?? last
            if position == nil { unplaced += 1 } else { listedEntries += 1 }
            // Whether a product carries the key that its listing has by now, a row may not show.
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
            // The list may lag behind or lack a row; that a pinned product is missing is an error, so make sure.
            if let pinned = listing.pinnedID, pinned != entry?.id, live.products[pinned] == nil {
                needed.insert(pinned)
            }
            // A product that has to go needs no more than its name.
            guard let entry else { continue }
            guard let row = live.products[entry.id] else {
                // If it is gone, what has taken its place is compared like any other that is adopted.
                unplaced += 1
                needed.insert(entry.id)
                continue
            }
            guard !listing.isAbsent else { continue }
            guard product(of: entry) != nil else {
                unplaced += 1
                continue
            }
            if isReplaced || isRenamed && row.key != listing.key {
                needed.insert(entry.id)
            } else if mode != .full, let table = listing.row {
                if table.action != .ignore, !listing.isShown(by: row, known: entry) { needed.insert(entry.id) }
            } else if mode == .full || !listing.matches(entry) || !row.matches(entry, ignoring: listing.ignoreChanges) {
                needed.insert(entry.id)
            }
        }
        if listedEntries != entries.count, manifest.isComplete {
            for entry in entries.values where live.products[entry.id] == nil && filter.takes(entry.key) {
                needed.insert(entry.id)
            }
        }
        if unplaced > 0 { needed.formUnion(adoptionCandidates(entries: entries, filter: filter)) }
        return needed.inOrder()
    }

    /// The pictures that have to be fetched and hashed: those that no reply to our requests named, where the market
    /// keeps the bytes.
    ///
    /// - Parameters:
    ///   - capabilities: whether the market keeps the bytes.
    ///   - filter: which products the run is about.
    /// - Returns: each URL once, by product id and then in the product's order.
    package func picturesNeeded(capabilities: MarketCapabilities, filter: KeyFilter) -> [String] {
        // Nothing to fetch where only rows were read.
        guard capabilities.keepsPictureBytes, live.products.showPictures else {
            return []
        }
        let entries = renamedState().entries
        var wanted: [MarketID: [StateEntry.BoundImage]] = [:]
        for listing in manifest.listings where !listing.isAbsent && listing.values.images != nil {
            // Which of the market's pictures is the wanted thumbnail, only the bytes show.
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
    /// The catalog as the state remembers it, for planning without reading the market.
    ///
    /// URLs of pictures are the references that the state holds.
    package static func remembered(by state: StateSnapshot) -> LiveCatalog {
        LiveCatalog(products: LiveProducts(remembering: state.entries))
    }
}

extension Listing {
    /// Whether the manifest wants what was last applied.
    fileprivate func matches(_ entry: StateEntry) -> Bool {
        if values == entry.applied { return true }
        return ProductField.allCases.allSatisfy { field in
            ignoreChanges.contains(field) || values[field] == entry.applied[field]
                || (field == .salePrice && values.sale == nil && entry.applied.sale == Sale.fullPrice)
        }
    }
}

extension LiveProduct {
    /// Whether a row of the list shows what was last applied, as far as it shows anything that matters.
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
