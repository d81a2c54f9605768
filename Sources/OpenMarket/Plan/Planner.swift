/// Finds the operations that lead from the live catalog to the manifest.
///
/// Pure, total and deterministic: the same input gives the same plan, and any input gives one. Its time grows
/// linearly with products.
public struct Planner: Sendable {
    private let input: Input
    private let capabilities: MarketCapabilities
    private let options: PlannerOptions

    /// The state by key, after `previously:` renamed keys.
    private let entries: StateEntries
    /// Products that are on the market although their rows could not be read: neither to be made anew nor forgotten.
    private let unreadable: [ProductID: RowProblem]
    /// Keys that nothing may be done about: open ones, and those they are to take over.
    private let blockedKeys: Set<String>
    private var plan = Plan()
    private var namesakes = Namesakes()
    /// How many managed products are gone from the market, and nothing has taken their place.
    private var gone = 0

    /// Finds the operations that lead from the live catalog to the manifest.
    ///
    /// - Parameters:
    ///   - input: manifest, state and live catalog.
    ///   - capabilities: what the market can express.
    ///   - options: what the user said.
    /// - Returns: the plan, with everything that forbids it in it.
    public static func plan(_ input: Input, capabilities: MarketCapabilities, options: PlannerOptions) -> Plan {
        var planner = Planner(input: input, capabilities: capabilities, options: options)
        return planner.run()
    }

    private init(input: Input, capabilities: MarketCapabilities, options: PlannerOptions) {
        self.input = input
        self.capabilities = capabilities
        self.options = options
        let state = input.renamedState()
        self.entries = state.entries
        self.unreadable = input.unreadableProducts()
        self.blockedKeys =
            input.blockedKeys.isEmpty
            ? []
            : input.blockedKeys.union(
                input.manifest.listings.lazy.filter { input.blockedKeys.contains($0.key) }.flatMap(\.previously)
            )
        plan.stateUpdates = state.renames
        // What the manifest says of the vendor is what apply holds replies against.
        if let said = input.manifest.market.vendorID, let known = input.state.vendorID, said != known {
            plan.stateUpdates.append(.vendor(said))
        }
    }

    private mutating func run() -> Plan {
        var adoption = Adoption(
            input: input,
            entries: entries,
            capabilities: capabilities,
            vouched: options.adopts
        )
        var listedEntries = 0
        let trustsState = input.trusts(entries)
        let takesAll = blockedKeys.isEmpty && options.filter.takesAll
        for index in input.manifest.listings.indices {
            let position = entries.position(ofKeyOf: index, in: input.manifest.listings)
            if position != nil { listedEntries += 1 }
            if takesAll, let position,
                trustsState
                    ? input.isEvidentlyRemembered(index, position, entries)
                    : input.isEvidentlyCurrent(index, position, entries)
            {
                plan.unchanged += 1
                continue
            }
            let listing = input.manifest.listings[index]
            let entry = position.map { entries.entry(at: $0) }
            guard takes(listing.key), blockedKeys.isDisjoint(with: listing.previously) else {
                if !options.filter.takes(listing.key) { plan.unselected += 1 }
                continue
            }
            if listing.isAbsent {
                planTombstone(listing, adoption: &adoption)
            } else if let entry {
                planManaged(listing, entry: entry, adoption: &adoption)
            } else {
                planNew(listing, reason: "new in the manifest", adoption: &adoption)
            }
        }
        // Mostly every entry has its listing, and then there is nothing to look for.
        if listedEntries != entries.count {
            let listed = Set(input.manifest.listings.indices.map { input.manifest.listings.key(at: $0) })
            let dropped = entries.values.filter { !listed.contains($0.key) }
            plan.unselected += dropped.count { !options.filter.takes($0.key) }
            for entry in dropped.filter({ takes($0.key) }).sorted(by: { $0.key < $1.key }) {
                planRemoval(entry, reason: "no longer in the manifest", source: nil)
            }
        }
        for operation in plan.operations {
            guard case .replace(let replacement) = operation.work else { continue }
            // What had another name may be one of several that have it now, whichever is older.
            let name = replacement.product.values.name
            let keepsName = replacement.live.name == name
            let newer = adoption.namesakes(of: name, newerThan: keepsName ? replacement.id : nil)
            namesakes.note(operation.key, at: operation.source, ids: newer, kind: .replaced)
        }
        if !options.allowsNamesakes { plan.refusals += namesakes.refusals }
        if plan.operations.contains(where: { $0.newProduct != nil }) {
            let others = adoption.claimed.union(options.allowsNamesakes ? namesakes.ids : [])
            plan.namesakes = KnownNamesakes(
                vendorID: Ownership(input).confirmedVendorID,
                others: others.union(plan.knownNamesakes(input, entries)).sorted()
            )
        }
        plan.refusals += [plan.refusalOfSeveralVendors(input)].compactMap(\.self)
        plan.refusals += Brakes(plan: plan, input: input, options: options, gone: gone).refusals()
        owe()
        // Stable: within an action the manifest's order stays.
        plan.operations = PlannedOperation.Action.allCases.flatMap { action in
            plan.operations.filter { $0.action == action }
        }
        return plan
    }

    /// Whether the plan may touch a key: the run is about it, and nothing about it is unresolved.
    private func takes(_ key: String) -> Bool {
        !blockedKeys.contains(key) && options.filter.takes(key)
    }

    /// Adds the deletes that an unfinished replace still owes, each product once.
    private mutating func owe() {
        guard !input.owedDeletes.isEmpty else { return }
        var taken = Set(plan.operations.compactMap(\.id))
        plan.operations += input.owedDeletes.filter { delete in
            options.filter.takes(delete.key) && (delete.id.map { taken.insert($0).inserted } ?? false)
        }
    }

    // MARK: - One listing

    private mutating func planManaged(_ listing: Listing, entry: StateEntry, adoption: inout Adoption) {
        guard checkPin(of: listing, entry: entry) else { return }
        guard let live = input.product(of: entry) else {
            if let problem = unreadable[entry.id] {
                plan.diagnostics.append(.unreadable(key: listing.key, problem: problem, location: listing.location()))
            } else if listing.pinnedID != nil {
                let isThere = input.live.products[entry.id] != nil
                plan.diagnostics.append(
                    isThere ? .pinnedForeign(listing, id: entry.id) : .pinnedMissing(listing, id: entry.id)
                )
            } else {
                // An old state knows an old product; what has taken its place is found like any other of ours.
                let planned = plan.operations.count
                planNew(listing, reason: "gone from the market (\(input.loss(of: entry)))", adoption: &adoption)
                if !plan.operations.dropFirst(planned).contains(where: { $0.action == .adopt }) { noteGone(entry) }
            }
            return
        }
        // Nearly all products of nearly all plans.
        if live.images == nil, entry.isCurrent(for: listing, row: live) {
            plan.unchanged += 1
        } else {
            planDifference(listing, entry: entry, live: live)
        }
    }

    /// Counts a product that is gone, unless an earlier run was to delete it.
    private mutating func noteGone(_ entry: StateEntry) {
        if !input.begunDeletes.contains(entry.key) { gone += 1 }
    }

    /// Whether `id:` and the state mean the same product; reports where they do not.
    private mutating func checkPin(of listing: Listing, entry: StateEntry) -> Bool {
        guard let pinned = listing.pinnedID, pinned != entry.id else { return true }
        // A replace gave the product a new number, and the manifest still has the old one, which is gone or about to be.
        let isOwed = input.owedDeletes.contains { $0.id == pinned }
        if input.live.products[pinned] == nil || isOwed, input.product(of: entry) != nil {
            plan.diagnostics.append(.pinOutdated(listing, pinned: pinned, bound: entry.id))
            return true
        }
        plan.diagnostics.append(.pinnedElsewhere(listing, pinned: pinned, bound: entry.id))
        return false
    }

    private mutating func planNew(_ listing: Listing, reason: String, adoption: inout Adoption) {
        switch adoption.candidate(for: listing) {
        case .none:
            if let name = listing.values.name, input.live.unnumberedNames.contains(name) {
                namesakes.note(listing.key, at: listing.location(), ids: [], kind: .unnumbered)
            }
            planCreate(listing, reason: reason)
        case .namesakes(let ids, let kind):
            namesakes.note(listing.key, at: listing.location(), ids: ids, kind: kind)
            planCreate(listing, reason: reason)
        case .ambiguous(let ids) where options.allowsNamesakes:
            namesakes.note(listing.key, at: listing.location(), ids: ids)
            planCreate(listing, reason: reason)
        case .ambiguous(let ids):
            plan.diagnostics.append(.ambiguousAdoption(listing, ids: ids))
        case .pinnedMissing(let id):
            plan.diagnostics.append(.pinnedMissing(listing, id: id))
        case .foreign(let id):
            plan.diagnostics.append(.pinnedForeign(listing, id: id))
        case .bound(let id, let key):
            plan.diagnostics.append(.pinnedTwice(listing, id: id, by: key))
        case .leaving(let id):
            plan.diagnostics.append(.pinnedDoomed(listing, id: id))
        case .product(let live, let reason):
            let entry = StateEntry(
                key: listing.key,
                id: live.id,
                vendorID: live.vendorID,
                applied: ProductValues(),
                thumbnailURL: live.thumbnailURL,
                issuedAt: live.issuedAt,
                secret: listing.secret?.reference,
                isProtected: listing.isProtected
            )
            planDifference(listing, entry: entry, live: live, adoption: reason)
        }
    }

    /// Compares a product that exists with its listing: nothing, an update or a replace, after an adoption if asked.
    private mutating func planDifference(
        _ listing: Listing,
        entry: StateEntry,
        live: LiveProduct,
        adoption: String? = nil
    ) {
        let liveValues = live.values(entry: entry, digests: input.pictureDigests, capabilities: capabilities)
        var listing = listing
        let foreign = input.foreignPictures
        if !listing.ignoreChanges.contains(.images), listing.values.images != nil,
            let reason = live.images?.lazy.compactMap({ foreign[$0.url] }).first
        {
            // What nobody may look at is neither replaced nor taken for ours.
            plan.diagnostics.append(.picturesNotCompared(listing, id: live.id, reason: reason))
            listing.ignoreChanges.formUnion([.images, .thumbnail])
        }
        let comparison = FieldComparison(
            listing: listing,
            base: entry.applied,
            live: liveValues,
            blank: live.blank,
            capabilities: capabilities
        )
        let entry = refreshed(
            entry,
            listing: listing,
            live: live,
            liveValues: liveValues,
            comparison: comparison,
            isNew: adoption != nil
        )
        if let adoption {
            plan.operations.append(
                PlannedOperation(
                    key: listing.key,
                    reason: adoption,
                    source: listing.location(),
                    secret: listing.secret?.reference,
                    work: .adopt(entry, name: live.name)
                )
            )
        }
        var changes = comparison.changes
        let moved = Set(changes.lazy.filter { $0.kind != .change }.map(\.field))
        // Another name at another price: more than somebody's edit.
        if adoption == nil, moved.isSuperset(of: [.name, .price]) { noteGone(entry) }
        let drift = changes.filter { $0.kind == .drift }
        switch options.onDrift {
        case .restore: break
        case .keep: changes.removeAll { $0.kind == .drift }
        case .fail where !drift.isEmpty:
            plan.refusals.append(.drift(listing, fields: drift.map(\.field)))
        case .fail: break
        }
        let thumbnailImageID = findThumbnail(listing, live: live, liveValues: liveValues, changes: &changes)
        guard !changes.isEmpty else {
            if adoption == nil { plan.unchanged += 1 }
            return
        }
        let replaces = changes.contains { $0.field == .images } && !capabilities.picturesChangeInPlace
        var desired = comparison.desired
        let sale = SaleFit(listing: listing, desired: desired, live: liveValues, changes: changes)
        if let fault = sale.fault {
            plan.diagnostics.append(fault)
            return
        }
        if !replaces, let ending = sale.endOfSale(live, capabilities) {
            changes.append(ending)
            desired.sale = Sale.fullPrice
        }
        if replaces {
            planReplace(listing, live: live, liveValues: liveValues, comparison: comparison, changes: changes)
        } else {
            plan.operations.append(
                PlannedOperation(
                    key: listing.key,
                    reason: Self.reason(of: changes),
                    source: listing.location(of: changes.first?.field),
                    secret: listing.secret?.reference,
                    work: .update(
                        PlannedOperation.Update(
                            id: live.id,
                            changes: changes.sorted { $0.field < $1.field },
                            desired: desired,
                            ignored: listing.ignoreChanges.sorted(),
                            live: liveValues,
                            livePictures: LivePictures(live),
                            pictures: changes.contains { $0.field == .images } ? listing.pictures : [],
                            thumbnailImageID: thumbnailImageID,
                            isProtected: listing.isProtected
                        )
                    )
                )
            )
        }
    }

    /// The market's number of the picture wanted as thumbnail.
    ///
    /// Where the product does not have that picture and does not get it either, the change is dropped and reported.
    private mutating func findThumbnail(
        _ listing: Listing,
        live: LiveProduct,
        liveValues: ProductValues,
        changes: inout [FieldChange]
    ) -> Int64? {
        guard case .image(let wanted)? = changes.first(where: { $0.field == .thumbnail })?.manifest,
            !changes.contains(where: { $0.field == .images })
        else { return nil }
        if let index = liveValues.images?.firstIndex(of: wanted), let id = live.images?[index].id { return id }
        plan.diagnostics.append(.thumbnailNotLive(listing, id: live.id))
        changes.removeAll { $0.field == .thumbnail }
        return nil
    }

    private mutating func planCreate(_ listing: Listing, reason: String) {
        var desired = listing.values
        desired.sale = desired.sale?.normalized(price: desired.price)
        guard isComplete(desired, for: listing) else { return }
        plan.operations.append(
            PlannedOperation(
                key: listing.key,
                reason: reason,
                source: listing.location(),
                secret: listing.secret?.reference,
                work: .create(
                    NewProduct(values: desired, pictures: listing.pictures, isProtected: listing.isProtected)
                )
            )
        )
    }

    /// Whether a product can be made of the values; reports what is missing.
    private mutating func isComplete(_ values: ProductValues, for listing: Listing) -> Bool {
        let missing = capabilities.fieldsRequiredToCreate.filter { values[$0] == nil }
        if !missing.isEmpty { plan.diagnostics.append(.incomplete(listing, missing: missing.sorted())) }
        return missing.isEmpty
    }

    private mutating func planReplace(
        _ listing: Listing,
        live: LiveProduct,
        liveValues: ProductValues,
        comparison: FieldComparison,
        changes: [FieldChange]
    ) {
        guard !listing.isProtected else {
            plan.refusals.append(.protected(key: listing.key, action: "replaced", source: listing.location()))
            return
        }
        // What is not managed, or not to be changed, moves to the new product as the market has it: a product with
        // 3 units left must not come back with its initial 10.
        let written = Set(changes.map(\.field))
        var desired = comparison.desired
        var carriedOver: [ProductField] = []
        for field in ProductField.allCases where field != .images && field != .thumbnail && !written.contains(field) {
            guard let kept = liveValues[field], kept != desired[field] else { continue }
            desired[field] = kept
            carriedOver.append(field)
        }
        desired.sale = desired.sale?.normalized(price: desired.price)
        guard isComplete(desired, for: listing) else { return }
        plan.operations.append(
            PlannedOperation(
                key: listing.key,
                reason: "pictures changed, and this market cannot change pictures in place",
                source: listing.location(of: .images),
                secret: listing.secret?.reference,
                work: .replace(
                    PlannedOperation.Replacement(
                        id: live.id,
                        changes: changes,
                        product: NewProduct(
                            values: desired,
                            pictures: listing.pictures,
                            isProtected: listing.isProtected
                        ),
                        carriedOver: carriedOver,
                        live: liveValues,
                        livePictures: LivePictures(live)
                    )
                )
            )
        )
    }

    // MARK: - Removal

    private mutating func planTombstone(_ listing: Listing, adoption: inout Adoption) {
        let reason = "state: absent in the manifest"
        if var entry = entries[listing.key] {
            guard checkPin(of: listing, entry: entry) else { return }
            entry.isProtected = entry.isProtected || listing.isProtected
            planRemoval(entry, reason: reason, source: listing.location())
            return
        }
        // Without state and `id:` nothing says which product is meant; a name is not enough to delete by.
        guard listing.pinnedID != nil else { return }
        switch adoption.candidate(for: listing) {
        // Already as it should be.
        case .none, .namesakes, .ambiguous, .pinnedMissing, .leaving: break
        case .bound(let id, let key):
            plan.diagnostics.append(.pinnedTwice(listing, id: id, by: key))
        case .foreign(let id):
            plan.diagnostics.append(.pinnedForeign(listing, id: id))
        case .product(let live, _):
            // It reaches beyond the state and cannot be undone, so the id alone is not proof enough.
            guard options.adopts || live.isProvablyOurs(input) else {
                plan.diagnostics.append(.pinnedForeign(listing, id: live.id))
                return
            }
            let entry = StateEntry(
                key: listing.key,
                id: live.id,
                applied: ProductValues(),
                secret: listing.secret?.reference,
                isProtected: listing.isProtected
            )
            planRemoval(entry, reason: reason, source: listing.location())
        }
    }

    private mutating func planRemoval(_ entry: StateEntry, reason: String, source: SourceLocation?) {
        guard let live = input.product(of: entry) else {
            if let problem = unreadable[entry.id] {
                plan.diagnostics.append(.unreadable(key: entry.key, problem: problem, location: source))
                return
            }
            noteGone(entry)
            plan.operations.append(
                PlannedOperation(
                    key: entry.key,
                    reason: "\(reason), and gone from the market"
                        + (input.live.products[entry.id] == nil ? "" : " (\(input.loss(of: entry)))"),
                    source: source,
                    secret: entry.secret,
                    work: .forget(entry.id, name: entry.applied.name)
                )
            )
            return
        }
        guard !entry.isProtected else {
            plan.refusals.append(.protected(key: entry.key, action: "deleted", source: source))
            return
        }
        plan.operations.append(
            PlannedOperation(
                key: entry.key,
                reason: reason,
                source: source,
                secret: entry.secret,
                work: .delete(
                    PlannedOperation.Deletion(
                        id: entry.id,
                        live: live.values(entry: entry, digests: input.pictureDigests, capabilities: capabilities),
                        livePictures: LivePictures(live)
                    )
                )
            )
        )
    }

    // MARK: - State

    /// What the state should know of a product before anything is written; queued when that is news.
    private mutating func refreshed(
        _ entry: StateEntry,
        listing: Listing,
        live: LiveProduct,
        liveValues: ProductValues,
        comparison: FieldComparison,
        isNew: Bool
    ) -> StateEntry {
        var updated = entry
        updated.applied = comparison.settled
        updated.secret = listing.secret?.reference
        updated.isProtected = listing.isProtected
        if let vendor = live.vendorID { updated.vendorID = vendor }
        // These two tell by a row alone that a product moved, so they must not catch up before the move was looked at
        // in detail and dealt with.
        let isSettled = live.images != nil && comparison.changes.isEmpty
        if let thumbnail = live.thumbnailURL, isSettled || entry.thumbnailURL == nil {
            updated.thumbnailURL = thumbnail
        }
        if let issued = live.issuedAt, isSettled || entry.issuedAt == nil { updated.issuedAt = issued }
        // Bind the market's pictures to the bytes that we now know them to be.
        if comparison.picturesAgree, let images = live.images,
            let digests = liveValues.images?.digests ?? comparison.settled.images?.digests,
            digests.count == images.count
        {
            updated.images = zip(digests, images).map { .init(digest: $0, reference: $1.reference) }
        }
        if !isNew, updated != entry { plan.stateUpdates.append(.put(updated)) }
        return updated
    }

    private static func reason(of changes: [FieldChange]) -> String {
        let kinds = Set(changes.map(\.kind))
        if kinds.contains(.conflict) { return "changed in the manifest and on the market" }
        if kinds == [.drift] { return "changed on the market since the last apply" }
        if kinds.contains(.drift) { return "changed in the manifest; other fields changed on the market" }
        return "changed in the manifest"
    }
}
