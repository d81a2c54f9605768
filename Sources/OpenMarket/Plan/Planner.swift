/// Computes the operations that lead from the live catalog to the manifest.
///
/// Pure, total and deterministic; the time grows linearly with the number of products.
package struct Planner: Sendable {
    let input: Input
    let capabilities: MarketCapabilities
    let options: PlannerOptions

    let identity: VendorIdentity
    let pairing: Pairing
    /// The state by key, after `previously:` renamed keys.
    let entries: StateEntries
    /// Keys to leave alone: those with unresolved operations, and the former keys of their listings.
    let blockedKeys: Set<String>
    /// The fields that a create cannot set on this market.
    let fieldsUnknownToCreate: ProductFieldSet
    /// The manifest's listings, shared by all creates.
    let listed: ListedCreate.Source
    var plan = Plan()
    /// The products to create that may be live ones.
    var namesakes = DuplicateNames()
    /// The managed products with the name of a product to create.
    private(set) var managedNamesakes: [StateEntry] = []
    /// Built for the first look-up, because most plans do not use it.
    var similarKeys: SimilarKeys?
    var rows = RowFindings()
    /// Managed products that are gone from the market, without a successor.
    private(set) var goneKeys: [String] = []
    /// The number of products that keep a drifted stock without a setting by the user.
    var keptStocks = 0
    /// The files that are gone, and how many products the plan deletes because of each.
    var goneFiles: [String: Int] = [:]

    package static func plan(_ input: Input, capabilities: MarketCapabilities, options: PlannerOptions) -> Plan {
        var planner = Planner(input: input, capabilities: capabilities, options: options)
        return planner.run()
    }

    private init(input: Input, capabilities: MarketCapabilities, options: PlannerOptions) {
        self.input = input
        self.capabilities = capabilities
        var options = options
        let pairing = Pairing(input)
        options.filter = options.selection.knowing(pairing.formerKeys)
        options.replaced = options.replaced.knowing(pairing.formerKeys)
        self.options = options
        self.identity = input.identity
        self.fieldsUnknownToCreate = capabilities.fieldsUnknownToCreate
        self.listed = ListedCreate.Source(input.manifest.listings)
        self.pairing = pairing
        self.entries = pairing.entries
        let blocked = input.blockedKeys.union(pairing.faults.map { input.manifest.listings.key(at: $0.listing) })
        self.blockedKeys =
            blocked.isEmpty
            ? []
            : blocked.union(input.manifest.listings.lazy.filter { blocked.contains($0.key) }.flatMap(\.previously))
        if input.sendsKeys, capabilities.key?.isChangeable != true { noteFormerKeysThatStay() }
        for (index, fault) in pairing.faults {
            let listing = input.manifest.listings[index]
            guard ([listing.key] + listing.previously).contains(where: options.filter.takes) else { continue }
            plan.diagnostics.append(fault)
        }
    }

    /// Reports products that keep their listing's former key.
    private mutating func noteFormerKeysThatStay() {
        for (index, former, key) in pairing.renames where options.filter.takes(key) {
            guard let id = entries[key]?.id, let product = input.live.products[id],
                ManagedKeys([former], capabilities).key(of: product) != nil
            else { continue }
            let listing = input.manifest.listings[index]
            report(
                .warning,
                .formerKey,
                "'\(key)' is product \(id), which keeps the key '\(former)' on \(input.marketName): it cannot be changed",
                at: listing.location(),
                help: "keep `previously: [\(former)]`: it identifies the product if the state is lost"
            )
        }
    }

    private mutating func run() -> Plan {
        var adoption = Adoption(
            input: input,
            identity: identity,
            pairing: pairing,
            capabilities: capabilities,
            adopts: options.adopts
        )
        planListings(adoption: &adoption)
        refuseWhatNoRequestDoes()
        noteReplacedNamesakes(&adoption)
        if plan.operations.contains(where: \.makesProduct) {
            managedNamesakes = plan.managedNamesakes(input, entries)
            let others = adoption.claimed.union(options.allowsNamesakes ? namesakes.ids : [])
            plan.namesakes = KnownNamesakes(
                vendorID: identity.confirmed ?? (identity.isClaimRemembered ? nil : identity.claim),
                others: others.union(plan.knownNamesakes(input, managed: managedNamesakes)).inOrder(),
                contested: options.allowsNamesakes ? [] : namesakes.contestedKeys,
                unreadRows: options.allowsNamesakes ? pairing.unread.count : 0
            )
        }
        check()
        planRenames()
        if plan.refusals.contains(where: \.isOfGone) { plan.goneKeys = goneKeys }
        addPendingDeletes()
        // Stable: within an action, the manifest's order is kept.
        plan.operations = PlannedOperation.Action.allCases.flatMap { action in
            plan.operations.filter { $0.action == action }
        }
        return plan
    }

    private mutating func planListings(adoption: inout Adoption) {
        var shared = adoption.sharedKeys()
        let takesAll = blockedKeys.isEmpty && options.filter.takesAll && shared.isEmpty
        for (index, pair) in pairing.pairs.enumerated() {
            if takesAll, pair.isCurrent, !isReplaced(index) {
                plan.unchanged += 1
                continue
            }
            let listing = input.manifest.listings[index]
            let entry = pair.entry.map { entries.entry(at: $0) }
            guard takes(listing.key), blockedKeys.isDisjoint(with: listing.previously) else {
                if !options.filter.takes(listing.key) { plan.unselected += 1 }
                continue
            }
            if input.sendsKeys, let ids = shared.removeValue(forKey: listing.key) {
                plan.diagnostics.append(.sharedKey(listing, ids: ids))
            } else if !options.allowsNamesakes, let known = input.rewrittenKeys[listing.key] {
                rows.respelled.append((listing, known))
            } else if listing.isAbsent {
                planTombstone(listing, adoption: &adoption)
            } else if let row = listing.row {
                planRow(listing, row, entry: entry)
            } else if let entry {
                planManaged(listing, at: index, entry: entry, adoption: &adoption)
            } else {
                planNew(listing, at: index, reason: "new in the manifest", adoption: &adoption)
            }
        }
        if keptStocks > 0 {
            report(
                .warning,
                .keptStock,
                "the stock of \(counted(keptStocks, "product")) changed on the market, and stays as it is there",
                help: "'policies.on_drift: {stock: restore}' puts the manifest's back; 'keep' there silences this"
            )
        }
        plan.diagnostics += shared.sorted { $0.key < $1.key }.map { .twiceCarried(key: $0.key, ids: $0.value) }
        followOrigins()
        // Fast path: usually every entry has its listing.
        guard pairing.unlistedCount > 0 else { return }
        if input.manifest.isComplete { planDropped() } else { plan.unselected += pairing.unlistedCount }
    }

    /// Records the file of each product that another one listed when it was last applied, or that has none yet.
    private mutating func followOrigins() {
        guard let origins = input.origins else { return }
        let listings = input.manifest.listings
        var (moved, others): ([String: [String]], [String: [String]]) = ([:], [:])
        for (index, pair) in pairing.pairs.enumerated() {
            guard let position = pair.entry, let name = origins.names[listings.file(at: index)] else { continue }
            let known = entries.origin(at: position)
            guard !known.isExactly(name), !listings.isAbsent(at: index) else { continue }
            let key = listings.key(at: index)
            guard takes(key) else { continue }
            moved[name, default: []].append(key)
            if case .unread(let other) = origins.standing(of: known) { others[other, default: []].append(key) }
        }
        for (name, keys) in moved.sorted(by: { $0.key < $1.key }) {
            plan.stateUpdates.append(.origin(name, keys: keys))
        }
        for (file, keys) in others.sorted(by: { $0.key < $1.key }) {
            let others = keys.count == 1 ? "" : " and \(counted(keys.count - 1, "other product"))"
            let were = keys.count == 1 ? "was" : "were"
            let message = "'\(keys[0])'\(others) \(were) last applied from \(file), which is not read"
            report(.warning, .unreadFile, message)
        }
    }

    /// Records newer products with the name of one that a replace creates again.
    private mutating func noteReplacedNamesakes(_ adoption: inout Adoption) {
        for operation in plan.operations {
            guard let replacement = operation.replacement else { continue }
            // If the name changes, products with the new name count whatever their age.
            let values = replacement.product.values
            let keepsName = replacement.live.name == values.name
            let newer = adoption.namesakes(of: values, newerThan: keepsName ? replacement.id : nil)
            namesakes.note(operation.key, at: operation.source, ids: newer, kind: .replaced)
        }
    }

    /// Adds each renamed key to its product's operation, or as an operation of its own.
    private mutating func planRenames() {
        let renames = pairing.renames.filter { options.filter.takes($0.to) }
        guard !renames.isEmpty else { return }
        let places = Dictionary(plan.operations.enumerated().map { ($1.key, $0) }) { first, _ in first }
        for (index, former, key) in renames {
            guard let entry = entries[key] else { continue }
            let reason = "renamed from '\(former)'"
            if let place = places[key] {
                plan.operations[place].renamedFrom = former
                plan.operations[place].reason += "; \(reason)"
                continue
            }
            let listing = input.manifest.listings[index]
            var operation = PlannedOperation(
                listing,
                reason: reason,
                work: .rename(entry.id, name: input.live.products[entry.id]?.name ?? entry.applied.name)
            )
            operation.renamedFrom = former
            plan.operations.append(operation)
        }
    }

    private func isReplaced(_ index: Int) -> Bool {
        !options.replaced.patterns.isEmpty && options.replaced.contains(input.manifest.listings.key(at: index))
    }

    /// Whether the plan may change a key: it is selected, and its operations are resolved.
    func takes(_ key: String) -> Bool {
        !blockedKeys.contains(key) && options.filter.takes(key)
    }

    /// Adds the deletes that an unfinished replace owes, each product once.
    private mutating func addPendingDeletes() {
        guard !input.owedDeletes.isEmpty else { return }
        var taken = Set(plan.operations.compactMap(\.id))
        plan.operations += input.owedDeletes.filter { delete in
            options.filter.takes(delete.key) && (delete.id.map { taken.insert($0).inserted } ?? false)
        }
        .map { delete in
            guard case .delete(var deletion) = delete.work, let live = input.live.products[deletion.id] else {
                return delete
            }
            // The earlier run read the product.
            var delete = delete
            deletion.live =
                entries[delete.key].map { entry in
                    live.values(entry: entry, digests: input.pictureDigests, capabilities: capabilities)
                } ?? live.values
            deletion.livePictures = LivePictures(live)
            delete.work = .delete(deletion)
            return delete
        }
    }

    mutating func report(
        _ severity: Diagnostic.Severity,
        _ code: Diagnostic.Code,
        _ message: String,
        at location: SourceLocation? = nil,
        help: String? = nil
    ) {
        plan.diagnostics.append(Diagnostic(severity, code, message, location: location, help: help))
    }

    /// Counts a product that is gone, unless an earlier run was to delete it.
    mutating func noteGone(_ entry: StateEntry) {
        if !input.begunDeletes.contains(entry.key) { goneKeys.append(entry.key) }
    }

    /// The managed key that a key without a product probably means.
    mutating func respelledKey(of key: String) -> String? {
        let similar = similarKeys ?? SimilarKeys(entries, input)
        similarKeys = similar
        return similar.key(meantBy: key)
    }

    /// Whether `id:` and the state name the same product; reports it if not.
    mutating func checkPin(of listing: Listing, entry: StateEntry) -> Bool {
        guard let pinned = listing.pinnedID, pinned != entry.id else { return true }
        // After a replace, the manifest still has the old id, whose product is gone or about to be deleted.
        let isOwed = input.owedDeletes.contains { delete in
            delete.id == pinned && (delete.key == entry.key || listing.previously.contains(delete.key))
        }
        // A delete needs certainty; any other row shows its changes in the plan.
        let mayBeGone = !listing.isAbsent && input.live.products[pinned] == nil
        if mayBeGone || isOwed, input.product(of: entry) != nil {
            plan.diagnostics.append(.pinnedElsewhere(listing, pinned: pinned, bound: entry.id, isGone: true))
            return true
        }
        plan.diagnostics.append(.pinnedElsewhere(listing, pinned: pinned, bound: entry.id))
        return false
    }
}
