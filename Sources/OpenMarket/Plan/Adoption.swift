/// Finds the live product that a listing without one means, and the products that it may mean.
struct Adoption {
    /// The result of looking for the product that a listing means.
    enum Candidate {
        /// Nothing: the product is to be made.
        case none
        /// A product of the name, which an earlier run may have made for another listing: nothing is done until that is known.
        case unresolved
        /// Products of the same name, or of the beginning of it, that may be it.
        case namesakes([MarketID], Namesakes.Kind)
        /// Products of the name, all of them others' if we are the vendor that we are said to be, which nothing confirms.
        case contested([MarketID])
        /// Exactly one.
        case product(LiveProduct, reason: String)
        /// Several products carry its key, or one does and the manifest names another.
        case shared([MarketID])
        /// More than one product of ours has the name.
        case ambiguous([MarketID])
        /// The pinned product does not exist.
        case pinnedMissing(MarketID)
        /// The pinned product belongs to another vendor.
        case foreign(MarketID)
        /// The pinned product is already another key's.
        case bound(MarketID, key: String)
        /// The pinned product is about to be deleted.
        case leaving(MarketID)
    }

    /// Live products of one name that no key has and that are not provably another vendor's, each list in order.
    ///
    /// Here, and only here, names are equal as people see them: a market may have stored a name in other bytes than
    /// were sent, and a second listing of a product would be worse than a question.
    private struct Unbound {
        /// Provably ours, or vouched for.
        var ours: [MarketID] = []
        /// Products whose vendor is unknown.
        var unclear: [MarketID] = []
        /// Products that are another vendor's if we are the vendor that we are said to be.
        var contested: [MarketID] = []

        var isEmpty: Bool { ours.isEmpty && unclear.isEmpty && contested.isEmpty }
    }

    private let input: Planner.Input
    private let identity: VendorIdentity
    private let entries: StateEntries
    private let capabilities: MarketCapabilities
    private let vouched: Bool

    // Built when the first listing asks, for mostly none does. No `lazy var`: changing one copies it whole.
    private var isPrepared = false
    private var keys: [MarketID: String] = [:]
    private var leaving: Set<MarketID> = []
    /// The live products that carry a key of ours, but for those about to be deleted.
    private var carriers: [String: [MarketID]] = [:]
    /// Live products that no key has and that are not to be made: pinned ones, and those about to be deleted.
    private(set) var claimed: Set<MarketID> = []
    private var namesakes: [String: Unbound] = [:]
    /// The products that no listing has the name of, and that may be listings whose names the market cut.
    private var cutNames = CutNames([], except: [])
    /// The products that may be ours by their names, where the market shows names otherwise than they were sent.
    private var rewrittenNames: [RewrittenName: [MarketID]] = [:]
    /// The products without a name that may be any listing, in rising order.
    private var nameless: [LiveProduct] = []
    /// Products of ours of a repeated name that show just what a listing wants, by the listing's key.
    private var exact: [String: MarketID] = [:]

    /// Of this many pairs of listings and products of one name, none is compared: saying `id:` is less work.
    private static let mostPairs = 1_000_000
    /// More products without a name are not compared with listings one by one.
    private static let mostNameless = 100

    init(
        input: Planner.Input,
        identity: VendorIdentity,
        entries: StateEntries,
        capabilities: MarketCapabilities,
        vouched: Bool
    ) {
        self.input = input
        self.identity = identity
        self.entries = entries
        self.capabilities = capabilities
        self.vouched = vouched
    }

    /// The product that a listing means.
    ///
    /// Each product is given out once.
    mutating func candidate(for listing: Listing) -> Candidate {
        prepare()
        let carriers = carriers(of: listing)
        if let id = listing.pinnedID, carriers.contains(where: { $0 != id }) {
            return .shared(Set(carriers).union([id]).inOrder())
        }
        if let id = listing.pinnedID { return pinned(id, by: listing.key) }
        if carriers.count > 1 { return .shared(carriers.inOrder()) }
        if let id = carriers.first, let live = input.live.products[id] {
            if let other = keys[id], other != listing.key { return .bound(id, key: other) }
            // It has the key and is never written, and a second one of the key must not be made.
            guard live.isManageable else { return .shared([id]) }
            keys[id] = listing.key
            return .product(live, reason: "the product on the market carries this key")
        }
        if let name = listing.values.name, input.blockedNames.contains(name), namesakes[name]?.isEmpty == false {
            return .unresolved
        }
        if let live = exact[listing.key].flatMap({ input.live.products[$0] }) { return adopted(live) }
        guard let name = listing.values.name, let found = namesakes[name], !found.isEmpty else {
            return cut(listing)
        }
        switch found.ours.count {
        case 0 where found.unclear.isEmpty:
            return .contested(found.contested)
        case 0:
            return .namesakes((found.unclear + found.contested).inOrder(), .sameName)
        case 1:
            guard let live = input.live.products[found.ours[0]] else { return .none }
            namesakes[name]?.ours = []
            return adopted(live)
        default:
            return .ambiguous(found.ours)
        }
    }

    /// Whether a live product carries a listing's key, or a former one.
    mutating func isCarried(_ listing: Listing) -> Bool {
        guard identity.keys != nil else { return false }
        prepare()
        return !carriers(of: listing).isEmpty
    }

    /// The live products that carry a listing's key, or a former one.
    private func carriers(of listing: Listing) -> [MarketID] {
        guard !carriers.isEmpty else { return [] }
        return ([listing.key] + listing.previously).lazy.compactMap { carriers[$0] }.first ?? []
    }

    /// The keys that several live products carry, or another one than the state's, with those products.
    ///
    /// Which of them is to stay only a person can say.
    mutating func sharedKeys() -> [String: [MarketID]] {
        guard identity.keys != nil else { return [:] }
        prepare()
        var shared: [String: [MarketID]] = [:]
        for (key, ids) in carriers {
            var products = Set(ids)
            if let entry = entries[key], !leaving.contains(entry.id), input.product(of: entry) != nil {
                products.insert(entry.id)
            }
            if products.count > 1 { shared[key] = products.inOrder() }
        }
        return shared
    }

    /// The product that a listing means whose name the market may have cut: only a person can decide.
    private mutating func cut(_ listing: Listing) -> Candidate {
        let free = cutNames.candidates(for: listing.values, by: .detail).filter { keys[$0] == nil }
        guard !free.isEmpty else {
            // Of so many none is compared: each of them would be compared with each product to be made.
            let isComparable = nameless.count <= Self.mostNameless
            let candidates = nameless.lazy.filter {
                !isComparable || CutNames.agrees($0, with: listing.values, by: .detail)
            }
            let ids = Array(candidates.prefix(10).map(\.id))
            return ids.isEmpty ? rewritten(listing) : .namesakes(ids, .nameless)
        }
        guard vouched, free.count == 1, let live = input.live.products[free[0]] else {
            return .namesakes(free, .cutName)
        }
        keys[live.id] = listing.key
        return .product(live, reason: "the market has a product of the beginning of this name that you vouched for")
    }

    /// The product that a listing means whose name the market may have rewritten: only a person can decide.
    private mutating func rewritten(_ listing: Listing) -> Candidate {
        let alike = listing.values.name.flatMap { RewrittenName($0) }.flatMap { rewrittenNames[$0] } ?? []
        let free = alike.filter { keys[$0] == nil }
        guard !free.isEmpty else { return .none }
        guard vouched, free.count == 1, let live = input.live.products[free[0]] else {
            return .namesakes(free.inOrder(), .rewrittenName)
        }
        keys[live.id] = listing.key
        return .product(live, reason: "the market has a product of this name in another spelling that you vouched for")
    }

    /// The products of a name that no key has, that may be ours, and that are newer than a product, or of any age.
    ///
    /// A replace whose journal was lost leaves such a one.
    mutating func namesakes(of name: String?, newerThan id: MarketID?) -> [MarketID] {
        prepare()
        guard let found = name.flatMap({ namesakes[$0] }) else { return [] }
        return (found.ours + found.unclear + found.contested)
            .filter { product in id.map { product.mayBeNewer(than: $0) } ?? true }
            .inOrder()
    }

    private func adopted(_ live: LiveProduct) -> Candidate {
        let proof = identity.ownership(of: live, by: .presumed) == .ours ? "is ours" : "you vouched for"
        return .product(live, reason: "the market has a product of this name that \(proof)")
    }

    private mutating func pinned(_ id: MarketID, by key: String) -> Candidate {
        if let other = keys[id] { return .bound(id, key: other) }
        if leaving.contains(id) { return .leaving(id) }
        guard let live = input.live.products[id] else { return .pinnedMissing(id) }
        if identity.ownership(of: live, by: .presumed) == .foreign { return .foreign(id) }
        keys[id] = key
        return .product(live, reason: "pinned by id in the manifest")
    }

    private mutating func prepare() {
        guard !isPrepared else { return }
        isPrepared = true
        // What has taken the number of a product that is gone belongs to no key.
        let standing = entries.values.filter { input.live.products[$0.id] == nil || input.product(of: $0) != nil }
        keys = Dictionary(standing.map { ($0.id, $0.key) }, uniquingKeysWith: min)
        leaving = Set(input.owedDeletes.compactMap(\.id))
        // A pinned product is claimed, whichever listing comes first.
        let listings = input.manifest.listings
        claimed = leaving.union(listings.indices.lazy.compactMap { listings.pinnedID(at: $0) })
        let ownKeys = identity.keys
        if let ownKeys {
            for (id, product) in input.live.products where !leaving.contains(id) {
                if let key = ownKeys.key(of: product) { carriers[key, default: []].append(id) }
            }
        }
        var found: [String: Unbound] = [:]
        let rewritesNames = capabilities.normalisedFields.contains(.name)
        for (id, product) in input.live.products {
            guard keys[id] == nil, !claimed.contains(id), product.isManageable,
                identity.ownership(of: product, by: .confirmed) != .foreign,
                // The key says which listing it is, so its name does not matter.
                ownKeys?.key(of: product) == nil
            else { continue }
            guard let name = product.name else {
                if !identity.isContested(product) { nameless.append(product) }
                continue
            }
            if rewritesNames, !identity.isContested(product), let spelling = RewrittenName(name) {
                rewrittenNames[spelling, default: []].append(id)
            }
            if identity.isContested(product) {
                found[name, default: Unbound()].contested.append(id)
            } else if vouched || identity.ownership(of: product, by: .presumed) == .ours {
                found[name, default: Unbound()].ours.append(id)
            } else {
                found[name, default: Unbound()].unclear.append(id)
            }
        }
        nameless.sort { MarketID.precedes($0.id, $1.id) }
        guard !found.isEmpty else { return }
        namesakes = found.mapValues {
            Unbound(ours: $0.ours.inOrder(), unclear: $0.unclear.inOrder(), contested: $0.contested.inOrder())
        }
        cutNames = CutNames(
            found.values.flatMap { $0.ours + $0.unclear }.compactMap { input.live.products[$0] },
            except: Set(listings.indices.lazy.compactMap { listings.name(at: $0) })
        )
        pairTwins()
    }

    /// Where several listings have one name, a product of ours that shows just what one of them wants is that listing's.
    ///
    /// Products alike in everything are taken in rising order, unless there are more of them than listings that want them.
    private mutating func pairTwins() {
        var wanting: [String: [Listing]] = [:]
        for listing in input.manifest.listings where !listing.isAbsent && listing.pinnedID == nil {
            guard let name = listing.values.name, let found = namesakes[name], !found.ours.isEmpty,
                entries[listing.key].map({ input.product(of: $0) == nil }) ?? true
            else { continue }
            wanting[name, default: []].append(listing)
        }
        for (name, listings) in wanting {
            guard var free = namesakes[name]?.ours, listings.count > 1, listings.count * free.count <= Self.mostPairs
            else { continue }
            var pairs: [String: MarketID] = [:]
            for listing in listings {
                guard let place = free.firstIndex(where: { shows($0, what: listing) }) else { continue }
                pairs[listing.key] = free.remove(at: place)
            }
            for listing in listings where free.contains(where: { shows($0, what: listing) }) {
                guard let id = pairs.removeValue(forKey: listing.key) else { continue }
                free.append(id)
            }
            exact.merge(pairs) { $1 }
            namesakes[name]?.ours = free.inOrder()
        }
    }

    /// Whether a product shows all that a listing wants.
    private func shows(_ id: MarketID, what listing: Listing) -> Bool {
        guard let live = input.live.products[id] else { return false }
        return FieldComparison(
            listing: listing,
            base: ProductValues(),
            live: live.values(entry: nil, digests: input.pictureDigests, capabilities: capabilities),
            lacked: live.lackedFields(of: listing.values),
            capabilities: capabilities
        ).changes.isEmpty
    }
}

extension Planner.Input {
    /// Who we are: what the manifest says, and what of it state and market confirm.
    ///
    /// Takes a look at the state's products, so it is asked for once and not for each product.
    package var identity: VendorIdentity {
        var identity = VendorIdentity(claim: manifest.market.vendorID, state: state, live: live.products)
        identity.keys = ownKeys
        // What an earlier run made and did not take back yet is ours as well.
        if !identity.isProven, let known = state.vendorID,
            let owed = owedDeletes.lazy.compactMap(\.id).first(where: { id in
                Ownership(showing: live.products[id]?.vendorID, ours: known) == .ours
            })
        {
            identity.confirm(known, by: .product(owed))
        }
        return identity
    }

    /// The products whose details a plan may need for adoption: of a name or of the beginning of one, or pinned; not
    /// managed, not another vendor's.
    ///
    /// Of the listings with an id of their own only those count that `pinned` takes.
    func adoptionCandidates(
        entries: StateEntries,
        filter: KeyFilter,
        pinned: (Listing) -> Bool = { _ in true }
    ) -> [MarketID] {
        let managed = Set(entries.ids)
        let identity = identity
        let unmanaged = live.products.keys.filter { !managed.contains($0) }
        let free = unmanaged.compactMap { live.products[$0] }.filter { product in
            identity.ownership(of: product, by: .confirmed) != .foreign && !identity.isContested(product)
        }
        guard !free.isEmpty else { return [] }
        let listings = manifest.listings
        var names: Set<String> = []
        var keys: Set<String> = []
        var pins: Set<MarketID> = []
        var unplaced: [Int] = []
        for index in listings.indices where !listings.isAbsent(at: index) {
            let listing = listings[index]
            // Without a product that shows: never had one, or it is gone.
            guard entries[listing.key].map({ product(of: $0) == nil }) ?? true else { continue }
            guard filter.takes(listing.key), !blockedKeys.contains(listing.key) else { continue }
            if let row = listing.row, row.action == .ignore { continue }
            if identity.keys != nil { keys.formUnion([listing.key] + listing.previously) }
            if let id = listing.pinnedID {
                // A row of an export mostly repeats what the list shows.
                if listing.row != nil, let live = live.products[id], listing.isShown(by: live, known: nil) { continue }
                if pinned(listing) { pins.insert(id) }
            } else if let name = listing.values.name {
                names.insert(name)
                unplaced.append(index)
            }
        }
        guard !names.isEmpty || !pins.isEmpty || !keys.isEmpty else { return [] }
        let cutNames = CutNames(free, except: Set(listings.indices.lazy.compactMap { listings.name(at: $0) }))
        let cut = Set(unplaced.lazy.flatMap { cutNames.candidates(for: listings[$0].values, by: .name) })
        // A row without a name may have any.
        return free.filter { product in
            if let key = identity.keys?.key(of: product), keys.contains(key) { return true }
            return pins.contains(product.id) || cut.contains(product.id) || product.name.map(names.contains) ?? true
        }
        .map(\.id)
    }
}
