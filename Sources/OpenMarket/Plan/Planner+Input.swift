extension Planner {
    /// All that a plan depends on.
    package struct Input: Sendable {
        /// The manifest: what the catalog should be.
        package var manifest: Manifest
        /// What we last applied.
        package var state: StateSnapshot
        /// What is: the list, with details in the place of rows where they were read.
        package var live: LiveCatalog
        /// The SHA-256 of live pictures that were fetched, by URL.
        package var pictureDigests: [ExactText: ContentDigest]
        /// Why live pictures may not be fetched, by URL: these cannot be compared.
        package var foreignPictures: [ExactText: String] = [:]
        /// Deletes that an unfinished replace still owes.
        var owedDeletes: [PlannedOperation]
        /// Keys that must be left alone, because it is not known yet whether their product exists.
        var blockedKeys: Set<String>
        /// Names of products that an earlier run may have made for another listing: none of them is taken over by its name.
        package var blockedNames: Set<String> = []
        /// Keys of deletes that an earlier run began and did not finish: their products may be gone by its doing.
        package var begunDeletes: Set<String>

        /// Whether products carry the manifest's keys: the market takes them, and the manifest agrees.
        package var sendsKeys = false

        /// Keys of products that an earlier run was to make: that was agreed to, whatever they look like.
        package var begunCreates: Set<String> = []

        /// Input of a plan.
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

/// The state as a manifest that renames keys sees it.
struct RenamedState {
    /// The products by their present keys.
    var entries: StateEntries
    /// The new names, for the state.
    var renames: [StateMutation] = []
    /// The places of listings whose former keys cannot be followed, and why.
    var faults: [(listing: Int, fault: FormerKeyFault)] = []

    /// The keys that products have until they are renamed, by those that they have then.
    var formerKeys: [String: String] {
        var keys: [String: String] = [:]
        for case .rename(let former, let key) in renames { keys[key] = former }
        return keys
    }
}

/// Why `previously:` cannot be followed.
enum FormerKeyFault {
    /// A listing still has the former key.
    case stillListed(String)
    /// Another listing has taken over the product of the former key.
    case takenOver(String)
    /// The state has several products under the listing's key and its former ones.
    case several([(key: String, id: MarketID)])
}

extension StateEntry {
    /// Whether listing and row show just what the state knows, so that there is nothing to do and nothing to learn.
    func isCurrent(for listing: Listing, row: LiveProduct) -> Bool {
        listing.values == applied && row.matches(self, ignoring: listing.ignoreChanges)
            && (row.thumbnailURL == nil || thumbnailURL != nil) && (row.issuedAt == nil || issuedAt != nil)
            && (row.vendorID == nil || row.vendorID == vendorID)
            && secret == listing.secretReference && isProtected == listing.isProtected
    }
}

extension Planner.Input {
    /// The live product that we mean by an entry; `nil` where it is gone.
    ///
    /// What belongs to another vendor is not ours, whatever its id.
    func product(of entry: StateEntry) -> LiveProduct? {
        guard let product = live.products[entry.id] else { return nil }
        // Ids that were given out again: it is the product of another key that the state knows.
        if sendsKeys, let key = product.key, key != entry.key, let other = state.entries[key], other.id != entry.id {
            return nil
        }
        return Ownership(ofManaged: product.vendorID, recorded: entry.vendorID, said: state.vendorID) == .foreign
            ? nil : product
    }

    /// The former key of a listing that its product carries, where the market lets a product be given another one; `nil` where
    /// there is nothing to give.
    ///
    /// What carries a key that was never the listing's was given it by others.
    func formerKey(carriedBy live: LiveProduct, of listing: Listing, _ capabilities: MarketCapabilities) -> String? {
        guard sendsKeys, capabilities.key?.isChangeable == true, let carried = live.key, carried != listing.key,
            listing.previously.contains(carried)
        else { return nil }
        return carried
    }

    /// The keys of our products: those of the manifest, former ones included, and of the state; `nil` where products carry
    /// none.
    var ownKeys: OwnKeys? {
        guard sendsKeys, let capabilities = manifest.market.profile?.capabilities else { return nil }
        let listings = manifest.listings
        let listed = listings.indices.lazy.flatMap { [listings.key(at: $0)] + listings.previously(at: $0) }
        return OwnKeys([Array(listed), Array(state.entries.keys)].joined(), capabilities)
    }

    /// Whether a look at the bytes shows that a listing and the list's row, if it was read, are just what the state knows, so
    /// that there is nothing to do and nothing to learn: nearly all products of nearly all plans.
    ///
    /// - Parameters:
    ///   - listing: The place of the listing.
    ///   - position: The place of its entry.
    ///   - entries: The state, where keys may have been renamed, and products dropped, but nothing else.
    /// - Returns: Whether it is evident; most that are current are.
    func isKnownCurrent(_ listing: Int, _ position: Int, _ entries: StateEntries) -> Bool {
        let id = entries.id(at: position)
        return manifest.listings.pinnedID(at: listing).map({ $0 == id }) ?? true
            && Ownership(showing: entries.vendorID(at: position), ours: state.vendorID) != .foreign
            && live.products.isAsKnown(position, in: entries)
            && entries.isKnownApplied(position, to: listing, of: manifest.listings)
    }

    /// What became of a product that is gone, as a phrase for messages.
    func loss(of entry: StateEntry) -> String {
        guard let product = live.products[entry.id], let vendor = product.vendorID else {
            return "was product \(entry.id)"
        }
        return "product \(entry.id) is vendor \(vendor)'s now"
    }

    /// The state by present keys: products that `previously:` names under another key are moved.
    func renamedState() -> RenamedState {
        var renamed = RenamedState(entries: state.entries)
        var listed: Set<String>?
        for index in manifest.listings.indices where !manifest.listings.previously(at: index).isEmpty {
            let key = manifest.listings.key(at: index)
            let former = manifest.listings.previously(at: index).filter { $0 != key && state.entries[$0] != nil }
            guard !former.isEmpty else { continue }
            // What is unresolved under a key is settled under that key.
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

    /// A filter, and patterns, that take products also for the keys that they have until they are renamed.
    package func knowing(_ filter: KeyFilter, _ patterns: KeyPatterns) -> (KeyFilter, KeyPatterns) {
        guard !filter.takesAll || !patterns.patterns.isEmpty else { return (filter, patterns) }
        let formerKeys = renamedState().formerKeys
        return (filter.knowing(formerKeys), patterns.knowing(formerKeys))
    }

    /// Why a listing cannot take over what the state has under its former keys; `nil` where it can.
    ///
    /// Which of two products is the one that is to stay, and which is to go, only the user knows.
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
    /// A market that was reset gives its numbers once more; until all products are made again, an old number may be a new
    /// product's.
    private func dropStaleDuplicates(_ entries: inout StateEntries) {
        // Mostly the numbers rise, and then none appears twice.
        guard !zip(entries.ids, entries.ids.dropFirst()).allSatisfy({ $1.isNewer(than: $0) }),
            Set(entries.ids).count < entries.count
        else { return }
        for (id, twins) in Dictionary(grouping: entries.values, by: \.id) where twins.count > 1 {
            let name = live.products[id]?.name
            let kept = twins.filter { $0.applied.name == name }.map(\.key).min() ?? twins.map(\.key).min()
            for twin in twins where twin.key != kept { entries[twin.key] = nil }
        }
    }

    /// The row that could not be read and that may be an entry's product; `nil` where the list shows the number, or proves
    /// that the market lacks it.
    func unreadRow(of entry: StateEntry, _ unread: UnreadRows) -> RowProblem? {
        live.products[entry.id] == nil ? unread.row(of: entry.id) : nil
    }
}
