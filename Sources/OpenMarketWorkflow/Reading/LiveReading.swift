import OpenMarket

extension Planner.Input {
    /// Reads the data that the plan needs beyond the list: details if rows do not suffice, and pictures whose bytes are
    /// unknown.
    ///
    /// `replaced` are products that are replaced whatever they show. `pictures` keeps fetched pictures for a review to
    /// show, except the manifest's own. `progress` is called after each detail with their number.
    mutating func readDetails(
        from market: any Market,
        mode: RefreshMode,
        capabilities: MarketCapabilities,
        filter: KeyFilter,
        replaced: KeyPatterns,
        parallelism: Int,
        pictures: (any PictureStore)?,
        clock: any Clock<Duration>,
        progress: (Int) -> Void
    ) async throws {
        let ids = detailsNeeded(mode: mode, capabilities: capabilities, filter: filter, replaced: replaced)
        var missing: [MarketID] = []
        try await forEachConcurrently(ids, width: parallelism) { id in
            try await market.product(id)
        } collect: { id, product in
            if let product { add(product) } else { missing.append(id) }
            progress(ids.count)
        }
        if capabilities.readAfterWriteDelay > .zero, !missing.isEmpty {
            // Listed but not found: hidden for a while after a write. If it stays hidden, the list's row is used.
            try await clock.sleep(for: capabilities.readAfterWriteDelay)
            try await forEachConcurrently(missing, width: parallelism) { id in
                try await market.product(id)
            } collect: { _, product in
                if let product { add(product) }
            }
        } else if live.unreadRows.count == 0 {
            // A 404 alone does not prove that a listed product is gone, so the list is read again.
            let lookup = ProductLookup(market: market, hiding: .zero) { try await clock.sleep(for: $0) }
            for id in missing {
                if let product = try await lookup.product(id) { add(product) } else { live.products[id] = nil }
            }
        }
        let urls = picturesNeeded(capabilities: capabilities, filter: filter).filter { pictureDigests[$0] == nil }
        let own =
            pictures == nil || urls.isEmpty
            ? [] : Set(manifest.listings.pictures(ofTombstones: true).joined().map(\.digest))
        try await forEachConcurrently(urls, width: parallelism) { url -> Result<ContentDigest, MarketError> in
            do {
                guard let pictures else { return .success(try await market.pictureDigest(at: url)) }
                let picture = try await market.picture(at: url)
                if !own.contains(picture.digest) { pictures.keep(picture, from: url) }
                return .success(picture.digest)
            } catch let error as MarketError {
                return .failure(error)
            }
        } collect: { url, found in
            switch found {
            case .success(let digest): pictureDigests[url] = digest
            case .failure(let error): unreadPictures[url] = error
            }
        }
    }
}

extension Planner.Input {
    /// Adds a product's details; they lack the values that only rows show.
    private mutating func add(_ product: LiveProduct) {
        live.products[product.id] = live.products[product.id]?.completed(by: product) ?? product
    }
}
