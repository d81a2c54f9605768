extension Planner {
    /// Plans a listing whose product is in the state: no operation, an update, a replace, or a new product if it is
    /// gone.
    ///
    /// `index` is the listing's position in the manifest.
    mutating func planManaged(_ listing: Listing, at index: Int, entry: StateEntry, adoption: inout Adoption) {
        guard checkPin(of: listing, entry: entry) else { return }
        switch input.standing(of: entry, pairing.unread) {
        case .live(let live): planDifference(listing, entry: entry, live: live)
        case .unreadable(let problem):
            plan.diagnostics.append(.unreadable(key: listing.key, problem: problem, location: listing.location()))
        case .gone(let successor):
            if listing.pinnedID != nil {
                plan.diagnostics.append(
                    successor == nil ? .pinnedMissing(listing, id: entry.id) : .pinnedForeign(listing, id: entry.id)
                )
                return
            }
            // An old state names an old product. Its successor is found like any own product.
            let planned = plan.operations.count
            let reason = "gone from the market (\(entry.loss(to: successor)))"
            planNew(listing, at: index, reason: reason, adoption: &adoption)
            if !plan.operations.dropFirst(planned).contains(where: { $0.action == .adopt }) { noteGone(entry) }
        }
    }

    /// Plans a listing without a product in the state: an adoption if a live product fits, otherwise a create.
    ///
    /// `index` is the listing's position in the manifest. `reason` is the reason of a create.
    mutating func planNew(_ listing: Listing, at index: Int, reason: String, adoption: inout Adoption) {
        switch adoption.candidate(for: listing) {
        case .unresolved: break
        case .none:
            noteUnread(listing)
            planCreate(listing, at: index, reason: reason)
        case .namesakes(let ids, let kind):
            namesakes.note(listing.key, at: listing.location(), ids: ids, kind: kind)
            planCreate(listing, at: index, reason: reason)
        case .contested(let ids):
            namesakes.contest(listing.key, ids: ids)
            noteUnread(listing)
            planCreate(listing, at: index, reason: reason)
        case .ambiguous(let ids) where options.allowsNamesakes:
            namesakes.note(listing.key, at: listing.location(), ids: ids)
            planCreate(listing, at: index, reason: reason)
        case .ambiguous(let ids):
            report(
                .error,
                .ambiguousAdoption,
                "'\(listing.key)' could be any of \(ids.count) live products of the same name: \(Diagnostic.spell(ids))",
                at: listing.location(),
                help: "choose one with `id:`"
            )
        case .missing(let fault), .refused(let fault):
            plan.diagnostics.append(fault)
        case .product(let live, let reason):
            planDifference(listing, entry: StateEntry(adopting: live, as: listing), live: live, adoption: reason)
        }
    }

    /// Records a product to create that may be an unreadable row.
    private mutating func noteUnread(_ listing: Listing) {
        guard let doubt = pairing.unread.doubt(aboutName: listing.values.name) else { return }
        namesakes.note(listing.key, at: listing.location(), ids: [], kind: .unread(doubt))
    }

    /// Compares a live product with its listing: no operation, an update or a replace, after an adoption if requested.
    mutating func planDifference(
        _ listing: Listing,
        entry: StateEntry,
        live: LiveProduct,
        adoption: String? = nil
    ) {
        guard live.isManageable else { return leave(live, as: listing.key, at: listing.location()) }
        let (part, isWhole) = editedPart(of: listing, entry, live)
        let listing = ignoringPicturesThatCannotBeCompared(part, entry, live)
        let comparison = input.comparison(of: listing, entry, live, capabilities)
        let liveValues = comparison.live
        if liveValues.payable == .zero, let paid = entry.applied.payable, paid != .zero {
            report(
                .warning,
                .freeOnMarket,
                "buyers pay 0 for '\(listing.key)' (product \(live.id)) on the market, and \(paid) as last applied",
                at: listing.location()
            )
        }
        let entry = refreshed(
            entry,
            listing: listing,
            live: live,
            liveValues: liveValues,
            comparison: comparison,
            isNew: adoption != nil,
            isWhole: isWhole
        )
        if let adoption {
            plan.operations.append(
                PlannedOperation(listing, reason: adoption, work: .adopt(entry, name: live.name))
            )
        }
        var changes = changesToWrite(comparison, of: listing, entry, isNew: adoption != nil)
        let thumbnailImageID = findThumbnail(listing, live: live, liveValues: liveValues, changes: &changes)
        let isRecreated = options.replaced.contains(listing.key)
        let formerKey = input.formerKey(carriedBy: live, of: listing, capabilities)
        guard !changes.isEmpty || isRecreated || formerKey != nil else {
            if adoption == nil { plan.unchanged += 1 }
            return
        }
        var desired = comparison.desired
        guard canBePaid(changes, desired, for: listing, live: liveValues) else { return }
        let isReplaced = isRecreated || takesSuccessor(changes, desired, live: liveValues)
        let sale = SaleFit(
            listing: listing,
            desired: desired,
            live: liveValues,
            changes: changes,
            isReplaced: isReplaced
        )
        // Only this product is left out, because apply would refuse its operation.
        if let fault = sale.amountOfOldCurrency ?? sale.fault {
            plan.diagnostics.append(fault)
            guard fault.severity != .error else { return }
        }
        guard !isReplaced else {
            return planReplace(listing, live: live, liveValues: liveValues, comparison: comparison, changes: changes)
        }
        if let ending = sale.endOfSale(live, capabilities) {
            changes.append(ending)
            desired.sale = Sale.fullPrice
        }
        let update = PlannedOperation.Update(
            id: live.id,
            changes: changes.sorted { $0.field < $1.field },
            desired: desired,
            ignored: listing.ignoreChanges.sorted(),
            live: liveValues,
            livePictures: LivePictures(live),
            pictures: changes.contains { $0.field == .images } ? listing.pictures : [],
            thumbnailImageID: thumbnailImageID,
            formerKey: formerKey,
            isProtected: listing.isProtected
        )
        planUpdate(listing, update, reason: Self.reason(of: changes, formerKey: formerKey))
    }

    /// The listing with the edited fields; the others stay as they are, on the market and in the state.
    ///
    /// Counts those of them that differ; without any, the part is the whole.
    private mutating func editedPart(
        of listing: Listing,
        _ entry: StateEntry,
        _ live: LiveProduct
    ) -> (listing: Listing, isWhole: Bool) {
        guard let edited = options.editedFields?[listing.key] else { return (listing, true) }
        let others = input.comparison(of: listing, entry, live, capabilities).changes.filter { change in
            !edited.contains(change.field)
                && (change.kind != .drift || options.driftHandling(of: change.field) != .keep)
        }
        plan.waiting += others.count
        var listing = listing
        for field in ProductField.allCases where !edited.contains(field) {
            listing.values[field] = entry.applied[field]
            listing.ignoreChanges.insert(field)
        }
        return (listing, others.isEmpty)
    }

    /// Whether different pictures need a new product.
    ///
    /// They do not if missing pictures can be attached, as after an interrupted create.
    private func takesSuccessor(_ changes: [FieldChange], _ desired: ProductValues, live: ProductValues) -> Bool {
        guard !capabilities.picturesChangeInPlace, changes.contains(where: { $0.field == .images }) else {
            return false
        }
        return capabilities.pictureStyle != .attach || !desired.keepsPictures(of: live)
    }

    /// Whether the currency has the amounts to write; a row may omit the currency.
    private mutating func canBePaid(
        _ changes: [FieldChange],
        _ desired: ProductValues,
        for listing: Listing,
        live: ProductValues
    ) -> Bool {
        // If prices are integers of the smallest unit, the check of the request covers this.
        guard !capabilities.pricesNeedCurrency else { return true }
        let fields = Set(changes.lazy.map(\.field))
        guard let currency = fields.contains(.currency) ? desired.currency : live.currency ?? desired.currency else {
            return true
        }
        // In another currency, an unchanged amount is another price.
        let stays = fields.contains(.currency)
        let price = fields.contains(.price) ? desired.price : stays ? live.price ?? desired.price : nil
        let sale = fields.contains(.salePrice) ? desired.sale : stays ? live.sale ?? desired.sale : nil
        let paid = sale?.salePrice
        return canBePaid(price, in: currency, as: .price, of: listing)
            && canBePaid(paid, in: currency, as: .salePrice, of: listing)
    }

    /// Whether an amount exists in a currency; reports it if not.
    mutating func canBePaid(
        _ amount: ExactDecimal?,
        in currency: Currency?,
        as field: ProductField,
        of listing: Listing
    ) -> Bool {
        guard let amount, let fault = currency?.fault(of: amount) else { return true }
        let name = field == .price ? "price" : "sale price"
        report(
            .error,
            .priceFraction,
            "the \(name) \(amount) of '\(listing.key)' \(fault)",
            at: listing.location(of: field),
            help: amount.rounded(toScale: currency?.fractionDigits ?? 0).map { "rounded it is \($0)" }
        )
        return false
    }

    private mutating func planUpdate(_ listing: Listing, _ update: PlannedOperation.Update, reason: String) {
        let changesPictures = update.changes.contains { $0.field == .images }
        guard !changesPictures || !capabilities.addsPicturesOnly || update.keepsPictures else {
            return refuseUnlessReplaced(.attachedPictures, of: listing)
        }
        guard canBeAsked(for: .update(update), of: listing) else { return }
        plan.operations.append(
            PlannedOperation(
                listing,
                reason: reason,
                source: listing.location(of: update.changes.first?.field),
                work: .update(update)
            )
        )
    }

    /// The listing without its pictures if the live ones could not be fetched.
    ///
    /// Such pictures are neither replaced nor assumed to be the manifest's, unless a replace is requested or the
    /// manifest's pictures changed since the last apply.
    private mutating func ignoringPicturesThatCannotBeCompared(
        _ listing: Listing,
        _ entry: StateEntry,
        _ live: LiveProduct
    ) -> Listing {
        guard let reason = input.unreadPicture(of: live, entry), !listing.ignoreChanges.contains(.images),
            listing.values.images != nil || listing.values.thumbnail != nil, !options.replaced.contains(listing.key)
        else { return listing }
        if let wanted = listing.values.images?.digests, let last = entry.applied.images?.digests, wanted != last {
            return listing
        }
        report(
            .warning,
            .picturesNotCompared,
            "the pictures of '\(listing.key)' (product \(live.id)) were not compared: \(reason)",
            at: listing.location(of: .images),
            help: reason.code == .foreignHost
                ? "name the host there if the market keeps its pictures on it"
                : "they stay as they are; --recreate KEY replaces the product, with the manifest's"
        )
        var listing = listing
        listing.ignoreChanges.formUnion([.images, .thumbnail])
        return listing
    }

    /// The changes to write, without drift to keep; refuses drift that is handled as `fail`.
    private mutating func changesToWrite(
        _ comparison: FieldComparison,
        of listing: Listing,
        _ entry: StateEntry,
        isNew: Bool
    ) -> [FieldChange] {
        let moved = Set(comparison.changes.lazy.filter { $0.kind != .change }.map(\.field))
        // Both another name and another price: more than an edit.
        if !isNew, moved.isSuperset(of: [.name, .price]) { noteGone(entry) }
        let drifted = comparison.changes.filter { $0.kind == .drift }.map(\.field)
        let refused = drifted.filter { options.driftHandling(of: $0) == .fail }
        if !refused.isEmpty { plan.refusals.append(.drift(listing, fields: refused)) }
        if options.oldStocks.contains(listing.key),
            comparison.changes.contains(where: { $0.field == .stock && $0.kind == .conflict })
        {
            plan.refusals.append(.oldStock(listing))
        }
        if drifted.contains(.stock), (options.policies.onDrift[.stock] ?? options.onDrift) == nil { keptStocks += 1 }
        return comparison.changes.filter { $0.kind != .drift || options.driftHandling(of: $0.field) != .keep }
    }

    /// The market's id of the picture wanted as thumbnail.
    ///
    /// If the product neither has nor gets that picture, drops the change and reports it.
    private mutating func findThumbnail(
        _ listing: Listing,
        live: LiveProduct,
        liveValues: ProductValues,
        changes: inout [FieldChange]
    ) -> MarketID? {
        guard case .image(let wanted)? = changes.first(where: { $0.field == .thumbnail })?.manifest,
            !changes.contains(where: { $0.field == .images })
        else { return nil }
        if let index = liveValues.images?.firstIndex(of: wanted), let id = live.images?[index].id { return id }
        report(
            .warning,
            .thumbnail,
            "the thumbnail of '\(listing.key)' cannot be set: product \(live.id) does not have that picture",
            at: listing.location(of: .thumbnail)
        )
        changes.removeAll { $0.field == .thumbnail }
        return nil
    }

    /// `index` is the listing's position in the manifest; `nil` if a row gets defaults.
    mutating func planCreate(_ listing: Listing, at index: Int?, reason: String) {
        guard isComplete(listing.values, for: listing), canBeMade(listing) else { return }
        if let index {
            plan.operations.append(PlannedOperation(ListedCreate(listed, index: index, reason: reason)))
        } else {
            plan.operations.append(PlannedOperation(listing, reason: reason, work: .create(NewProduct(listing))))
        }
    }

    /// Whether the values suffice to create a product; reports those missing.
    mutating func isComplete(_ values: ProductValues, for listing: Listing) -> Bool {
        let missing = capabilities.fieldsRequiredToCreate.filter { values[$0] == nil }
        guard !missing.isEmpty else { return true }
        let fields = missing.sorted().map(\.rawValue).joined(separator: ", ")
        let message = "'\(listing.key)' has to be created, but the manifest lacks: \(fields)"
        report(.error, .missingField, message, at: listing.location())
        return false
    }

    /// The entry as it should be before anything is written; queued if it differs.
    private mutating func refreshed(
        _ entry: StateEntry,
        listing: Listing,
        live: LiveProduct,
        liveValues: ProductValues,
        comparison: FieldComparison,
        isNew: Bool,
        isWhole: Bool
    ) -> StateEntry {
        var updated = entry
        updated.applied = comparison.settled
        updated.secret = listing.secret?.reference
        updated.isProtected = listing.isProtected
        if let vendor = live.vendorID { updated.vendorID = vendor }
        // These two show from a row alone that a product changed. They stay old until the change was read in detail and
        // handled.
        let isSettled = live.images != nil && comparison.changes.isEmpty && isWhole
        if let thumbnail = live.thumbnailURL, isSettled || entry.thumbnailURL == nil {
            updated.thumbnailURL = thumbnail
        }
        if let issued = live.issuedAt, isSettled || entry.issuedAt == nil { updated.issuedAt = issued }
        // Bind the live pictures to their bytes, which are now available.
        if comparison.picturesAgree, let images = live.images,
            let digests = liveValues.images?.digests ?? comparison.settled.images?.digests,
            digests.count == images.count
        {
            updated.images = zip(digests, images).map { .init(digest: $0, reference: $1.reference) }
        }
        if !isNew, updated != entry { plan.stateUpdates.append(.put(updated)) }
        return updated
    }

    private static func reason(of changes: [FieldChange], formerKey: String?) -> String {
        guard let formerKey else { return reason(of: changes) }
        let carried = "the product carries the former key '\(formerKey)'"
        return changes.isEmpty ? carried : "\(reason(of: changes)); \(carried)"
    }

    private static func reason(of changes: [FieldChange]) -> String {
        let kinds = Set(changes.map(\.kind))
        if kinds.contains(.conflict) { return "changed in the manifest and on the market" }
        if kinds == [.drift] { return "changed on the market since the last apply" }
        if kinds.contains(.drift) { return "changed in the manifest; other fields changed on the market" }
        return "changed in the manifest"
    }
}

extension StateEntry {
    /// The entry of a live product that a listing adopts: it was not applied yet.
    init(adopting live: LiveProduct, as listing: Listing) {
        self.init(
            key: listing.key,
            id: live.id,
            vendorID: live.vendorID,
            applied: ProductValues(),
            thumbnailURL: live.thumbnailURL,
            issuedAt: live.issuedAt,
            secret: listing.secret?.reference,
            isProtected: listing.isProtected
        )
    }
}
