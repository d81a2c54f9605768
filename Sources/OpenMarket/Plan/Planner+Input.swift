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

/// The state as seen by a manifest that renames keys.
struct RenamedState {
    var entries: StateEntries
    var renames: [StateMutation] = []
    /// The positions of listings whose former keys cannot be followed, and the reasons.
    var faults: [(listing: Int, fault: FormerKeyFault)] = []

    /// The keys of products before the rename, by those after it.
    var formerKeys: [String: String] {
        var keys: [String: String] = [:]
        for case .rename(let former, let key) in renames { keys[key] = former }
        return keys
    }
}

/// Why `previously:` cannot be followed.
enum FormerKeyFault {
    case stillListed(String)
    /// Another listing has adopted the product of the former key.
    case takenOver(String)
    /// The state has several products under the listing's key and its former ones.
    case several([(key: String, id: MarketID)])
}

extension StateEntry {
    /// Whether listing and row equal the state, so that neither an operation nor a state update is needed.
    func isCurrent(for listing: Listing, row: LiveProduct) -> Bool {
        listing.values == applied && row.matches(self, ignoring: listing.ignoreChanges)
            && (row.thumbnailURL == nil || thumbnailURL != nil) && (row.issuedAt == nil || issuedAt != nil)
            && (row.vendorID == nil || row.vendorID == vendorID)
            && secret == listing.secretReference && isProtected == listing.isProtected
    }
}

extension Planner.Input {
    /// The live product of an entry; `nil` if it is gone.
    ///
    /// A product of another vendor is not ours, whatever its id.
    func product(of entry: StateEntry) -> LiveProduct? {
        guard let product = live.products[entry.id] else { return nil }
        // Reused ids: the product belongs to another key of the state.
        if sendsKeys, let key = product.key, key != entry.key, let other = state.entries[key], other.id != entry.id {
            return nil
        }
        return Ownership(ofManaged: product.vendorID, recorded: entry.vendorID, said: state.vendorID) == .foreign
            ? nil : product
    }

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
    var ownKeys: OwnKeys? {
        sendsKeys ? knownKeys : nil
    }

    /// The keys of our products, whether or not products carry them.
    var knownKeys: OwnKeys? {
        guard let capabilities = manifest.market.profile?.capabilities else { return nil }
        let listings = manifest.listings
        let listed = listings.indices.lazy.flatMap { [listings.key(at: $0)] + listings.previously(at: $0) }
        return OwnKeys([Array(listed), Array(state.entries.keys)].joined(), capabilities)
    }

    /// Fast path: whether a comparison of bytes shows that a listing and the list's row, if read, equal the state.
    ///
    /// False means undecided, but most current products are recognized. `listing` and `position` are the positions of
    /// the listing and its entry. In `entries`, keys may have been renamed and products dropped, but nothing else.
    func isKnownCurrent(_ listing: Int, _ position: Int, _ entries: StateEntries) -> Bool {
        let id = entries.id(at: position)
        return manifest.listings.pinnedID(at: listing).map({ $0 == id }) ?? true
            && Ownership(showing: entries.vendorID(at: position), ours: state.vendorID) != .foreign
            && live.products.isAsKnown(position, in: entries)
            && entries.isKnownApplied(position, to: listing, of: manifest.listings)
    }

    /// Why a product is gone, as a phrase for messages.
    func loss(of entry: StateEntry) -> String {
        guard let product = live.products[entry.id], let vendor = product.vendorID else {
            return "was product \(entry.id)"
        }
        return "product \(entry.id) is vendor \(vendor)'s now"
    }

    /// The state by present keys: products that `previously:` gives another key are moved.
    func renamedState() -> RenamedState {
        var renamed = RenamedState(entries: state.entries)
        var listed: Set<String>?
        for index in manifest.listings.indices where !manifest.listings.previously(at: index).isEmpty {
            let key = manifest.listings.key(at: index)
            let former = manifest.listings.previously(at: index).filter { $0 != key && state.entries[$0] != nil }
            guard !former.isEmpty else { continue }
            // An unresolved operation is resolved under the key that it has.
            guard !blockedKeys.contains(key), blockedKeys.isDisjoint(with: former) else { continue }
            let keys = listed ?? Set(manifest.listings.indices.map(manifest.listings.key(at:)))
            listed = keys
            if let fault = fault(of: former, for: key, listed: keys, renamed.entries) {
                renamed.faults.append((index, fault))
                continue
            }
            guard var entry = renamed.entries.removeValue(forKey: former[0]) else { continue }
            entry.key = key
            renamed.entries[key] = entry
            renamed.renames.append(.rename(from: former[0], to: key))
        }
        dropStaleDuplicates(&renamed.entries)
        return renamed
    }

    /// The filter and the patterns, which accept products also by their keys before a pending rename.
    package func knowing(_ filter: KeyFilter, _ patterns: KeyPatterns) -> (KeyFilter, KeyPatterns) {
        guard !filter.takesAll || !patterns.patterns.isEmpty else { return (filter, patterns) }
        let formerKeys = renamedState().formerKeys
        return (filter.knowing(formerKeys), patterns.knowing(formerKeys))
    }

    /// Why a listing cannot inherit the state of its former keys; `nil` if it can.
    ///
    /// Only the user knows which of two products stays and which is deleted.
    private func fault(
        of former: [String],
        for key: String,
        listed: Set<String>,
        _ entries: StateEntries
    ) -> FormerKeyFault? {
        if let old = former.first(where: listed.contains) { return .stillListed(old) }
        if let old = former.first(where: { entries[$0] == nil }) { return .takenOver(old) }
        let own = state.entries[key].map { [$0] } ?? []
        let products = own + former.compactMap { state.entries[$0] }
        return Set(products.map(\.id)).count > 1 ? .several(products.map { ($0.key, $0.id) }) : nil
    }

    /// Leaves each product one key: of several, the one whose name it has.
    ///
    /// A reset market reuses ids; until all products are created again, an old id may be a new product's.
    private func dropStaleDuplicates(_ entries: inout StateEntries) {
        // Fast path: usually the ids rise, so none appears twice.
        guard !zip(entries.ids, entries.ids.dropFirst()).allSatisfy({ $1.isNewer(than: $0) }),
            Set(entries.ids).count < entries.count
        else { return }
        for (id, twins) in Dictionary(grouping: entries.values, by: \.id) where twins.count > 1 {
            let name = live.products[id]?.name
            let kept = twins.filter { $0.applied.name == name }.map(\.key).min() ?? twins.map(\.key).min()
            for twin in twins where twin.key != kept { entries[twin.key] = nil }
        }
    }

    /// The unreadable row that may be an entry's product; `nil` if the list shows the id, or proves that the market
    /// lacks it.
    func unreadRow(of entry: StateEntry, _ unread: UnreadRows) -> RowProblem? {
        live.products[entry.id] == nil ? unread.row(of: entry.id) : nil
    }
}
