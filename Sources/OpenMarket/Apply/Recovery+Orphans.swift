/// Products that sessions created after another session had replaced them.
extension Recovery {
    /// The deletes to plan for such products that still exist; records of those that are gone or belong to a key are
    /// dropped.
    ///
    /// `orphans` were recorded by sessions after their end. `session` is `nil` for a preview without writes. `drain`
    /// ends the waiting. Throws ``MarketError`` if the market cannot be read, and rethrows the state's errors.
    func deletes(
        of orphans: [OrphanedProduct],
        after resolution: Resolution,
        writingTo session: (any StateSession)?,
        drain: StopSignal
    ) async throws -> [PlannedOperation] {
        guard !orphans.isEmpty, drain.reason == nil else { return [] }
        let lookup = lookup(isPreview: session == nil, drain)
        var deletes: [PlannedOperation] = []
        var obsolete: [MarketID] = []
        for orphan in orphans {
            // The operation that created it is still unresolved, and may turn out to own it.
            let isOpen = resolution.settled.contains {
                $0.isOpen && $0.operation.run == orphan.run && $0.operation.sequence == orphan.sequence
            }
            guard !isOpen else { continue }
            guard !resolution.snapshot.entries.ids.contains(orphan.id) else {
                obsolete.append(orphan.id)
                continue
            }
            let found: LiveProduct?
            do { found = try await lookup.proved(orphan.id) } catch is Stopped { break }
            guard let product = found else {
                obsolete.append(orphan.id)
                continue
            }
            // A reset market (ids reused) may have given its id to another product.
            guard orphan.isShown(by: product, ours: resolution.snapshot.vendorID, capabilities) else { continue }
            deletes.append(
                PlannedOperation(
                    deleting: product,
                    of: orphan.operation,
                    reason: "created in run \(orphan.run) by a session that another one had replaced"
                )
            )
        }
        try await session?.dropOrphans(obsolete)
        return deletes
    }
}

extension OrphanedProduct {
    /// The market may have truncated or rewritten its name, and a person may have changed its other values.
    fileprivate func isShown(by product: LiveProduct, ours: Int64?, _ capabilities: MarketCapabilities) -> Bool {
        guard let made = operation.newProduct?.asMade(capabilities), let name = made.values.name,
            let shown = product.name, Ownership(showing: product.vendorID, ours: ours) != .foreign
        else { return false }
        let likeness = made.likeness(of: product, normalised: capabilities.normalisedFields) ?? .possible
        return likeness <= .edited || shown.isBeginning(of: name)
    }
}
