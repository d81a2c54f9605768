/// Products that sessions made when another one had taken their place already.
extension Recovery {
    /// The deletes of such products that are there still; what is gone or some key's by now is forgotten.
    ///
    /// - Parameters:
    ///   - orphans: What sessions wrote down after their end.
    ///   - resolution: What became of the operations that earlier runs left unresolved.
    ///   - session: The state, held; `nil` to look only.
    ///   - drain: Ends the waiting.
    /// - Returns: The deletes, to be planned.
    /// - Throws: ``MarketError`` when the market cannot be read, and what the state throws.
    func deletes(
        of orphans: [OrphanedProduct],
        after resolution: Resolution,
        writingTo session: (any StateSession)?,
        drain: DrainSignal
    ) async throws -> [PlannedOperation] {
        guard !orphans.isEmpty, drain.reason == nil else { return [] }
        let lookup = lookup(isPreview: session == nil, drain)
        var deletes: [PlannedOperation] = []
        var obsolete: [MarketID] = []
        for orphan in orphans {
            // What made it is unresolved still, and may turn out to have made this one.
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
            // A market that began again may have given its number to another product.
            guard orphan.isShown(by: product, ours: resolution.snapshot.vendorID) else { continue }
            deletes.append(orphan.delete(of: product))
        }
        try await session?.dropOrphans(obsolete)
        return deletes
    }
}

extension OrphanedProduct {
    fileprivate func isShown(by product: LiveProduct, ours: Int64?) -> Bool {
        guard let made = operation.newProduct?.values.name, let shown = product.name else { return false }
        return Ownership(showing: product.vendorID, ours: ours) != .foreign && shown.isBeginning(of: made)
    }

    fileprivate func delete(of product: LiveProduct) -> PlannedOperation {
        var live = product.values
        live.images = product.images?.map { .unknown($0.reference) }
        return PlannedOperation(
            key: operation.key,
            reason: "made in run \(run) by a session whose place another one had taken",
            source: operation.source,
            secret: operation.secret,
            work: .delete(PlannedOperation.Deletion(id: id, live: live, livePictures: LivePictures(product)))
        )
    }
}
