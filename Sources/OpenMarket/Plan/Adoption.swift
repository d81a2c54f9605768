/// Finds the live product that a listing without state means, if there is one.
struct Adoption {
    /// What was found.
    enum Candidate {
        /// Nothing: the product is to be made.
        case none
        /// Nothing that is provably ours, but products of the same name.
        case similar([ProductID])
        /// Exactly one.
        case product(LiveProduct, reason: String)
        /// More than one product of ours has the name.
        case ambiguous([ProductID])
        /// The pinned product does not exist.
        case pinnedMissing(ProductID)
        /// The pinned product belongs to another vendor.
        case foreign(ProductID)
        /// The pinned product is already another key's.
        case bound(ProductID, key: String)
        /// The pinned product is about to be deleted.
        case doomed(ProductID)
    }

    /// Live products of one name that no key has, each list in rising order.
    ///
    /// Here, and only here, names are equal as people see them: a market may have stored a name in other bytes than
    /// were sent, and a second listing of a product would be worse than a question.
    private struct Namesakes {
        var ours: [ProductID] = []
        var others: [ProductID] = []
    }

    private let input: Planner.Input
    private let entries: [String: StateEntry]
    private let capabilities: MarketCapabilities
    private let vouched: Bool

    // Built when the first listing asks, for mostly none does. No `lazy var`: changing one copies it whole.
    private var isPrepared = false
    private var keys: [ProductID: String] = [:]
    private var doomed: Set<ProductID> = []
    private var namesakes: [String: Namesakes] = [:]

    init(input: Planner.Input, entries: [String: StateEntry], capabilities: MarketCapabilities, vouched: Bool) {
        self.input = input
        self.entries = entries
        self.capabilities = capabilities
        self.vouched = vouched
    }

    /// The product that a listing means.
    ///
    /// Each product is given out once.
    mutating func candidate(for listing: Listing) -> Candidate {
        prepare()
        if let id = listing.pinnedID { return pinned(id, by: listing.key) }
        guard let name = listing.values.name, let found = namesakes[name] else { return .none }
        switch found.ours.count {
        case 0:
            // On a market that names vendors, the others' products are none of our business once we know our number.
            let areForeign = capabilities.listShowsVendor && input.vendorID != nil
            return areForeign || found.others.isEmpty ? .none : .similar(found.others)
        case 1:
            guard let live = input.live.products[found.ours[0]] else { return .none }
            namesakes[name]?.ours = []
            let proof = live.isProvablyOurs(input) ? "is ours" : "--adopt vouches for"
            return .product(live, reason: "the market has a product of this name that \(proof)")
        default:
            return .ambiguous(found.ours)
        }
    }

    private mutating func pinned(_ id: ProductID, by key: String) -> Candidate {
        if let other = keys[id] { return .bound(id, key: other) }
        if doomed.contains(id) { return .doomed(id) }
        guard let live = input.live.products[id] else { return .pinnedMissing(id) }
        if live.isProvablyForeign(input) { return .foreign(id) }
        keys[id] = key
        return .product(live, reason: "pinned by id in the manifest")
    }

    private mutating func prepare() {
        guard !isPrepared else { return }
        isPrepared = true
        keys = Dictionary(entries.values.map { ($0.id, $0.key) }, uniquingKeysWith: min)
        doomed = Set(input.owedDeletes.compactMap(\.id))
        // A pinned product is spoken for, whichever listing comes first.
        let pinned = Set(input.manifest.listings.compactMap(\.pinnedID))
        var found: [String: Namesakes] = [:]
        for (id, product) in input.live.products {
            guard let name = product.name, keys[id] == nil, !pinned.contains(id), !doomed.contains(id) else { continue }
            let isOurs = product.isProvablyOurs(input) || (vouched && !product.isProvablyForeign(input))
            if isOurs {
                found[name, default: Namesakes()].ours.append(id)
            } else {
                found[name, default: Namesakes()].others.append(id)
            }
        }
        namesakes = found.mapValues { Namesakes(ours: $0.ours.sorted(), others: $0.others.sorted()) }
    }
}

extension Planner.Input {
    /// Our vendor number, where manifest or state know it (v2).
    var vendorID: Int64? { manifest.market.vendorID ?? state.vendorID }

    /// The products whose details a plan may need for adoption: same name or pinned, not managed, not another vendor's.
    func adoptionCandidates(entries: [String: StateEntry], filter: KeyFilter) -> [ProductID] {
        var names: Set<String> = []
        var pins: Set<ProductID> = []
        for listing in manifest.listings where !listing.isAbsent {
            // Without a product that shows: never had one, or it is gone.
            guard entries[listing.key].map({ product(of: $0) == nil }) ?? true else { continue }
            guard filter.takes(listing.key), !blockedKeys.contains(listing.key) else { continue }
            if let id = listing.pinnedID {
                pins.insert(id)
            } else if let name = listing.values.name {
                names.insert(name)
            }
        }
        guard !names.isEmpty || !pins.isEmpty else { return [] }
        let managed = Set(entries.values.map(\.id))
        return live.products.values
            .filter { pins.contains($0.id) || $0.name.map(names.contains) == true }
            .filter { !managed.contains($0.id) && !$0.isProvablyForeign(self) }
            .map(\.id)
    }
}

extension LiveProduct {
    /// Whether the market says that the product belongs to our vendor.
    func isProvablyOurs(_ input: Planner.Input) -> Bool {
        guard let vendorID, let ours = input.vendorID else { return false }
        return vendorID == ours
    }

    /// Whether the market says that the product belongs to another vendor.
    func isProvablyForeign(_ input: Planner.Input) -> Bool {
        guard let vendorID, let ours = input.vendorID else { return false }
        return vendorID != ours
    }
}
