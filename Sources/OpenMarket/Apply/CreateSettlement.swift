/// What became of a create whose reply was lost.
package enum SettlementVerdict: Hashable, Sendable {
    /// The market has the product. Its pictures are certain unless a twin with other pictures may be meant.
    case happened(LiveProduct, picturesAreCertain: Bool)
    /// The market does not have it, and no longer will.
    case neverHappened
    /// The outcome is still unknown.
    case unresolved(String)
}

extension SettlementVerdict {
    /// The product that was made, if it was.
    var product: MarketID? { if case .happened(let product, _) = self { product.id } else { nil } }

    /// Why it stays open whether a product is a create's, and what a person does about it.
    static func undecidable(_ product: MarketID) -> String {
        "product \(product) may be it, and nothing on this market shows whether it is; delete it there, and it is made again"
    }
}

/// Finds the products of creates whose replies were lost among the products of the market.
///
/// A product fits a create when it is newer than the newest id known before the request left, belongs to no other key,
/// and shows what was sent, its pictures' bytes included where they can be read. Nothing distinguishes equal twins,
/// so only their number counts: the oldest product goes to the oldest create.
struct CreateSettlement: Sendable {
    /// A create and the product that is most likely its own.
    struct Match: Hashable, Sendable {
        /// The create.
        var create: OpenCreate
        /// The product, in detail.
        var product: LiveProduct
        /// Whether no other create looks the same but for its pictures.
        var picturesAreCertain: Bool
    }

    /// A create without reply.
    struct OpenCreate: Hashable, Sendable {
        /// The caller's number for it.
        var index: Int
        /// The key of a create; `nil` for a replace, whose key means the old product until it is known.
        var key: String?
        /// What was to be made.
        var product: NewProduct
        /// How to find the product's own password (v1); `nil` uses the market's secret.
        var secret: SecretReference?
        /// The newest id known before the request left.
        var highWater: MarketID?
        /// From when on the market may have been working on it without us listening.
        var since: Timestamp
        /// The product that a reply named and that could not be taken for the new one.
        var answered: MarketID?
        /// The key that its product carries on the market; `nil` where products carry none.
        var carried: CarriedKey?
        /// Whether the market says that a product has the key.
        var isDuplicate: Bool

        /// A create without reply, or with one that proves nothing.
        init(
            index: Int,
            key: String?,
            product: NewProduct,
            secret: SecretReference?,
            highWater: MarketID?,
            since: Timestamp,
            answered: MarketID? = nil,
            carried: CarriedKey? = nil,
            isDuplicate: Bool = false
        ) {
            self.index = index
            self.key = key
            self.product = product
            self.secret = secret
            self.highWater = highWater
            self.since = since
            self.answered = answered
            self.carried = carried
            self.isDuplicate = isDuplicate
        }
    }

    /// The key that the product of a create carries on the market.
    struct CarriedKey: Hashable, Sendable {
        /// The key.
        var key: String
        /// The product that carries it as well, because the new one is to take its place.
        var replaced: MarketID?

        /// A key.
        init(key: String, replaced: MarketID? = nil) {
            self.key = key
            self.replaced = replaced
        }

        /// Whether a market may have made another key of it: in capitals or small letters, without what is neither a letter nor a
        /// digit, cut, or with something beside it.
        func isRewritten(as other: String) -> Bool {
            let letters = { (text: String) in text.lowercased().filter { $0.isLetter || $0.isNumber } }
            let (sent, shown) = (letters(key), letters(other))
            return !shown.isEmpty && sent.hasPrefix(shown) || sent.count >= 3 && shown.contains(sent)
        }

        /// The key of an operation's product; `nil` where products carry none.
        init?(_ operation: PlannedOperation, _ configuration: ExecutorConfiguration) {
            guard configuration.sendsKeys else { return nil }
            self.init(key: operation.key, replaced: operation.succession?.id)
        }
    }

    /// The creates that no product was found for yet.
    private(set) var open: [OpenCreate]
    /// Who we are: what shows another number than a confirmed one is not looked at.
    private var identity: VendorIdentity
    /// The SHA-256 of pictures of the market's, by URL, where they could be read.
    var pictureDigests: [ExactText: ContentDigest] = [:]

    /// Rows that may be one of the creates, and whose product does not show.
    var hiddenRows: [LiveProduct] = []
    /// The rows that do not show which product they are.
    var unread = LiveCatalog().unreadRows

    /// The keys of our products, where products carry them.
    private let keys: OwnKeys?
    /// The fields that the market shows otherwise than they were sent.
    private let normalised: Set<ProductField>
    private let all: [OpenCreate]
    /// The entries of products of ours that have the name of one of the creates.
    private let namesakes: [StateEntry]
    private let snapshot: StateSnapshot
    /// Products that are known to be something else.
    private var taken: Set<MarketID>
    /// Products that are not of the creates with a password, by where that is: one of another password may be.
    private var excluded: [SecretReference?: Set<MarketID>] = [:]

    /// A settlement of some creates.
    ///
    /// - Parameters:
    ///   - creates: The creates without reply.
    ///   - snapshot: What the state knows: products that are ours already, and our vendor number as it was.
    ///   - identity: Who we are, where the market has confirmed it in this run.
    ///   - keys: The keys of our products, where products carry them.
    ///   - normalised: The fields that the market shows otherwise than they were sent.
    ///   - made: Products that other operations are known to have made, and that the state does not know yet.
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
        // A create whose key has a product makes it again, because it is gone; its number may have been given once more.
        let remade = Set(creates.compactMap(\.key))
        self.taken = Set(zip(snapshot.entries.keys, snapshot.entries.ids).filter { !remade.contains($0.0) }.map(\.1))
            .union(made)
        self.identity = identity ?? VendorIdentity(claim: nil, state: snapshot, live: LiveProducts())
        self.identity.keys = keys
    }

    /// Takes over our vendor number where a catalog shows that the one which the state knows is still ours.
    mutating func recognize(in catalog: LiveCatalog) {
        guard identity.confirmed == nil else { return }
        identity = VendorIdentity(claim: nil, state: snapshot, live: catalog.products)
        identity.keys = keys
    }

    /// Takes over the vendor number of a product that proved to be ours.
    mutating func learn(from product: LiveProduct) {
        if let number = product.vendorID { identity.confirm(number, by: .reply) }
    }

    /// The rows that may be one of the creates, as far as a list shows; they are worth reading in detail.
    ///
    /// The name decides, as people see it or as a market cut it: everything else may have been changed by others
    /// meanwhile.
    func shortlist(_ rows: [LiveProduct]) -> [LiveProduct] {
        let wanted = Dictionary(grouping: open) { $0.product.values.name }
        // Next to a large catalog most rows are older than all creates, and are held against none of them.
        let oldest = open.map { $0.highWater?.number ?? .min }.min()
        return rows.filter { row in
            guard let oldest, oldest == .min || row.id.mayBeNewer(than: .number(oldest)), isFree(row) else {
                return false
            }
            // Without a name it may be any of them.
            guard row.name != nil else { return open.contains { $0.mayHaveMade(row.id) } }
            return (wanted[row.name] ?? []).contains { $0.mayHaveMade(row.id) } || open.contains { $0.hasCutName(row) }
        }
    }

    /// The products, in detail, that have the create's name and are as new as it, whatever else they show.
    func namesakes(of create: OpenCreate, among products: [LiveProduct]) -> [LiveProduct] {
        let name = create.product.values.name
        return products.filter { isFree($0, for: create) && $0.name == name && create.mayHaveMade($0.id) }
    }

    /// The products that show too little to exclude that the create made them.
    func unclear(_ create: OpenCreate, among products: [LiveProduct]) -> [LiveProduct] {
        products.filter { isFree($0, for: create) && create.mayHaveMade($0.id) && create.cannotTell($0) }
    }

    /// The product that a create most likely made, of those that have its name and show other values by now.
    ///
    /// Where there are fewer products than creates of the name, each goes to the create that it differs least from, and
    /// among equals the oldest product to the oldest create.
    ///
    /// - Parameters:
    ///   - create: The create.
    ///   - products: Products of its name, all of ours.
    /// - Returns: The product; `nil` where the others of the name come before it.
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

    /// The rows that may be what a create made, where nothing but the name speaks for it.
    ///
    /// - Parameters:
    ///   - create: The create.
    ///   - rows: The rows of the list.
    ///   - anyName: Whether the market rewrites names, so that a row of any name may be it.
    /// - Returns: The rows.
    func suspects(of create: OpenCreate, among rows: [LiveProduct], ofAnyName anyName: Bool) -> [LiveProduct] {
        rows.filter { row in
            guard isFree(row, for: create), create.mayHaveMade(row.id) else { return false }
            return anyName || row.name == nil || row.name == create.product.values.name || create.hasCutName(row)
        }
    }

    /// A product that is ours, if there is one.
    var ownProduct: MarketID? { snapshot.entries.ids.max(by: MarketID.precedes) }

    /// A product that is listed under the create's name and does not show; `nil` where there is none.
    func hidden(_ create: OpenCreate) -> MarketID? {
        namesakes(of: create, among: hiddenRows).first?.id
    }

    /// Pairs creates with products, each at most once.
    ///
    /// - Parameter products: Products in detail.
    /// - Returns: The pairs.
    func matches(_ products: [LiveProduct]) -> [Match] {
        var free = Dictionary(grouping: products.filter(isFree).sorted { MarketID.precedes($0.id, $1.id) }) { $0.name }
        var matched: Set<Int> = []
        var pairs: [Match] = []
        // A product from which units were sold in the meantime, or whose texts the market returned in other bytes, comes
        // second to one that is as it was sent.
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
        // Last what a market that cuts names may have made of it.
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

    /// Whether the product may as well be what another create made, one that was settled before included, with other
    /// pictures.
    private func hasRivals(_ create: OpenCreate, for product: LiveProduct) -> Bool {
        let wanted = create.product.values
        return all.contains { isRival($0, of: create, for: product) }
            || namesakes.contains { entry in
                entry.applied.name == wanted.name && entry.applied.images != wanted.images
                    && create.mayHaveMade(entry.id)
            }
    }

    /// Whether a create may as well have made a product that fits another one, which has other pictures.
    func isRival(_ create: OpenCreate, of other: OpenCreate, for product: LiveProduct) -> Bool {
        create.product.values.images != other.product.values.images
            && create.fits(product, exactly: false, digests: pictureDigests, normalised)
    }

    /// Whose a product is, as far as the market confirms who we are.
    func ownership(of product: LiveProduct) -> Ownership { identity.ownership(of: product, by: .confirmed) }

    /// Takes a product and its create out of the search.
    mutating func close(_ create: OpenCreate, with product: MarketID?) {
        open.removeAll { $0.index == create.index }
        if let product { taken.insert(product) }
    }

    /// Whether a product is known to be something else.
    func isTaken(_ product: MarketID) -> Bool { taken.contains(product) }

    /// Takes a product out of the search for a create, and for all with its password, that proved to be another vendor's by
    /// it.
    mutating func exclude(_ product: MarketID, for create: OpenCreate) {
        excluded[create.secret, default: []].insert(product)
    }

    private func isExcluded(_ product: MarketID, for create: OpenCreate) -> Bool {
        excluded[create.secret]?.contains(product) ?? false
    }

    /// Whether a product may be what a create made.
    private func isFree(_ product: LiveProduct, for create: OpenCreate) -> Bool {
        isFree(product) && !isExcluded(product.id, for: create)
    }

    private func isFree(_ product: LiveProduct) -> Bool {
        guard !taken.contains(product.id) else { return false }
        // A key of ours says which create it is.
        if let key = keys?.key(of: product) { return open.contains { $0.carried?.key == key } }
        return ownership(of: product) != .foreign
    }
}

extension CreateSettlement.OpenCreate {
    /// The create that an operation left without a reply; `nil` where it left none.
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

    /// Whether a product of this id may have been made by it: one that is newer than all that was known before.
    func mayHaveMade(_ id: MarketID) -> Bool {
        highWater.map { id.mayBeNewer(than: $0) } ?? true
    }

    /// Whether a product shows the beginning of the name that was sent, as a market that cuts names does.
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

    /// Whether a product lacks fields, and does not differ in those that it shows.
    fileprivate func cannotTell(_ product: LiveProduct) -> Bool {
        let sent = self.product.values
        guard !product.blank.isEmpty else { return false }
        guard product.name == nil || product.name == sent.name || hasCutName(product) else { return false }
        guard product.price == nil || product.price == sent.price else { return false }
        return product.currency == nil || product.currency == sent.currency
    }

    /// In how many fields a product differs from what was sent.
    fileprivate func differences(from product: LiveProduct) -> Int {
        WriteComparison.differences(sent: self.product.values, fields: self.product.writtenFields, shown: product).count
    }

    /// Whether the product may be what this create made.
    fileprivate func fits(
        _ product: LiveProduct,
        exactly: Bool,
        digests: [ExactText: ContentDigest],
        _ normalised: Set<ProductField>
    ) -> Bool {
        guard mayHaveMade(product.id) else { return false }
        if let carried, let shown = product.key, shown != carried.key { return false }
        let sent = self.product.values
        // A row that shows next to nothing fits nothing.
        guard product.name != nil, product.price != nil else { return false }
        if let wanted = sent.images?.digests, let images = product.images {
            let known = images.compactMap { digests[$0.url] }
            if known.count == images.count, !known.isReordering(of: wanted) { return false }
        }
        var fields = self.product.writtenFields
        if !exactly, let sent = sent.stock, let shown = product.stock, shown < sent { fields.remove(.stock) }
        // Equal as people see them: a market may normalise texts, and the product is ours all the same.
        if !exactly, sent.name == product.name || hasCutName(product) { fields.remove(.name) }
        if !exactly, sent.description == product.description || hasCutDescription(product) {
            fields.remove(.description)
        }
        return WriteComparison.differences(sent: sent, fields: fields, shown: product, normalised: normalised).isEmpty
    }
}
