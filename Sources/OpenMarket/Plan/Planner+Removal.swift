extension Planner {
    mutating func planTombstone(_ listing: Listing, adoption: inout Adoption) {
        let reason = "state: absent in the manifest"
        if var entry = entries[listing.key] {
            guard checkPin(of: listing, entry: entry) else { return }
            entry.isProtected = entry.isProtected || listing.isProtected
            entry.secret = listing.secret?.reference ?? entry.secret
            planRemoval(entry, reason: reason, source: listing.location())
            return
        }
        // Only the state, `id:` or a key on the product identifies it. A name does not suffice for a delete.
        guard listing.pinnedID != nil || adoption.isCarried(listing) else {
            if listing.row != nil {
                let known = respelledKey(of: listing.key)
                let severity = known == nil ? Diagnostic.Severity.warning : .error
                plan.diagnostics.append(.missing(listing, "deleted", respelled: known, as: severity))
            }
            return
        }
        switch adoption.candidate(for: listing) {
        case .none, .unresolved, .namesakes, .contested, .ambiguous, .pinnedMissing, .leaving: break
        case .shared(let ids):
            plan.diagnostics.append(.sharedKey(listing, ids: ids))
        case .bound(let id, let key):
            plan.diagnostics.append(.pinnedTwice(listing, id: id, by: key))
        case .foreign(let id):
            plan.diagnostics.append(.pinnedForeign(listing, id: id))
        case .product(let live, _):
            // A delete of a product outside the state cannot be undone, so the id alone does not suffice.
            guard options.adopts || identity.ownership(of: live, by: .presumed) == .ours else {
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

    /// Plans the delete of a managed product, or only its removal from the state if it is gone.
    mutating func planRemoval(_ entry: StateEntry, reason: String, source: SourceLocation?) {
        let live: LiveProduct
        switch input.standing(of: entry, pairing.unread) {
        case .live(let product): live = product
        case .unreadable(let problem):
            plan.diagnostics.append(.unreadable(key: entry.key, problem: problem, location: source))
            return
        case .gone(let successor):
            noteGone(entry)
            plan.operations.append(
                PlannedOperation(
                    key: entry.key,
                    reason: "\(reason), and gone from the market"
                        + (successor == nil ? "" : " (\(entry.loss(to: successor)))"),
                    source: source,
                    secret: entry.secret,
                    work: .forget(entry.id, name: entry.applied.name)
                )
            )
            return
        }
        guard live.isManageable else { return leave(live, as: entry.key, at: source) }
        guard options.deletes else {
            plan.unselected += 1
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
}
