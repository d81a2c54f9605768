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
        case .none, .unresolved, .namesakes, .contested, .ambiguous, .missing: break
        case .refused(let fault): plan.diagnostics.append(fault)
        case .product(let live, _):
            // A delete of a product outside the state cannot be undone, so the id alone does not suffice.
            guard options.adopts || identity.ownership(of: live, by: .presumed) == .ours else {
                plan.diagnostics.append(.pinnedForeign(listing, id: live.id))
                return
            }
            planRemoval(StateEntry(adopting: live, as: listing), reason: reason, source: listing.location())
        }
    }

    /// Plans the removal of products that the state has and the manifest no longer lists.
    mutating func planDropped() {
        let listed = Set(input.manifest.listings.indices.map { input.manifest.listings.key(at: $0) })
        let dropped = entries.values.filter { !listed.contains($0.key) && !rows.kept.contains($0.key) }
        plan.unselected += dropped.count { !options.filter.takes($0.key) }
        let planned = plan.operations.count
        var (unread, unknown): ([String: Int], [String]) = ([:], [])
        for entry in dropped.filter({ takes($0.key) }).sorted(by: { $0.key < $1.key }) {
            if let place = input.manifest.leftOut[entry.key] {
                planRemoval(entry, reason: "left out by 'adjust'", source: place)
                continue
            }
            switch input.origins?.standing(of: entry.origin) ?? .listedBefore {
            case .listedBefore: planRemoval(entry, reason: "no longer in the manifest", source: nil)
            case .gone(let file):
                let count = plan.operations.count
                planRemoval(entry, reason: "\(file) is gone", source: nil)
                if plan.operations[count...].contains(where: { $0.action == .delete }) {
                    goneFiles[file, default: 0] += 1
                }
            case .unread(let file): unread[file, default: 0] += 1
            case .unknown: unknown.append(entry.key)
            }
        }
        plan.unselected += unread.values.reduce(unknown.count, +)
        for (file, count) in unread.sorted(by: { $0.key < $1.key }) {
            report(
                .warning,
                .unreadFile,
                "\(file) is not read; \(counted(count, "product")) that it listed last \(count == 1 ? "stays" : "stay")",
                help: "name it, or list it in 'include' of the manifest"
            )
        }
        if !unknown.isEmpty { plan.diagnostics.append(.unknownOrigin(of: unknown)) }
        // If the key of an ignored row has a typing error, the plan would delete its product.
        guard plan.operations[planned...].contains(where: { $0.action == .delete }) else { return }
        for listing in rows.unknown { plan.diagnostics.append(.missing(listing, "left alone", respelled: nil)) }
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
