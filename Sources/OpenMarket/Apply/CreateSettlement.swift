package enum SettlementVerdict: Hashable, Sendable {
    /// The market has the product; its pictures are certain unless a twin with other pictures may be meant.
    case happened(LiveProduct, picturesAreCertain: Bool)
    /// The market does not have it, and will not apply the create later.
    case neverHappened
    case unresolved(String)
}

extension SettlementVerdict {
    var product: MarketID? { if case .happened(let product, _) = self { product.id } else { nil } }

    /// Explains why nothing decides whether a product belongs to a create, and what a person can do.
    static func undecidable(_ product: MarketID) -> String {
        "product \(product) may be it, and nothing on this market shows whether it is; delete it there, and it is made again"
    }
}

/// Finds the products of creates whose replies were lost among the market's products.
///
/// A product fits a create if three conditions hold:
///
/// - It is newer than the newest id known before the request.
/// - It belongs to no other key.
/// - It shows what was sent, including its pictures' bytes if they can be read.
///
/// Nothing distinguishes equal twins, so only their number counts: the oldest product goes to the oldest create.
struct CreateSettlement: Sendable {
    struct Match: Hashable, Sendable {
        var create: OpenCreate
        var product: LiveProduct
        /// Whether no other create differs only in its pictures.
        var picturesAreCertain: Bool
    }

    struct OpenCreate: Hashable, Sendable {
        /// The caller's index for it.
        var index: Int
        /// The key of a create; `nil` for a replace, whose key means the old product until the new one is known.
        var key: String?
        var product: NewProduct
        /// Where to find the product's own password (v1); `nil` uses the market's secret.
        var secret: SecretReference?
        /// The newest id known before the request.
        var highWater: MarketID?
        /// The time since which the market may have worked on the request unobserved.
        var since: Timestamp
        /// The product that a reply named but that was not accepted as the new one.
        var answered: MarketID?
        /// The key that its product carries on the market; `nil` if products carry none.
        var carried: CarriedKey?
        var isDuplicate: Bool = false
    }

    struct CarriedKey: Hashable, Sendable {
        var key: String
        /// The product that also carries the key, because the new one replaces it.
        var replaced: MarketID?

        init(key: String, replaced: MarketID? = nil) {
            self.key = key
            self.replaced = replaced
        }

        /// Whether a market may have rewritten the key as another one.
        ///
        /// It may change the case, drop all but letters and digits, cut the key, or add to it.
        func isRewritten(as other: String) -> Bool {
            let letters = { (text: String) in text.lowercased().filter { $0.isLetter || $0.isNumber } }
            let (sent, shown) = (letters(key), letters(other))
            return !shown.isEmpty && sent.hasPrefix(shown) || sent.count >= 3 && shown.contains(sent)
        }

        /// Returns `nil` if products carry no keys.
        init?(_ operation: PlannedOperation, _ configuration: ExecutorConfiguration) {
            guard configuration.sendsKeys else { return nil }
            self.init(key: operation.key, replaced: operation.succession?.id)
        }
    }

    /// The creates without a product so far.
    private(set) var open: [OpenCreate]
    /// The vendor identity; products that show another number than a confirmed one are skipped.
    private var identity: VendorIdentity
    /// The SHA-256 of the market's pictures by URL, if they could be read.
    var pictureDigests: [ExactText: ContentDigest] = [:]

    /// Rows that may belong to a create but whose products are hidden.
    var hiddenRows: [LiveProduct] = []
    /// Rows that do not show their product.
    var unread = LiveCatalog().unreadRows

    /// The keys of our products, if products carry keys.
    private let keys: OwnKeys?
    private let normalised: Set<ProductField>
    private let all: [OpenCreate]
    /// The entries of our products that have the name of one of the creates.
    private let namesakes: [StateEntry]
    private let snapshot: StateSnapshot
    private var taken: Set<MarketID>
    /// Products that are excluded for the creates with one password, by its reference; a product with another password
    /// may still fit.
    private var excluded: [SecretReference?: Set<MarketID>] = [:]

    /// `made` lists products that other operations created and that the state does not contain yet.
    ///
    /// `identity` is `nil` unless the market confirmed it in this run.
    init(
        creates: [OpenCreate],
        snapshot: StateSnapshot,
        identity: VendorIdentity? = nil,
        keys: OwnKeys? = nil,
        normalised: Set<ProductField> = [],
        made: Set<MarketID> = []
    ) {
        self.keys = keys
        self.normalised = normalised
        self.snapshot = snapshot
        self.open = creates.sorted {
            ($0.highWater?.number ?? .min, $0.since, $0.index) < ($1.highWater?.number ?? .min, $1.since, $1.index)
        }
        self.all = creates
        self.namesakes = snapshot.entries.named(Set(creates.map(\.product.values.name)))
        // A create whose key has a product replaces one that disappeared, whose number may have been reused.
        let remade = Set(creates.compactMap(\.key))
        self.taken = Set(zip(snapshot.entries.keys, snapshot.entries.ids).filter { !remade.contains($0.0) }.map(\.1))
            .union(made)
        self.identity = identity ?? VendorIdentity(claim: nil, state: snapshot, live: LiveProducts())
        self.identity.keys = keys
    }

    /// Adopts the state's vendor number if a catalog shows that it is still ours.
    mutating func recognize(in catalog: LiveCatalog) {
        guard identity.confirmed == nil else { return }
        identity = VendorIdentity(claim: nil, state: snapshot, live: catalog.products)
        identity.keys = keys
    }

    /// Adopts the vendor number of a product that proved to be ours.
    mutating func learn(from product: LiveProduct) {
        if let number = product.vendorID { identity.confirm(number, by: .reply) }
    }

    /// The rows that may belong to a create, judged by the list; they are worth reading in detail.
    ///
    /// The name decides, as displayed or as cut by a market; everything else may have changed meanwhile.
    func shortlist(_ rows: [LiveProduct]) -> [LiveProduct] {
        let wanted = Dictionary(grouping: open) { $0.product.values.name }
        // In a large catalog most rows are older than all creates and need no comparison.
        let oldest = open.map { $0.highWater?.number ?? .min }.min()
        return rows.filter { row in
            guard let oldest, oldest == .min || row.id.mayBeNewer(than: .number(oldest)), isFree(row) else {
                return false
            }
            // A row without a name may be any of them.
            guard row.name != nil else { return open.contains { $0.mayHaveMade(row.id) } }
            return (wanted[row.name] ?? []).contains { $0.mayHaveMade(row.id) } || open.contains { $0.hasCutName(row) }
        }
    }

    /// The products, in detail, that have the create's name and are new enough, whatever else they show.
    func namesakes(of create: OpenCreate, among products: [LiveProduct]) -> [LiveProduct] {
        let name = create.product.values.name
        return products.filter { isFree($0, for: create) && $0.name == name && create.mayHaveMade($0.id) }
    }

    func unclear(_ create: OpenCreate, among products: [LiveProduct]) -> [LiveProduct] {
        products.filter { isFree($0, for: create) && create.mayHaveMade($0.id) && create.cannotTell($0) }
    }

    /// The product that a create most likely made, among products of its name that now show other values.
    ///
    /// If there are fewer products than creates of the name, each goes to the create that it differs least from. Among
    /// equals the oldest product goes to the oldest create.
    ///
    /// The products must be ours. `nil` means that other creates of the name come first.
    func likeliest(_ create: OpenCreate, among products: [LiveProduct]) -> LiveProduct? {
        var pairs: [(differences: Int, create: Int, product: LiveProduct)] = []
        for (place, other) in open.enumerated() where other.product.values.name == create.product.values.name {
            for product in products where isFree(product, for: other) && other.mayHaveMade(product.id) {
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

    /// The rows that a create may have made, judged only by the name.
    ///
    /// `anyName` means that the market rewrites names, so a row with any name may fit.
    func suspects(of create: OpenCreate, among rows: [LiveProduct], ofAnyName anyName: Bool) -> [LiveProduct] {
        rows.filter { row in
            guard isFree(row, for: create), create.mayHaveMade(row.id) else { return false }
            return anyName || row.name == nil || row.name == create.product.values.name || create.hasCutName(row)
        }
    }

    /// Some product of ours; `nil` if there is none.
    var ownProduct: MarketID? { snapshot.entries.ids.max(by: MarketID.precedes) }

    /// A listed but hidden product with the create's name; `nil` if there is none.
    func hidden(_ create: OpenCreate) -> MarketID? {
        namesakes(of: create, among: hiddenRows).first?.id
    }

    /// Pairs creates with products in detail, each at most once.
    func matches(_ products: [LiveProduct]) -> [Match] {
        var free = Dictionary(grouping: products.filter(isFree).sorted { MarketID.precedes($0.id, $1.id) }) { $0.name }
        var matched: Set<Int> = []
        var pairs: [Match] = []
        // An exact match goes before one whose stock was sold from, or whose texts the market rewrote.
        for exactly in [true, false] {
            for create in open where !matched.contains(create.index) {
                let name = create.product.values.name
                let fits = { (product: LiveProduct) in
                    !isExcluded(product.id, for: create)
                        && create.fits(product, exactly: exactly, digests: pictureDigests, normalised)
                }
                guard let place = free[name]?.firstIndex(where: fits), let product = free[name]?.remove(at: place)
                else { continue }
                matched.insert(create.index)
                let isCertain = hasKnownPictures(product) || !hasRivals(create, for: product)
                pairs.append(Match(create: create, product: product, picturesAreCertain: isCertain))
            }
        }
        // Last come names that a market may have cut.
        var cut = free.values.flatMap(\.self).sorted { MarketID.precedes($0.id, $1.id) }
        for create in open where !matched.contains(create.index) {
            let fits = { (product: LiveProduct) in
                !isExcluded(product.id, for: create) && create.hasCutName(product)
                    && create.fits(product, exactly: false, digests: pictureDigests, normalised)
            }
            guard let place = cut.firstIndex(where: fits) else { continue }
            pairs.append(Match(create: create, product: cut.remove(at: place), picturesAreCertain: false))
        }
        return pairs
    }

    private func hasKnownPictures(_ product: LiveProduct) -> Bool {
        product.images?.allSatisfy { pictureDigests[$0.url] != nil } ?? false
    }

    /// Whether another create with other pictures, even a settled one, may have made the product.
    private func hasRivals(_ create: OpenCreate, for product: LiveProduct) -> Bool {
        let wanted = create.product.values
        return all.contains { isRival($0, of: create, for: product) }
            || namesakes.contains { entry in
                entry.applied.name == wanted.name && entry.applied.images != wanted.images
                    && create.mayHaveMade(entry.id)
            }
    }

    /// Whether a create may have made a product that fits another create with other pictures.
    func isRival(_ create: OpenCreate, of other: OpenCreate, for product: LiveProduct) -> Bool {
        create.product.values.images != other.product.values.images
            && create.fits(product, exactly: false, digests: pictureDigests, normalised)
    }

    func ownership(of product: LiveProduct) -> Ownership { identity.ownership(of: product, by: .confirmed) }

    /// Removes a create, and its product if there is one, from the search.
    mutating func close(_ create: OpenCreate, with product: MarketID?) {
        open.removeAll { $0.index == create.index }
        if let product { taken.insert(product) }
    }

    func isTaken(_ product: MarketID) -> Bool { taken.contains(product) }

    /// Excludes a product for a create and for all with its password, because it proved to be another vendor's.
    mutating func exclude(_ product: MarketID, for create: OpenCreate) {
        excluded[create.secret, default: []].insert(product)
    }

    private func isExcluded(_ product: MarketID, for create: OpenCreate) -> Bool {
        excluded[create.secret]?.contains(product) ?? false
    }

    private func isFree(_ product: LiveProduct, for create: OpenCreate) -> Bool {
        isFree(product) && !isExcluded(product.id, for: create)
    }

    private func isFree(_ product: LiveProduct) -> Bool {
        guard !taken.contains(product.id) else { return false }
        // A key of ours identifies the create.
        if let key = keys?.key(of: product) { return open.contains { $0.carried?.key == key } }
        return ownership(of: product) != .foreign
    }
}

extension CreateSettlement.OpenCreate {
    /// Returns `nil` if the operation has no create without a reply.
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
            carried: CreateSettlement.CarriedKey(open.operation, configuration)
        )
    }

    /// Whether the create may have made this id: it must be newer than all ids known before.
    func mayHaveMade(_ id: MarketID) -> Bool {
        highWater.map { id.mayBeNewer(than: $0) } ?? true
    }

    /// Whether the product's name is the beginning of the sent name, as on markets that cut names.
    fileprivate func hasCutName(_ product: LiveProduct) -> Bool {
        guard let sent = self.product.values.name, let shown = product.name, !shown.isEmpty, shown != sent else {
            return false
        }
        return mayHaveMade(product.id) && shown.isBeginning(of: sent)
    }

    private func hasCutDescription(_ product: LiveProduct) -> Bool {
        guard let sent = self.product.values.description, let shown = product.description else { return false }
        return hasCutName(product) && shown.isBeginning(of: sent)
    }

    fileprivate func cannotTell(_ product: LiveProduct) -> Bool {
        let sent = self.product.values
        guard !product.blank.isEmpty else { return false }
        guard product.name == nil || product.name == sent.name || hasCutName(product) else { return false }
        guard product.price == nil || product.price == sent.price else { return false }
        return product.currency == nil || product.currency == sent.currency
    }

    fileprivate func differences(from product: LiveProduct) -> Int {
        WriteComparison.differences(sent: self.product.values, fields: self.product.writtenFields, shown: product).count
    }

    fileprivate func fits(
        _ product: LiveProduct,
        exactly: Bool,
        digests: [ExactText: ContentDigest],
        _ normalised: Set<ProductField>
    ) -> Bool {
        guard mayHaveMade(product.id) else { return false }
        if let carried, let shown = product.key, shown != carried.key { return false }
        let sent = self.product.values
        // A row that shows almost nothing fits nothing.
        guard product.name != nil, product.price != nil else { return false }
        if let wanted = sent.images?.digests, let images = product.images {
            let known = images.compactMap { digests[$0.url] }
            if known.count == images.count, !known.isReordering(of: wanted) { return false }
        }
        var fields = self.product.writtenFields
        if !exactly, let sent = sent.stock, let shown = product.stock, shown < sent { fields.remove(.stock) }
        // Equal when displayed: a market may normalise texts, and the product is still ours.
        if !exactly, sent.name == product.name || hasCutName(product) { fields.remove(.name) }
        if !exactly, sent.description == product.description || hasCutDescription(product) {
            fields.remove(.description)
        }
        return WriteComparison.differences(sent: sent, fields: fields, shown: product, normalised: normalised).isEmpty
    }
}
