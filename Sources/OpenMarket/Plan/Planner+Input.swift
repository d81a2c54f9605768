extension Planner {
    /// All inputs of a plan.
    package struct Input: Sendable {
        package var manifest: Manifest
        package var state: StateSnapshot
        /// The list, with details instead of rows if they were read.
        package var live: LiveCatalog
        /// The SHA-256 of live pictures that were fetched, by URL.
        package var pictureDigests: [ExactText: ContentDigest]
        /// Why live pictures could not be fetched, by URL: these cannot be compared.
        package var unreadPictures: [ExactText: MarketError] = [:]
        var owedDeletes: [PlannedOperation]
        /// Keys that must be left alone, because it is unknown whether their product exists.
        var blockedKeys: Set<String>
        /// Names of products that an earlier run may have created for another listing: none of them is adopted by its
        /// name.
        package var blockedNames: Set<String> = []
        package var inQuestion = ProductsInQuestion()
        /// Keys of deletes that an earlier run began and did not finish: it may have deleted their products.
        package var begunDeletes: Set<String>

        /// Whether products carry the manifest's keys: the market supports them, and the manifest allows it.
        package var sendsKeys = false

        /// Keys of products that an earlier run was to create: they were approved, whatever they look like.
        package var begunCreates: Set<String> = []

        package init(
            manifest: Manifest,
            state: StateSnapshot,
            live: LiveCatalog,
            pictureDigests: [ExactText: ContentDigest] = [:],
            owedDeletes: [PlannedOperation] = [],
            blockedKeys: Set<String> = [],
            begunDeletes: Set<String> = []
        ) {
            self.manifest = manifest
            self.state = state
            self.live = live
            self.pictureDigests = pictureDigests
            self.owedDeletes = owedDeletes
            self.blockedKeys = blockedKeys
            self.begunDeletes = begunDeletes
            settleKeys()
        }
    }
}

extension Planner.Input {
    /// The former key that a listing's product carries, if the market can change keys; `nil` if no key has to change.
    ///
    /// A product with a key that was never the listing's got it from others.
    func formerKey(carriedBy live: LiveProduct, of listing: Listing, _ capabilities: MarketCapabilities) -> String? {
        guard sendsKeys, capabilities.key?.isChangeable == true, let carried = live.key, carried != listing.key,
            listing.previously.contains(carried)
        else { return nil }
        return carried
    }

    /// The keys of our products, from manifest (former keys included) and state; `nil` if products carry no keys.
    var ownKeys: ManagedKeys? {
        sendsKeys ? knownKeys : nil
    }

    /// The keys of our products, whether or not products carry them.
    var knownKeys: ManagedKeys? {
        guard let capabilities = manifest.market.profile?.capabilities else { return nil }
        let listings = manifest.listings
        let listed = listings.indices.lazy.flatMap { [listings.key(at: $0)] + listings.previously(at: $0) }
        return ManagedKeys([Array(listed), Array(state.entries.keys)].joined(), capabilities)
    }

    /// The filter and the patterns, which accept products also by their keys before a pending rename.
    package func knowing(_ filter: KeyFilter, _ patterns: KeyPatterns) -> (KeyFilter, KeyPatterns) {
        guard !filter.takesAll || !patterns.patterns.isEmpty else { return (filter, patterns) }
        let formerKeys = Pairing(self).formerKeys
        return (filter.knowing(formerKeys), patterns.knowing(formerKeys))
    }
}
