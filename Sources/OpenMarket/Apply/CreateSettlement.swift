package enum SettlementVerdict: Hashable, Sendable {
    /// The market has the product; its pictures are certain unless it may belong to a create with other pictures.
    case happened(LiveProduct, picturesAreCertain: Bool)
    /// The market does not have it, and will not apply the create later.
    case neverHappened
    /// Why the outcome stays unknown, and its possible products.
    case unresolved(String, among: Set<MarketID> = [])
}

extension SettlementVerdict {
    var product: MarketID? { if case .happened(let product, _) = self { product.id } else { nil } }

    /// Leaves the choice among a create's possible products to a person; the message explains how.
    static func undecided(_ products: some Sequence<MarketID>, _ why: String = "") -> SettlementVerdict {
        let ids = products.inOrder()
        let shown = ids.prefix(10).map(\.description).joined(separator: ", ") + (ids.count > 10 ? ", …" : "")
        let cause = why.isEmpty ? "and this market cannot show whether it is" : "and \(why)"
        return .unresolved(
            ids.count == 1
                ? "product \(shown) may be it, \(cause); write `id: \(shown)` in the manifest if it is, or delete it "
                    + "there, and it is created again"
                : "any of products \(shown) may be it, \(cause); choose one with `id:` in the manifest, or delete the "
                    + "wrong ones there",
            among: Set(ids)
        )
    }
}

/// Finds the products of creates without a reply.
///
/// ``likeness(of:to:isRow:)`` decides which products may be a create's. Equal creates cannot be distinguished, so
/// only their number counts: the oldest product goes to the oldest create.
struct CreateSettlement: Sendable {
    struct Match: Hashable, Sendable {
        var create: OpenCreate
        var product: LiveProduct
        /// Whether no other create differs only in its pictures.
        var picturesAreCertain: Bool

        var verdict: SettlementVerdict { .happened(product, picturesAreCertain: picturesAreCertain) }
    }

    struct OpenCreate: Hashable, Sendable {
        /// The caller's index for it.
        var index: Int
        /// The key of a create; `nil` for a replace, whose key refers to the old product until the new one exists.
        var key: String?
        var product: NewProduct
        /// The source of the product's own password (v1); `nil` uses the market's secret.
        var secret: SecretReference?
        /// The newest id before the request.
        var highWater: MarketID?
        /// The start of the quiet period: since then the market may have worked on the request unobserved.
        var since: Timestamp
        /// The product that a reply named but that was not accepted as the new one.
        var answered: MarketID?
        /// The old product of a replace, if it still exists.
        var replaced: MarketID?
        /// Whether this process sent it, so that its credentials are still the same.
        var isOwn = false
        /// The key that its product carries on the market; `nil` if products carry none.
        var carried: String?
        var isDuplicate = false
        /// Whether it cannot take effect later, because its first attempt was refused.
        var isRefusedAtOnce = false
    }

    /// The creates without a product so far.
    private(set) var open: [OpenCreate]
    /// The vendor identity; products that show another number than a confirmed one are skipped.
    private var identity: VendorIdentity
    /// The SHA-256 of the market's pictures by URL, if they could be read.
    var pictureDigests: [ExactText: ContentDigest] = [:]

    /// Whether no newer product can appear.
    var isLast = true
    /// Rows that may belong to a create but whose products are hidden.
    var hiddenRows: [LiveProduct] = []
    /// Rows that do not show their product.
    var unread = LiveCatalog().unreadRows

    /// The keys of own products, if products carry keys.
    private let keys: ManagedKeys?
    private let capabilities: MarketCapabilities
    private let all: [OpenCreate]
    /// The entries of own products that have the name of a create.
    private let namesakes: [StateEntry]
    private let snapshot: StateSnapshot
    /// The products of the state's keys.
    private let bound: Set<MarketID>
    /// The products assigned to other creates.
    private var taken: Set<MarketID>
    /// Products that are excluded for the creates with one password, by its reference; a product with another password
    /// may still fit.
    private var excluded: [SecretReference?: Set<MarketID>] = [:]

    /// The passwords that the market accepted for an own product.
    private(set) var validSecrets: Set<SecretReference?> = []

    /// `made` lists products that other operations created and that the state does not contain yet.
    ///
    /// `identity` is `nil` unless the market confirmed it in this run.
    init(
        creates: [OpenCreate],
        snapshot: StateSnapshot,
        identity: VendorIdentity? = nil,
        keys: ManagedKeys? = nil,
        on capabilities: MarketCapabilities,
        made: Set<MarketID> = []
    ) {
        self.keys = keys
        self.capabilities = capabilities
        self.snapshot = snapshot
        self.open = creates.sorted {
            ($0.highWater?.number ?? .min, $0.since, $0.index) < ($1.highWater?.number ?? .min, $1.since, $1.index)
        }
        self.all = creates
        self.namesakes = snapshot.entries.named(Set(creates.map(\.product.values.name)))
        // If a create's key has a product, that one disappeared, and its id may have been reused.
        let remade = Set(creates.compactMap(\.key))
        self.bound = Set(zip(snapshot.entries.keys, snapshot.entries.ids).filter { !remade.contains($0.0) }.map(\.1))
        self.taken = made
        self.identity = identity ?? VendorIdentity(claim: nil, state: snapshot, live: [:])
        self.identity.keys = keys
    }

    /// Adopts the state's vendor number if a catalog confirms it.
    mutating func recognize(in catalog: LiveCatalog) {
        guard identity.confirmed == nil else { return }
        identity = VendorIdentity(claim: nil, state: snapshot, live: catalog.products, keys: keys)
    }

    /// Adopts the vendor number of a product that proved to be this vendor's, and the password that proved it.
    mutating func learn(from product: LiveProduct, with secret: SecretReference?) {
        validSecrets.insert(secret)
        if let number = product.vendorID { identity.confirm(number, by: .reply) }
    }

    /// How closely a product matches a create; `nil` if it cannot be the create's product.
    ///
    /// Only this function decides which products may be a create's. All of these must hold:
    ///
    /// - Its id is newer than all earlier ids; or it is one of them, and the product shows the sent values. A market
    ///   may reuse a deleted id.
    /// - It is without a key, or has the create's key in any spelling.
    /// - It belongs to no other key, and not provably to another vendor.
    ///
    /// The name excludes no product. A row of the list is read in detail unless the row alone excludes the product.
    func likeness(of product: LiveProduct, to create: OpenCreate, isRow: Bool = false) -> Likeness? {
        guard product.id != create.replaced, !taken.contains(product.id),
            excluded[create.secret]?.contains(product.id) != true,
            mayCarryKey(product, create), ownership(of: product) != .foreign
        else { return nil }
        let isNewer = capabilities.idsRise && create.mayHaveMade(product.id)
        let isKnown = capabilities.idsRise && !isNewer
        // Most products are decided without a comparison.
        let mayAgree =
            product.price == create.product.values.price || capabilities.normalisedFields.contains(.price)
        guard isKnown ? isLast && mayAgree : !bound.contains(product.id) else { return nil }
        var likeness = create.product.likeness(
            of: product,
            digests: pictureDigests,
            normalised: capabilities.normalisedFields,
            isRow: isRow
        )
        if isRow, isNewer, product.description == nil || product.images == nil { likeness = likeness ?? .possible }
        guard let likeness else { return nil }
        guard isKnown else {
            // An unconfirmed vendor number suffices to skip a product that does not match closely.
            let isLikelyForeign = likeness == .possible && identity.ownership(of: product, by: .presumed) == .foreign
            return isLikelyForeign ? nil : likeness
        }
        if likeness <= .rewritten || likeness == .renamed && product.id == create.answered {
            return !bound.contains(product.id) || isReused(product) ? .rewritten : nil
        }
        return likeness == .renamed && !bound.contains(product.id) ? .possible : nil
    }

    /// Whether a product may be a create's, and other open creates do not match it better.
    func mayBe(_ product: LiveProduct, of create: OpenCreate) -> Bool {
        guard let likeness = likeness(of: product, to: create) else { return false }
        return !open.contains { self.likeness(of: product, to: $0).map { $0 < likeness } ?? false }
    }

    /// Whether a product is without a key, or may show the create's key in another spelling.
    func mayCarryKey(_ product: LiveProduct, _ create: OpenCreate) -> Bool {
        guard let carried = create.carried else { return true }
        let key = keys?.key(of: product)
        let id = capabilities.choosesIDs ? product.id.description : nil
        guard let shown = key ?? product.key ?? id, shown != carried else { return true }
        return key == nil && (product.id == create.answered || Self.isRewritten(carried, as: shown))
    }

    /// Whether a market may have rewritten a key as another one.
    ///
    /// It may change the case, drop all but letters and digits, truncate the key, or extend it.
    static func isRewritten(_ key: String, as other: String) -> Bool {
        if NormalisedKey(key) == NormalisedKey(other) { return true }
        let letters = { (text: String) in text.lowercased().filter { $0.isLetter || $0.isNumber } }
        let ascii = { (text: String) in letters(text).filter(\.isASCII) }
        return [letters, ascii].contains { form in
            let (sent, shown) = (form(key), form(other))
            return !shown.isEmpty && sent.hasPrefix(shown) || sent.count >= 3 && shown.contains(sent)
        }
    }

    /// Whether a product with an id of the state shows another name than the entry.
    private func isReused(_ product: LiveProduct) -> Bool {
        snapshot.entries.values.contains { entry in
            guard entry.id == product.id, let known = entry.applied.name, let shown = product.name else { return false }
            return RewrittenName(known) != RewrittenName(shown)
        }
    }

    /// The rows to read in detail: those that match an open create at least as well as `least`.
    func shortlist(_ rows: [LiveProduct], least: Likeness = .possible) -> [LiveProduct] {
        rows.filter { row in open.contains { likeness(of: row, to: $0, isRow: true).map { $0 <= least } ?? false } }
    }

    /// The most likely product of a create, among own products that now show other values.
    ///
    /// If there are fewer products than creates, each goes to the create that it differs least from. Among equals the
    /// oldest product goes to the oldest create. `nil` means that other creates come first.
    func likeliest(_ create: OpenCreate, among products: [LiveProduct]) -> LiveProduct? {
        var pairs: [(differences: Int, create: Int, product: LiveProduct)] = []
        for (place, other) in open.enumerated() {
            for product in products where likeness(of: product, to: other).map({ $0 <= .edited }) ?? false {
                pairs.append((other.differences(from: product), place, product))
            }
        }
        pairs.sort { left, right in
            guard (left.differences, left.create) == (right.differences, right.create) else {
                return (left.differences, left.create) < (right.differences, right.create)
            }
            return MarketID.precedes(left.product.id, right.product.id)
        }
        var given: [Int: LiveProduct] = [:]
        var taken: Set<MarketID> = []
        for pair in pairs where given[pair.create] == nil && taken.insert(pair.product.id).inserted {
            given[pair.create] = pair.product
        }
        return open.firstIndex(of: create).flatMap { given[$0] }
    }

    /// An own product with this password; `nil` if there is none.
    func ownProduct(with secret: SecretReference?) -> MarketID? {
        guard capabilities.hasItemPasswords else { return snapshot.entries.ids.max(by: MarketID.precedes) }
        return snapshot.entries.values.lazy.filter { $0.secret == secret }.map(\.id).max(by: MarketID.precedes)
    }

    /// A listed but hidden product that may be the create's; `nil` if there is none.
    func hidden(_ create: OpenCreate) -> MarketID? {
        hiddenRows.first { likeness(of: $0, to: create, isRow: true).map { $0 < .possible } ?? false }?.id
    }

    /// Pairs creates with products that show the sent values, each at most once; the products are read in detail.
    func matches(_ products: [LiveProduct]) -> [Match] {
        let products = products.sorted { MarketID.precedes($0.id, $1.id) }
        let table = open.map { create in products.map { likeness(of: $0, to: create) } }
        let best = products.indices.map { place in table.compactMap { $0[place] }.min() }
        var (free, waiting) = (Set(products.indices), Array(open.indices))
        var pairs: [Match] = []
        for level in [Likeness.exact, .displayed, .rewritten, .renamed] {
            // A product that matches another create better is left for that one.
            let fits = { (place: Int, create: Int) in
                table[create][place] == level && (level < .rewritten || best[place] == level)
            }
            for create in waiting {
                let found = products.indices.filter { free.contains($0) && fits($0, create) }
                guard let place = found.first else { continue }
                // If there are more rewritten products than creates, only a person can decide which are this vendor's.
                let creates = waiting.count { create in found.contains { fits($0, create) } }
                guard level < .rewritten || found.count <= creates else { continue }
                free.remove(place)
                waiting.removeAll { $0 == create }
                let (create, product) = (open[create], products[place])
                let showsPictures = product.images?.allSatisfy { pictureDigests[$0.url] != nil } ?? false
                let isCertain = showsPictures || !hasRivals(create, for: product)
                pairs.append(Match(create: create, product: product, picturesAreCertain: isCertain))
            }
        }
        return pairs
    }

    /// Whether another create with other pictures, even a settled one, may have created the product.
    private func hasRivals(_ create: OpenCreate, for product: LiveProduct) -> Bool {
        let wanted = create.product.values
        return all.contains { isRival($0, of: create, for: product) }
            || namesakes.contains { entry in
                entry.applied.name == wanted.name && entry.applied.images != wanted.images
                    && create.mayHaveMade(entry.id)
            }
    }

    /// Whether a product may be a create's although it fits another create with other pictures.
    func isRival(_ create: OpenCreate, of other: OpenCreate, for product: LiveProduct) -> Bool {
        create.product.values.images != other.product.values.images && create.mayHaveMade(product.id)
            && create.product.likeness(
                of: product,
                digests: pictureDigests,
                normalised: capabilities.normalisedFields
            ).map { $0 <= .renamed } ?? false
    }

    func ownership(of product: LiveProduct) -> Ownership { identity.ownership(of: product, by: .confirmed) }

    /// Removes a create, and its product if there is one, from the search.
    mutating func close(_ create: OpenCreate, with product: MarketID?) {
        open.removeAll { $0.index == create.index }
        if let product { taken.insert(product) }
    }

    func isTaken(_ product: MarketID) -> Bool { taken.contains(product) || bound.contains(product) }

    /// Excludes a product for a create and for all with its password, because it proved to be another vendor's.
    mutating func exclude(_ product: MarketID, for create: OpenCreate) {
        excluded[create.secret, default: []].insert(product)
    }
}

extension CreateSettlement.OpenCreate {
    /// Returns `nil` unless the operation has a create without a reply.
    init?(
        _ open: UnresolvedOperation,
        _ capabilities: MarketCapabilities,
        _ configuration: ExecutorConfiguration,
        index: Int,
        since: Timestamp
    ) {
        guard open.isOpenCreate, let product = open.operation.newProduct else { return nil }
        self.init(
            index: index,
            key: open.operation.action == .create ? open.operation.key : nil,
            product: product.asMade(capabilities),
            secret: open.operation.secret,
            highWater: open.highWater,
            since: since,
            answered: open.answered,
            replaced: open.operation.succession?.id,
            carried: configuration.sendsKeys ? open.operation.key : nil
        )
    }

    /// Whether this id may be the create's: it must be newer than all earlier ids.
    func mayHaveMade(_ id: MarketID) -> Bool {
        highWater.map { id.mayBeNewer(than: $0) } ?? true
    }

    fileprivate func differences(from product: LiveProduct) -> Int {
        WriteComparison.differences(sent: self.product.values, fields: self.product.writtenFields, shown: product).count
    }
}
