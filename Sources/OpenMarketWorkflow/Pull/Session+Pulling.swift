package import OpenMarket
import OpenMarketManifest

/// Which of the market's products become a manifest.
package struct PullRequest: Hashable, Sendable {
    /// Only these; all of ours where there are none.
    var ids: Set<MarketID>
    /// Our vendor number, where manifest or command line say it (v2).
    var vendorID: Int64?
    /// Whether the user vouches that what is not provably another vendor's is ours.
    var vouched: Bool

    /// All of ours, unless specified.
    init(ids: Set<MarketID> = [], vendorID: Int64? = nil, vouched: Bool = false) {
        self.ids = ids
        self.vendorID = vendorID
        self.vouched = vouched
    }

    /// A text that is not the id of a product.
    package struct NotAnID: Error, Hashable, Sendable {
        /// The text.
        package let text: String
        /// What the market calls products by.
        package let kind: MarketID.Kind
    }

    /// The products of some ids as a person wrote them, or all of ours.
    ///
    /// - Throws: ``NotAnID``.
    init(
        ids texts: [String],
        as kind: MarketID.Kind,
        vendorID: Int64? = nil,
        vouched: Bool = false
    ) throws(NotAnID) {
        var ids: Set<MarketID> = []
        for text in texts {
            guard let id = MarketID(spelled: text, as: kind) else { throw NotAnID(text: text, kind: kind) }
            ids.insert(id)
        }
        self.init(ids: ids, vendorID: vendorID, vouched: vouched)
    }
}

/// The market's products as a manifest is to say them.
struct PulledCatalog: Sendable {
    /// In rising order of their ids, with all that the market shows of them.
    var products: [LiveProduct]
    /// Our vendor number, where it is known.
    var vendorID: Int64?
    /// Whether the catalog changed while it was read; `nil` where nothing shows it.
    var catalogMoved: Bool?
    /// Whether it is proved that these are all products.
    var isProved: Bool
    /// How many rows of the market's list could not be read, and are not among the products.
    var lostRows: Int
}

extension Session {
    /// Reads the products that are to become a manifest, each in detail where the market shows single products.
    ///
    /// - Parameters:
    ///   - request: which.
    ///   - snapshot: what the state knows: what it manages is ours.
    /// - Returns: the products.
    /// - Throws: ``PullError``, ``SessionError/incompleteExport(passes:)``, `MarketError`.
    func pull(_ request: PullRequest, knowing snapshot: StateSnapshot) async throws -> PulledCatalog {
        try await market.requireProfile()
        var products: [LiveProduct] = []
        // By place: a row may have several faults.
        var lost: Set<String> = []
        onEvent(.began(.details))
        defer { onEvent(.ended(.details)) }
        let summary = try await market.walk(details: capabilities.showsDetails) { product in
            products.append(product)
            onEvent(.advanced(.details, by: 1, total: nil))
        } problem: {
            if $0.id == nil { lost.insert($0.place) }
            onEvent(.problem($0))
        }
        if summary.completeness == .unsettled { throw SessionError.incompleteExport(passes: summary.passes) }
        let shown = Dictionary(products.map { ($0.id, $0) }) { first, _ in first }
        let identity = VendorIdentity(claim: request.vendorID, state: snapshot, live: LiveProducts(shown))
        if let contradiction = identity.contradiction { throw PullError.vendor(contradiction) }
        let selected = try request.selected(from: products, as: identity, managed: snapshot.entries)
        // Products that the user vouched for say who we are, where they agree.
        let owners = Set(selected.compactMap(\.vendorID))
        return PulledCatalog(
            products: selected.sorted { MarketID.precedes($0.id, $1.id) },
            vendorID: identity.presumed ?? (owners.count == 1 ? owners.first : nil),
            catalogMoved: summary.catalogMoved,
            isProved: summary.isComplete,
            lostRows: lost.count
        )
    }

    /// Takes products over into the state as a manifest has them, and does nothing else: what else a plan would do, and
    /// what forbids it, is for the next plan to say.
    ///
    /// - Parameters:
    ///   - keys: the products.
    ///   - manifest: the manifest.
    /// - Returns: whether any of them changed meanwhile.
    /// - Throws: ``PullError/notAdopted(_:)``, ``SessionError``, `MarketError`, and what the state throws.
    func adopt(_ keys: Set<String>, of manifest: Manifest) async throws -> Bool {
        var planned = try await plan(manifest, refresh: .full)
        let errors = planned.plan.diagnostics.filter { $0.severity == .error }
        guard errors.isEmpty else { throw PullError.notAdopted(errors) }
        let operations = planned.plan.operations
        planned.plan.operations = operations.filter { $0.action == .adopt && keys.contains($0.key) }
        planned.plan.refusals = []
        planned.plan.stateUpdates = planned.plan.stateUpdates.filter { update in
            switch update {
            case .put(let entry): keys.contains(entry.key)
            case .rename(_, let key): keys.contains(key)
            default: false
            }
        }
        _ = try await apply(planned, manifest: manifest.digest, asksOwners: false)
        return operations.contains { $0.action != .adopt && keys.contains($0.key) }
    }

    /// The same session with pictures that were fetched and hashed just now: they are not fetched again to compare them.
    func knowing(_ pictures: [ExactText: ContentDigest]) -> Session {
        var session = self
        session.market = PicturedMarket(market: market, digests: pictures)
        return session
    }
}

extension PullRequest {
    /// The products that are asked for and may be ours.
    fileprivate func selected(
        from products: [LiveProduct],
        as identity: VendorIdentity,
        managed: StateEntries
    ) throws(PullError) -> [LiveProduct] {
        func isForeign(_ product: LiveProduct) -> Bool {
            identity.ownership(of: product, by: .presumed) == .foreign
        }
        guard ids.isEmpty else {
            let named = products.filter { ids.contains($0.id) }
            let missing = ids.subtracting(named.map(\.id))
            guard missing.isEmpty else { throw .missing(missing.inOrder()) }
            let foreign = named.filter(isForeign)
            guard foreign.isEmpty else { throw .foreign(foreign.map(\.id).inOrder()) }
            return named
        }
        let known = Set(managed.values.map(\.id))
        let vendors = Dictionary(grouping: products.compactMap(\.vendorID)) { $0 }.mapValues(\.count)
        // Products of several vendors are never taken over together without knowing which of them we are.
        let vouchesForAll = vouched && (identity.presumed != nil || vendors.count < 2)
        let showsOwners = identity.presumed != nil && !vendors.isEmpty
        guard vouchesForAll || showsOwners || !known.isEmpty || products.isEmpty else { throw .ownerUnknown(vendors) }
        return products.filter { product in
            guard !isForeign(product) else { return false }
            return vouchesForAll || known.contains(product.id)
                || identity.ownership(of: product, by: .presumed) == .ours
        }
    }
}

/// A market whose pictures are known, as far as they are.
private struct PicturedMarket: PagedMarket {
    let market: any Market
    let digests: [ExactText: ContentDigest]

    var profile: MarketProfile { market.profile }

    var executor: (any TaskExecutor)? { market.executor }

    func requireProfile() async throws { try await market.requireProfile() }

    func walk(
        details: Bool,
        row: (LiveProduct) async throws -> Void,
        problem: (RowProblem) async throws -> Void
    ) async throws -> CatalogSummary {
        try await market.walk(details: details, row: row, problem: problem)
    }

    func walkPages<Rows: PageRows>(
        collecting empty: Rows,
        rows: (inout Rows) async throws -> Void,
        problem: (RowProblem) async throws -> Void
    ) async throws -> CatalogSummary {
        try await market.walk(collecting: empty, rows: rows, problem: problem)
    }

    func product(_ id: MarketID) async throws -> LiveProduct? { try await market.product(id) }

    func picture(at url: String) async throws -> FetchedPicture { try await market.picture(at: url) }

    func pictureDigest(at url: String) async throws -> ContentDigest {
        if let digest = digests[url] { return digest }
        return try await market.pictureDigest(at: url)
    }

    func perform(_ request: WriteRequest) async -> WriteOutcome { await market.perform(request) }
}
