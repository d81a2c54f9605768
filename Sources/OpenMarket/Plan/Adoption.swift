/// Finds the live product that a listing without one refers to, and the products that it may refer to.
struct Adoption {
    enum Candidate {
        case none
        /// A product of the name that an earlier run may have created for another listing. It blocks adoption until
        /// that run is resolved.
        case unresolved
        /// Products with the same name, or the beginning of it, that may be the listing's.
        case namesakes([MarketID], DuplicateNames.Kind)
        /// All products of the name are another vendor's if the claimed vendor identity is right. It is unconfirmed.
        case contested([MarketID])
        case product(LiveProduct, reason: String)
        /// Several own products have the name.
        case ambiguous([MarketID])
        /// The pinned product is gone, or about to be deleted.
        case missing(Diagnostic)
        /// The product is another key's or vendor's, or several carry the listing's key.
        case refused(Diagnostic)
    }

    /// Live products of one name that carry no key and are not provably another vendor's, each list in order.
    ///
    /// Only here, names are equal if they look the same. A market may store a name in other bytes than were sent, and a
    /// duplicate product is worse than a question.
    private struct Unbound {
        /// Provably this vendor's, or confirmed by the user.
        var ours: [MarketID] = []
        var unclear: [MarketID] = []
        /// Another vendor's products if the claimed vendor identity is right.
        var contested: [MarketID] = []

        var isEmpty: Bool { ours.isEmpty && unclear.isEmpty && contested.isEmpty }
    }

    private let input: Planner.Input
    private let identity: VendorIdentity
    private let pairing: Pairing
    private var entries: StateEntries { pairing.entries }
    private let capabilities: MarketCapabilities
    private let adopts: Bool

    // Built on the first lookup, which is rare. Not a `lazy var`: changing one copies it whole.
    private var isPrepared = false
    private var keys: [MarketID: String] = [:]
    private var leaving: Set<MarketID> = []
    /// The live products that carry a managed key, except those to be deleted.
    private var carriers: [String: [MarketID]] = [:]
    /// Live products without a key that cannot be adopted: pinned ones, and those to be deleted.
    private(set) var claimed: Set<MarketID> = []
    private var namesakes: [String: Unbound] = [:]
    /// Products whose names match no listing: the market may have truncated a listing's name.
    private var truncatedNames = TruncatedNames([], except: [])
    /// Products that may be this vendor's by their names, which the market may have rewritten.
    private var rewrittenNames: [RewrittenName: [MarketID]] = [:]
    /// Products without a name, which may be any listing's, in ascending order.
    private var nameless: [LiveProduct] = []
    /// Own products of a repeated name that match a listing exactly, by the listing's key.
    private var exact: [String: MarketID] = [:]

    /// At this many pairs of listings and products of one name, none is compared: stating `id:` is less work.
    private static let mostPairs = 1_000_000
    /// Above this number, products without a name are not compared with listings one by one.
    private static let mostNameless = 100

    init(
        input: Planner.Input,
        identity: VendorIdentity,
        pairing: Pairing,
        capabilities: MarketCapabilities,
        adopts: Bool
    ) {
        self.input = input
        self.identity = identity
        self.pairing = pairing
        self.capabilities = capabilities
        self.adopts = adopts
    }

    /// The product that a listing refers to; each product is returned once.
    mutating func candidate(for listing: Listing) -> Candidate {
        prepare()
        let carriers = carriers(of: listing)
        if let id = listing.pinnedID, carriers.contains(where: { $0 != id }) {
            return .refused(.sharedKey(listing, ids: Set(carriers).union([id]).inOrder()))
        }
        if let id = listing.pinnedID { return pinned(id, by: listing) }
        if carriers.count > 1 { return .refused(.sharedKey(listing, ids: carriers.inOrder())) }
        if let id = carriers.first, let live = input.live.products[id] {
            if let other = keys[id], other != listing.key { return .refused(.pinnedTwice(listing, id: id, by: other)) }
            keys[id] = listing.key
            return .product(live, reason: "the product on the market carries this key")
        }
        if let name = listing.values.name, input.blockedNames.contains(name), namesakes[name]?.isEmpty == false {
            return .unresolved
        }
        let found = named(as: listing)
        if case .product(let live, _) = found, input.inQuestion.contains(live.id) { return .unresolved }
        return found
    }

    /// Finds a listing's product by its name, which the market may have changed.
    private mutating func named(as listing: Listing) -> Candidate {
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

    /// Whether a live product carries a listing's key, or one of its former keys.
    mutating func isCarried(_ listing: Listing) -> Bool {
        guard identity.keys != nil else { return false }
        prepare()
        return !carriers(of: listing).isEmpty
    }

    private func carriers(of listing: Listing) -> [MarketID] {
        guard !carriers.isEmpty else { return [] }
        return ([listing.key] + listing.previously).lazy.compactMap { carriers[$0] }.first ?? []
    }

    /// The keys that several live products carry, or that a product other than the state's carries, with those
    /// products.
    ///
    /// Only a person can decide which of them stays.
    mutating func sharedKeys() -> [String: [MarketID]] {
        guard identity.keys != nil || capabilities.key != nil else { return [:] }
        prepare()
        var found = carriers.mapValues { Set($0) }
        for (key, ids) in found where !ids.isEmpty {
            guard let entry = entries[key], !leaving.contains(entry.id), input.product(of: entry) != nil else {
                continue
            }
            found[key]?.insert(entry.id)
        }
        // A market may respell keys, and products may carry keys that are not sent. Two managed products may share a
        // foreign key.
        let respelt = Dictionary(
            entries.values.compactMap { entry in input.product(of: entry)?.key.map { ($0, entry.key) } },
            uniquingKeysWith: min
        )
        for (id, product) in input.live.products where !leaving.contains(id) {
            guard let shown = product.key, identity.ownership(of: product, by: .confirmed) != .foreign else { continue }
            guard let key = respelt[shown] ?? input.knownKeys?.key(of: product), keys[id] ?? key == key else {
                continue
            }
            found[key, default: []].insert(id)
        }
        return found.filter { $0.value.count > 1 }.mapValues { $0.inOrder() }
    }

    /// Finds a listing's product if the market truncated its name.
    ///
    /// Only a person can decide.
    private mutating func cut(_ listing: Listing) -> Candidate {
        let free = truncatedNames.candidates(for: listing.values, by: .detail).filter { keys[$0] == nil }
        guard !free.isEmpty else {
            // Otherwise the work is products times new listings.
            let isComparable = nameless.count <= Self.mostNameless
            let candidates = nameless.lazy.filter {
                !isComparable || TruncatedNames.agrees($0, with: listing.values, by: .detail)
            }
            let ids = Array(candidates.prefix(10).map(\.id))
            return ids.isEmpty ? rewritten(listing) : .namesakes(ids, .nameless)
        }
        guard adopts, free.count == 1, let live = input.live.products[free[0]] else {
            return .namesakes(free, .truncatedName)
        }
        keys[live.id] = listing.key
        return .product(live, reason: "the market has a product with the beginning of this name, which you confirmed")
    }

    /// Finds a listing's product if the market rewrote its name.
    ///
    /// Only a person can decide.
    private mutating func rewritten(_ listing: Listing) -> Candidate {
        let alike = listing.values.name.flatMap { rewrittenNames[RewrittenName($0)] } ?? []
        let free = alike.filter { keys[$0] == nil }
        guard !free.isEmpty else { return .none }
        guard adopts, free.count == 1, let live = input.live.products[free[0]] else {
            return .namesakes(free.inOrder(), .rewrittenName)
        }
        keys[live.id] = listing.key
        return .product(live, reason: "the market has a product of this name in another spelling, which you confirmed")
    }

    /// Products of a name without a key that may be this vendor's; only those newer than `id`, if given.
    ///
    /// A replace whose journal was lost leaves such a product. The market may have truncated or rewritten its name.
    mutating func namesakes(of values: ProductValues, newerThan id: MarketID?) -> [MarketID] {
        prepare()
        guard let name = values.name else { return [] }
        let found = namesakes[name].map { $0.ours + $0.unclear + $0.contested } ?? []
        return
            (found + truncatedNames.candidates(for: values, by: .detail) + (rewrittenNames[RewrittenName(name)] ?? []))
            .filter { product in keys[product] == nil && id.map { product.mayBeNewer(than: $0) } ?? true }
            .inOrder()
    }

    private func adopted(_ live: LiveProduct) -> Candidate {
        let proof = identity.ownership(of: live, by: .presumed) == .ours ? "is yours" : "you confirmed"
        return .product(live, reason: "the market has a product of this name that \(proof)")
    }

    private mutating func pinned(_ id: MarketID, by listing: Listing) -> Candidate {
        if let other = keys[id] { return .refused(.pinnedTwice(listing, id: id, by: other)) }
        if leaving.contains(id) { return .missing(.pinnedToPendingDelete(listing, id: id)) }
        guard let live = input.live.products[id] else { return .missing(.pinnedMissing(listing, id: id)) }
        if identity.ownership(of: live, by: .presumed) == .foreign { return .refused(.pinnedForeign(listing, id: id)) }
        keys[id] = listing.key
        return .product(live, reason: "pinned by id in the manifest")
    }

    private mutating func prepare() {
        guard !isPrepared else { return }
        isPrepared = true
        // A product that reuses the id of a deleted one belongs to no key.
        let standing = entries.values.filter { input.live.products[$0.id] == nil || input.product(of: $0) != nil }
        keys = Dictionary(standing.map { ($0.id, $0.key) }, uniquingKeysWith: min)
        leaving = Set(input.owedDeletes.compactMap(\.id))
        // A pinned product is claimed whatever the order of listings.
        let listings = input.manifest.listings
        claimed = leaving.union(listings.indices.lazy.compactMap { listings.pinnedID(at: $0) })
        let ownKeys = identity.keys
        if let ownKeys {
            for (id, product) in input.live.products where !leaving.contains(id) {
                if let key = ownKeys.key(of: product) { carriers[key, default: []].append(id) }
            }
        }
        var found: [String: Unbound] = [:]
        for (id, product) in input.live.products {
            guard keys[id] == nil, !claimed.contains(id), product.isManageable,
                identity.ownership(of: product, by: .confirmed) != .foreign,
                // The key identifies the listing, so the name does not matter.
                ownKeys?.key(of: product) == nil
            else { continue }
            guard let name = product.name else {
                if !identity.isContested(product) { nameless.append(product) }
                continue
            }
            if identity.isContested(product) {
                found[name, default: Unbound()].contested.append(id)
            } else if adopts || identity.ownership(of: product, by: .presumed) == .ours {
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
        let names = Set(listings.indices.lazy.compactMap { listings.name(at: $0) })
        truncatedNames = TruncatedNames(
            found.values.flatMap { $0.ours + $0.unclear }.compactMap { input.live.products[$0] },
            except: names
        )
        for (name, unbound) in found where !names.contains(name) {
            rewrittenNames[RewrittenName(name), default: []] += unbound.ours + unbound.unclear
        }
        pairTwins()
    }

    /// If several listings share a name, pairs each with an own product that matches it exactly.
    ///
    /// Identical products are assigned in ascending order, unless they outnumber the matching listings.
    private mutating func pairTwins() {
        var wanting: [String: [Listing]] = [:]
        let all = input.manifest.listings
        for (index, pair) in pairing.pairs.enumerated() where !all.isAbsent(at: index) && all.pinnedID(at: index) == nil
        {
            guard let name = all.name(at: index), namesakes[name]?.ours.isEmpty == false,
                input.lacksProduct(pair, entries)
            else { continue }
            wanting[name, default: []].append(all[index])
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

    private func shows(_ id: MarketID, what listing: Listing) -> Bool {
        guard let live = input.live.products[id] else { return false }
        return input.comparison(of: listing, nil, live, capabilities).changes.isEmpty
    }
}

extension Planner.Input {
    /// The vendor identity that the manifest states, and how far state and market confirm it.
    ///
    /// Reads all products of the state: get it once, not for each product.
    package var identity: VendorIdentity {
        var identity = VendorIdentity(claim: manifest.market.vendorID, state: state, live: live.products)
        identity.keys = ownKeys
        // Products that an earlier run created and did not delete yet are also own ones.
        if !identity.isProven, let known = state.vendorID,
            let owed = owedDeletes.lazy.compactMap(\.id).first(where: { id in
                Ownership(showing: live.products[id]?.vendorID, ours: known) == .ours
            })
        {
            identity.confirm(known, by: .product(owed))
        }
        return identity
    }

    /// Products whose details an adoption may need: those pinned, or with a listing's name or its beginning.
    ///
    /// Excludes managed products and other vendors' products. Of the listings with an `id:`, only those that `pinned`
    /// accepts count.
    func adoptionCandidates(
        _ pairing: Pairing,
        filter: KeyFilter,
        pinned: (Listing) -> Bool = { _ in true }
    ) -> [MarketID] {
        let managed = Set(pairing.entries.ids)
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
        for (index, pair) in pairing.pairs.enumerated() where lacksProduct(pair, pairing.entries) {
            let listing = listings[index]
            guard !listing.isAbsent, filter.takes(listing.key), !blockedKeys.contains(listing.key) else { continue }
            if identity.keys != nil { keys.formUnion([listing.key] + listing.previously) }
            if let id = listing.pinnedID {
                if pinned(listing) { pins.insert(id) }
            } else if let name = listing.values.name {
                names.insert(name)
                unplaced.append(index)
            }
        }
        guard !names.isEmpty || !pins.isEmpty || !keys.isEmpty else { return [] }
        let truncatedNames = TruncatedNames(
            free,
            except: Set(listings.indices.lazy.compactMap { listings.name(at: $0) })
        )
        let cut = Set(unplaced.lazy.flatMap { truncatedNames.candidates(for: listings[$0].values, by: .name) })
        // A row without a name may have any name.
        return free.filter { product in
            if let key = identity.keys?.key(of: product), keys.contains(key) { return true }
            return pins.contains(product.id) || cut.contains(product.id) || product.name.map(names.contains) ?? true
        }
        .map(\.id)
    }
}

/// Products that creates of unknown outcome may have created, under any name.
package struct ProductsInQuestion: Hashable, Sendable {
    package var ids: Set<MarketID> = []
    /// For each create whose product was not found: the newest id before it; `nil` if its product may have any id.
    package var newerThan: [MarketID?] = []

    func contains(_ id: MarketID) -> Bool {
        ids.contains(id) || newerThan.contains { $0.map(id.mayBeNewer) ?? true }
    }
}
