/// The listings of a manifest, each with its product's entry in the state.
///
/// One pass serves planning, the choice of details to read, and the search for drift.
struct Pairing: Sendable {
    /// A listing's entry, and whether its product needs a closer look.
    struct Pair: Sendable {
        /// -1 if there is none; 32 bits, because each product has one.
        private let position: Int32
        /// Whether listing, entry and product are known to be equal byte by byte; `false` means undecided.
        let isCurrent: Bool

        fileprivate init(_ position: Int?, isCurrent: Bool) {
            self.position = position.map { Int32($0) } ?? -1
            self.isCurrent = isCurrent
        }

        /// The position among ``Pairing/entries``; `nil` if the listing's key is not in the state.
        var entry: Int? { position < 0 ? nil : Int(position) }
    }

    /// In the order of the listings.
    private(set) var pairs: [Pair] = []
    /// The state by present keys: products are moved to the keys that `previously:` gives them.
    private(set) var entries: StateEntries
    /// Listings whose products get their keys, with the keys that the state has.
    private(set) var renames: [(listing: Int, from: String, to: String)] = []
    /// Listings whose former keys cannot be followed, and why.
    private(set) var faults: [(listing: Int, fault: Diagnostic)] = []
    private(set) var unlistedCount = 0
    /// Rows that may be products missing from the list.
    ///
    /// Those products are neither created nor forgotten.
    let unread: UnreadRows

    init(_ input: Planner.Input) {
        entries = input.state.entries
        unread = input.live.unreadRows
        rename(input)
        dropStaleDuplicates(input.live)
        pair(input)
    }

    /// Former keys, by the keys that replace them.
    var formerKeys: [String: String] {
        Dictionary(renames.map { ($0.to, $0.from) }) { first, _ in first }
    }

    private mutating func pair(_ input: Planner.Input) {
        let listings = input.manifest.listings
        pairs.reserveCapacity(listings.count)
        var last = -1
        unlistedCount = entries.count
        for index in listings.indices {
            let position = entries.position(ofKeyOf: index, in: listings, guess: last + 1)
            if let position {
                last = position
                unlistedCount -= 1
            }
            pairs.append(Pair(position, isCurrent: position.map { isCurrent(index, $0, input) } ?? false))
        }
    }

    /// Fast path of every comparison: most products are equal byte by byte.
    ///
    /// Compared with the state, ``entries`` may only have renamed keys and dropped products.
    private func isCurrent(_ listing: Int, _ position: Int, _ input: Planner.Input) -> Bool {
        let listings = input.manifest.listings
        return listings.row(at: listing) == nil && listings.previously(at: listing).isEmpty
            && listings.pinnedID(at: listing).map { $0 == entries.id(at: position) } ?? true
            && Ownership(showing: entries.vendorID(at: position), ours: input.state.vendorID) != .foreign
            && input.live.products.isAsKnown(position, in: entries)
            && entries.isKnownApplied(position, to: listing, of: listings)
    }
}

// MARK: - Former keys

extension Pairing {
    private mutating func rename(_ input: Planner.Input) {
        let (listings, known) = (input.manifest.listings, input.state.entries)
        var listed: Set<String>?
        for index in listings.indices where !listings.previously(at: index).isEmpty {
            let key = listings.key(at: index)
            let former = listings.previously(at: index).filter { $0 != key && known[$0] != nil }
            guard !former.isEmpty else { continue }
            // An unresolved operation is resolved under its old key.
            guard !input.blockedKeys.contains(key), input.blockedKeys.isDisjoint(with: former) else { continue }
            let keys = listed ?? Set(listings.indices.map(listings.key(at:)))
            listed = keys
            if let fault = fault(of: former, for: listings[index], listed: keys, known) {
                faults.append((index, fault))
                continue
            }
            // If the state has the product under both keys, it stays under the new one.
            guard var entry = entries.removeValue(forKey: former[0]), known[key] == nil else { continue }
            entry.key = key
            entries[key] = entry
            renames.append((index, former[0], key))
        }
    }

    /// Why a listing cannot inherit the state of its former keys; `nil` if it can.
    ///
    /// Only the user can choose between two products.
    private func fault(
        of former: [String],
        for listing: Listing,
        listed: Set<String>,
        _ known: StateEntries
    ) -> Diagnostic? {
        let key = listing.key
        func refused(_ message: String, help: String) -> Diagnostic {
            Diagnostic(.error, .formerKey, "'\(key)' \(message)", location: listing.location(), help: help)
        }
        if let old = former.first(where: listed.contains) {
            let help = "take the product '\(old)' out, or the key out of `previously`"
            return refused("cannot replace '\(old)', which is a product of its own", help: help)
        }
        if let old = former.first(where: { entries[$0] == nil }) {
            let help = "leave '\(old)' in one `previously`"
            return refused("cannot replace '\(old)', because another product does", help: help)
        }
        let products = ([key] + former).compactMap { known[$0] }
        guard Set(products.map(\.id)).count > 1 else { return nil }
        let list = products.map { "'\($0.key)' (product \($0.id))" }.joined(separator: " and ")
        return refused(
            "cannot be renamed, because the state has \(list): only one of them can stay",
            help: products[0].key == key
                ? "take `previously` out to keep product \(products[0].id); to keep another one, apply without '\(key)' first"
                : "leave one key in `previously`; a product whose key is no longer in the manifest is deleted"
        )
    }

    /// Keeps one key for each product: of several, the one whose name the product has.
    ///
    /// A reset market reuses ids. Until all products are created again, an old id may be a new product's.
    private mutating func dropStaleDuplicates(_ live: LiveCatalog) {
        // Usually no ID repeats. Sorted hashes show that in a fifth of the memory of a set.
        let hashes = entries.ids.map(\.hashValue).sorted()
        guard zip(hashes, hashes.dropFirst()).contains(where: ==) else { return }
        for (id, twins) in Dictionary(grouping: entries.values, by: \.id) where twins.count > 1 {
            let name = live.products[id]?.name
            let kept = twins.filter { $0.applied.name == name }.map(\.key).min() ?? twins.map(\.key).min()
            for twin in twins where twin.key != kept { entries[twin.key] = nil }
        }
    }
}

// MARK: - Products

/// The status of a product in the state.
enum Standing {
    case live(LiveProduct)
    /// The list does not show it, but this unreadable row may be it.
    case unreadable(RowProblem)
    /// The market lacks it, or another product has its id now.
    case gone(successor: LiveProduct?)
}

extension Planner.Input {
    func standing(of entry: StateEntry, _ unread: UnreadRows) -> Standing {
        if let product = product(of: entry) { return .live(product) }
        let successor = live.products[entry.id]
        if successor == nil, let problem = unread.row(of: entry.id) { return .unreadable(problem) }
        return .gone(successor: successor)
    }

    /// The live product of an entry; `nil` if it is gone or another vendor's, whatever its id.
    func product(of entry: StateEntry) -> LiveProduct? {
        guard let product = live.products[entry.id] else { return nil }
        // A reused id: the product belongs to another key of the state.
        if sendsKeys, let key = product.key, key != entry.key, let other = state.entries[key], other.id != entry.id {
            return nil
        }
        return Ownership(ofManaged: product.vendorID, recorded: entry.vendorID, said: state.vendorID) == .foreign
            ? nil : product
    }

    /// Whether a listing never had a live product, or has lost it.
    func lacksProduct(_ pair: Pairing.Pair, _ entries: StateEntries) -> Bool {
        guard !pair.isCurrent, let position = pair.entry else { return !pair.isCurrent }
        return product(of: entries.entry(at: position)) == nil
    }

    /// Compares a listing with a live product and its entry, field by field; without an entry, the product was not
    /// applied yet.
    func comparison(
        of listing: Listing,
        _ entry: StateEntry?,
        _ live: LiveProduct,
        _ capabilities: MarketCapabilities
    ) -> FieldComparison {
        FieldComparison(
            listing: listing,
            base: entry?.applied ?? ProductValues(),
            live: live.values(entry: entry, digests: pictureDigests, capabilities: capabilities),
            lacked: live.lackedFields(of: listing.values),
            capabilities: capabilities
        )
    }

    /// Why a picture of a product could not be fetched; its pictures then count as neither equal nor different.
    ///
    /// Pictures that the entry has by reference are compared without bytes.
    func unreadPicture(of live: LiveProduct, _ entry: StateEntry) -> MarketError? {
        guard !unreadPictures.isEmpty else { return nil }
        let known = Set((entry.images ?? []).map(\.reference))
        return live.images?.lazy.filter { !known.contains($0.reference) }.compactMap { unreadPictures[$0.url] }.first
    }
}

extension StateEntry {
    /// Why the entry's product is gone, as a phrase for messages.
    func loss(to successor: LiveProduct?) -> String {
        guard let vendor = successor?.vendorID else { return "was product \(id)" }
        return "product \(id) is vendor \(vendor)'s now"
    }
}
