/// Replaces products with new ones: on request, and for different pictures that cannot change in place.
extension Planner {
    mutating func planReplace(
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
        let isAskedFor = options.replaced.contains(listing.key)
        var (desired, carriedOver) = successor(of: listing, liveValues: liveValues, comparison, changes)
        guard isComplete(desired, for: listing) else { return }
        let deletesFirst = isAskedFor && capabilities.refusesSuccessors(sendsKeys: input.sendsKeys)
        var faults: [UnsupportedChange] = []
        if isAskedFor, losesPictures(listing, live: live, comparison, changes) {
            faults.append(.valueOfSuccessor(.images))
        }
        if deletesFirst {
            // After an interruption between the two requests, only the manifest has the values of the product to
            // create.
            let isListed = { listing.manages($0) && listing.values[$0] == liveValues[$0] }
            faults += carriedOver.filter { !isListed($0) && !capabilities.comesBack($0, liveValues) }
                .map { .valueOfSuccessor($0) }
            carriedOver.removeAll { !isListed($0) }
        }
        // Only the digest of these values is stored.
        faults += carriedOver.filter { if case .text(let text)? = liveValues[$0] { text.isConcealed } else { false } }
            .map { .valueOfSuccessor($0) }
        guard faults.isEmpty else { return refuse(faults, of: listing) }
        guard deletesFirst || isPasswordKept(listing, live: live) else {
            return report(
                .error,
                .secret,
                "the password of '\(listing.key)' comes from another place than that of product \(live.id), which "
                    + "perhaps cannot be deleted after the new one is created",
                at: listing.location(),
                help: "put the former 'secret' back; or, if it is the same, apply without the replacement first"
            )
        }
        desired.normalizeSale()
        let replacement = PlannedOperation.Replacement(
            id: live.id,
            changes: changes,
            product: NewProduct(values: desired, pictures: listing.pictures, isProtected: listing.isProtected),
            carriedOver: carriedOver,
            live: liveValues,
            livePictures: LivePictures(live),
            deletesFirst: deletesFirst
        )
        let work = PlannedOperation.Work.replace(replacement)
        guard deletesFirst || !capabilities.refusesSuccessors(sendsKeys: input.sendsKeys) else {
            return refuseUnlessReplaced(.successor, of: listing)
        }
        guard canBeAsked(for: work, of: listing) else { return }
        plan.operations.append(
            PlannedOperation(
                listing,
                reason: Self.reason(isAskedFor: isAskedFor, deletesFirst: deletesFirst),
                source: isAskedFor ? nil : listing.location(of: .images),
                work: work
            )
        )
    }

    /// Whether the new product's password can delete the old product.
    ///
    /// The two may have different ones. If the market can verify the password, apply does so before the create.
    private func isPasswordKept(_ listing: Listing, live: LiveProduct) -> Bool {
        guard capabilities.hasItemPasswords, !capabilities.provesItemPasswords, let known = entries[listing.key],
            known.id == live.id
        else { return true }
        return known.secret == listing.secret?.reference
    }

    /// The values of a new product that replaces a live one, and the fields that are only carried over.
    ///
    /// Unmanaged and ignored fields, and drift to keep, carry over the market's present values: 3 units left must not
    /// return to the initial 10. The latter two carry over even if the market agrees with the manifest, because they
    /// may change before apply.
    private func successor(
        of listing: Listing,
        liveValues: ProductValues,
        _ comparison: FieldComparison,
        _ changes: [FieldChange]
    ) -> (values: ProductValues, carriedOver: [ProductField]) {
        let written = Set(changes.map(\.field))
        var desired = comparison.desired
        var carriedOver: [ProductField] = []
        for field in ProductField.allCases where field != .images && field != .thumbnail && !written.contains(field) {
            let isLeft = listing.ignoreChanges.contains(field) || options.driftHandling(of: field) == .keep
            let isManaged = desired[field] != nil && !isLeft
            guard let kept = liveValues[field] ?? (isManaged ? nil : desired[field]),
                !isManaged || kept != desired[field]
            else { continue }
            desired[field] = kept
            carriedOver.append(field)
        }
        return (desired, carriedOver)
    }

    /// Whether the new product would lose live pictures, because they are not files of the manifest.
    private func losesPictures(
        _ listing: Listing,
        live: LiveProduct,
        _ comparison: FieldComparison,
        _ changes: [FieldChange]
    ) -> Bool {
        guard live.images?.isEmpty == false else { return false }
        let isKept = { (changes: [FieldChange]) in !changes.contains { $0.field == .images } }
        return !listing.manages(.images) || isKept(changes) && !isKept(comparison.changes)
    }

    /// Refuses different pictures that need a replacement which the user did not request.
    mutating func refuseUnlessReplaced(_ fault: UnsupportedChange, of listing: Listing) {
        plan.refusals.append(
            PlanRefusal(
                fault.message(of: listing.key, on: input.marketName),
                override: .replacement(of: listing.key),
                source: listing.location(of: .images)
            )
        )
    }

    private static func reason(isAskedFor: Bool, deletesFirst: Bool) -> String {
        guard isAskedFor else { return "pictures changed, and this market cannot change pictures in place" }
        return deletesFirst
            ? "asked for; the old product is deleted first, because the new one has its key" : "asked for"
    }
}

extension MarketCapabilities {
    /// Whether a new product gets the same value without this field.
    fileprivate func comesBack(_ field: ProductField, _ values: ProductValues) -> Bool {
        switch field {
        case .salePrice: values.sale == .fullPrice
        case .currency: fixedCurrency != nil && values.currency == fixedCurrency
        default: false
        }
    }
}
