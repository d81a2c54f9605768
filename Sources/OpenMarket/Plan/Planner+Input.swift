extension Planner {
    package struct Input: Sendable {
        package var manifest: Manifest
        package var state: StateSnapshot
        /// The list, with rows replaced by details that were read.
        package var live: LiveCatalog
        /// The SHA-256 of fetched live pictures, by URL.
        package var pictureDigests: [ExactText: ContentDigest] = [:]
        /// Why live pictures could not be fetched and compared, by URL.
        package var unreadPictures: [ExactText: MarketError] = [:]
        package var owedDeletes: [PlannedOperation] = []
        /// Keys to leave alone, because it is unknown whether their product exists.
        package var blockedKeys: Set<String> = []
        /// Names of products that an earlier run may have created for another listing; none is adopted by name.
        package var blockedNames: Set<String> = []
        package var inQuestion = ProductsInQuestion()
        /// Keys of unfinished deletes of an earlier run, which may have deleted their products.
        package var begunDeletes: Set<String> = []

        /// `nil` if the listings are meant to be all products: those of a complete table.
        package var origins: Origins?

        /// The market, and others with products in the state, if the state is empty for this one.
        package var otherMarkets: (own: MarketScope, others: [KnownMarket])?

        /// Whether products carry the manifest's keys: the market supports them, and the manifest allows it.
        package var sendsKeys = false

        /// Keys of products that an earlier run was to create: those creates were approved.
        package var begunCreates: Set<String> = []

        /// By a row's key: the managed key without a row that a spreadsheet may have turned into it.
        var rewrittenKeys: [String: String] = [:]

        package init(manifest: Manifest, state: StateSnapshot, live: LiveCatalog) {
            self.manifest = manifest
            self.state = state
            self.live = live
            settleKeys()
        }
    }
}

extension Planner.Input {
    /// The former key that a listing's product carries and that must change; `nil` if none.
    ///
    /// Only markets that can change keys have one. A key that was never the listing's was set by others.
    func formerKey(carriedBy live: LiveProduct, of listing: Listing, _ capabilities: MarketCapabilities) -> String? {
        guard sendsKeys, capabilities.key?.isChangeable == true, let carried = live.key, carried != listing.key,
            listing.previously.contains(carried)
        else { return nil }
        return carried
    }

    /// The keys of own products, from manifest (former keys included) and state; `nil` if products carry no keys.
    var ownKeys: ManagedKeys? {
        sendsKeys ? knownKeys : nil
    }

    /// The keys of own products, even if products do not carry keys.
    var knownKeys: ManagedKeys? {
        guard let capabilities = manifest.market.profile?.capabilities else { return nil }
        let listings = manifest.listings
        let listed = listings.indices.lazy.flatMap { [listings.key(at: $0)] + listings.previously(at: $0) }
        return ManagedKeys([Array(listed), Array(state.entries.keys)].joined(), capabilities)
    }

    /// The filter and the patterns, which also accept products by their keys before a pending rename.
    package func knowing(_ filter: KeyFilter, _ patterns: KeyPatterns) -> (KeyFilter, KeyPatterns) {
        guard !filter.takesAll || !patterns.patterns.isEmpty else { return (filter, patterns) }
        let formerKeys = Pairing(self).formerKeys
        return (filter.knowing(formerKeys), patterns.knowing(formerKeys))
    }
}
