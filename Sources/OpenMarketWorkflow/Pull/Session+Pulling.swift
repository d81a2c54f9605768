import OpenMarket
import OpenMarketManifest

package struct PullRequest: Hashable, Sendable {
    /// Only these products; all own ones if empty.
    var ids: Set<MarketID> = []
    /// The own vendor number, if the manifest or the command line states it (v2).
    var vendorID: Int64?
    /// Whether the user confirms all products that are not provably another vendor's.
    var adopts = false
}

extension PullRequest {
    /// Selects products by ids that a person typed, or all own ones without ids.
    init(
        ids texts: [String],
        as kind: MarketID.Kind,
        vendorID: Int64? = nil,
        adopts: Bool = false
    ) throws(CommandFailure) {
        var ids: Set<MarketID> = []
        for text in texts {
            guard let id = MarketID(spelled: text, as: kind) else {
                let name = kind == .number ? "number" : "id"
                throw CommandFailure(.usage, "--id takes the \(name) of a product, and not '\(text)'")
            }
            ids.insert(id)
        }
        self.init(ids: ids, vendorID: vendorID, adopts: adopts)
    }
}

struct PulledCatalog: Sendable {
    /// In ascending order of their ids, with all that the market shows of them.
    var products: [LiveProduct]
    /// The own vendor number; `nil` if it is unknown.
    var vendorID: Int64?
    /// All that was read, own and others.
    var reading: ReadCatalog
}

/// A catalog as it was read, with details.
struct ReadCatalog: Sendable {
    var products: [LiveProduct] = []
    var problems: [RowProblem] = []
    var summary: CatalogSummary
}

extension Session {
    /// Reads the products for a manifest, each in detail if the market shows single products.
    ///
    /// Products that the state in `snapshot` manages count as own. With `provesVendor`, a stated vendor number that no
    /// reply confirmed is checked: the market gives a vendor only the delete keys of its own products.
    func pull(
        _ request: PullRequest,
        knowing snapshot: StateSnapshot,
        provesVendor: Bool = false
    ) async throws -> PulledCatalog {
        try await market.requireProfile()
        var products: [LiveProduct] = []
        var problems: [RowProblem] = []
        onEvent(.began(.details))
        defer { onEvent(.ended(.details)) }
        let summary = try await market.walk(details: capabilities.showsDetails) { product in
            products.append(product)
            onEvent(.advanced(.details, by: 1, total: nil))
        } problem: {
            problems.append($0)
            onEvent(.problem($0))
        }
        if summary.completeness == .unsettled { throw CommandFailure.unsettled(passes: summary.passes) }
        let shown = Dictionary(products.map { ($0.id, $0) }) { first, _ in first }
        let identity = VendorIdentity(claim: request.vendorID, state: snapshot, live: LiveProducts(shown))
        if let contradiction = identity.contradiction { throw CommandFailure.vendor(contradiction) }
        let selected = try request.selected(from: products, as: identity, managed: snapshot.entries)
        guard !selected.isEmpty else { throw CommandFailure.noProducts }
        if provesVendor, capabilities.ownershipProof == .deleteKey, let claim = request.vendorID, identity.said == nil,
            let id = selected.last(where: { identity.ownership(of: $0, by: .presumed) == .ours && $0.vendorID != nil })?
                .id,
            case .refused(let refusal) = await market.perform(WriteRequest(.deleteKey(id))),
            refusal.kind != .credentials
        {
            throw CommandFailure.vendor(.init(claimed: claim, confirmed: nil, evidence: .deniedProduct(id)))
        }
        // If the products that the user adopts have the same vendor, that vendor is the own one.
        let owners = Set(selected.compactMap(\.vendorID))
        return PulledCatalog(
            products: selected.sorted { MarketID.precedes($0.id, $1.id) },
            vendorID: identity.presumed ?? (owners.count == 1 ? owners.first : nil),
            reading: ReadCatalog(products: products, problems: problems, summary: summary)
        )
    }

    /// The possible adoptions, and whether any of their products changed meanwhile.
    typealias Adoptions = (planned: PlannedChanges, manifest: ContentDigest, hasMoved: Bool)

    /// Plans only to adopt products with the values of a manifest.
    ///
    /// The rest of the plan, its refusals and its errors are left to the next plan.
    func adoptions(of keys: Set<String>, as manifest: Manifest) async throws -> Adoptions {
        var planned = try await plan(manifest, refresh: .full)
        let operations = planned.plan.operations
        func changesNothing(_ operation: PlannedOperation) -> Bool { [.adopt, .rename].contains(operation.action) }
        planned.plan.operations = operations.filter { changesNothing($0) && keys.contains($0.key) }
        planned.plan.refusals = []
        planned.plan.stateUpdates = planned.plan.stateUpdates.filter { update in
            switch update {
            case .put(let entry): keys.contains(entry.key)
            default: false
            }
        }
        return (planned, manifest.digest, operations.contains { !changesNothing($0) && keys.contains($0.key) })
    }

    /// The session with a catalog that was just read, so that it is not read again.
    func knowing(_ reading: ReadCatalog) -> Session {
        let details = Dictionary(reading.products.map { ($0.id, $0) }) { first, _ in first }
        var session = self
        session.market = ReadMarket(market: market, reading: reading, details: details)
        return session
    }
}

extension PullRequest {
    private func words(_ ids: [MarketID]) -> String { ids.map { "\($0)" }.joined(separator: ", ") }

    /// The requested products that may be own.
    fileprivate func selected(
        from products: [LiveProduct],
        as identity: VendorIdentity,
        managed: StateEntries
    ) throws(CommandFailure) -> [LiveProduct] {
        func isForeign(_ product: LiveProduct) -> Bool {
            identity.ownership(of: product, by: .presumed) == .foreign
        }
        guard ids.isEmpty else {
            let named = products.filter { ids.contains($0.id) }
            let missing = ids.subtracting(named.map(\.id))
            guard missing.isEmpty else {
                throw CommandFailure(.invalidInput, "product \(words(missing.inOrder())) is not on the market")
            }
            let foreign = named.filter(isForeign)
            guard foreign.isEmpty else {
                let what = "product \(words(foreign.map(\.id).inOrder())) is another vendor's"
                throw CommandFailure(.invalidInput, what, help: "name your own, or correct --vendor-id")
            }
            return named
        }
        let known = Set(managed.values.map(\.id))
        let vendors = Dictionary(grouping: products.compactMap(\.vendorID)) { $0 }.mapValues(\.count)
        // Products of several vendors are adopted together only with a vendor identity.
        let adoptsAll = adopts && (identity.presumed != nil || vendors.count < 2)
        let showsOwners = identity.presumed != nil && !vendors.isEmpty
        guard adoptsAll || showsOwners || !known.isEmpty || products.isEmpty else { throw .ownerUnknown(vendors) }
        return products.filter { product in
            guard !isForeign(product) else { return false }
            return adoptsAll || known.contains(product.id)
                || identity.ownership(of: product, by: .presumed) == .ours
        }
    }
}

extension CommandFailure {
    /// The market's list lacks products of the vendor.
    static let noProducts = CommandFailure(
        .refused,
        "the market's list lacks products of this vendor; no file was written"
    )

    /// The market shows another vendor identity than the stated one.
    fileprivate static func vendor(_ contradiction: VendorContradiction) -> CommandFailure {
        CommandFailure(
            .refused,
            "\(contradiction); no file was written",
            help: "correct --vendor-id or `market.vendor_id`, or omit it: the market shows the vendor number"
        )
    }

    /// The vendor identity is unknown; the number of products per vendor, if the market shows vendors.
    static func ownerUnknown(_ vendors: [Int64: Int]) -> CommandFailure {
        let most = vendors.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(5)
        let shown = most.map { "\($0.key) with \(counted($0.value, "product"))" }.joined(separator: ", ")
        let found = vendors.isEmpty ? "" : "; the vendor\(vendors.count == 1 ? " is" : "s are") \(shown)"
        let help =
            vendors.count > 1
            ? "give the vendor number with --vendor-id, or name products with --id"
            : "give the vendor number with --vendor-id, confirm all with --adopt, or name products with --id"
        return CommandFailure(.invalidInput, "the vendor's products cannot be identified" + found, help: help)
    }
}

private struct ReadMarket: Market {
    let market: any Market
    let reading: ReadCatalog
    let details: [MarketID: LiveProduct]

    var profile: MarketProfile { market.profile }

    var executor: (any TaskExecutor)? { market.executor }

    func requireProfile() async throws { try await market.requireProfile() }

    func walk(
        details: Bool,
        row: (LiveProduct) async throws -> Void,
        problem: (RowProblem) async throws -> Void
    ) async throws -> CatalogSummary {
        for product in reading.products { try await row(product) }
        for fault in reading.problems { try await problem(fault) }
        return reading.summary
    }

    func product(_ id: MarketID) async throws -> LiveProduct? {
        if let known = details[id] { return known }
        return try await market.product(id)
    }

    func picture(at url: String) async throws -> FetchedPicture { try await market.picture(at: url) }

    func pictureDigest(at url: String) async throws -> ContentDigest { try await market.pictureDigest(at: url) }

    func perform(_ request: WriteRequest) async -> WriteOutcome { await market.perform(request) }
}
