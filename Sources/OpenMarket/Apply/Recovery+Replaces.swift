/// Products left over by a replace, or by a create under a wrong vendor number.
extension Recovery {
    /// Settles a replace whose new product exists: it is done when the old one is gone.
    func replaced(
        _ open: UnresolvedOperation,
        _ replacement: PlannedOperation.Replacement,
        by created: MarketID,
        mutations: [StateMutation],
        _ snapshot: StateSnapshot,
        _ settled: Settled,
        _ lookup: ProductLookup
    ) async throws -> Step {
        let reason = "the old product of an unfinished replace"
        guard let delete = try await delete(of: replacement.id, open, snapshot, reason: reason, lookup) else {
            return Step(fact: .succeeded(created), mutations: mutations, settled: settled)
        }
        // It stays unresolved until the old product is deleted, even over several runs.
        return Step(
            fact: mutations.isEmpty ? nil : .advanced(.create, created: created),
            mutations: mutations,
            pendingDelete: delete,
            settled: settled
        )
    }

    /// Settles a replace whose new product differs from the sent values: it is over when that is gone, and the old one
    /// stays.
    func undone(
        _ open: UnresolvedOperation,
        _ created: MarketID,
        _ snapshot: StateSnapshot,
        _ lookup: ProductLookup
    ) async throws -> Step {
        let lack = open.created == nil ? "lacks its pictures" : "is not as it was sent"
        let reason =
            open.operation.succession == nil
            ? "created under another vendor number"
            : "the new product of a replace, which \(lack)"
        guard let delete = try await delete(of: created, open, snapshot, reason: reason, lookup) else {
            return Step(
                fact: .failed("settled: the unwanted new product is gone; planned again"),
                settled: Settled(operation: open, outcome: "its new product \(created) is gone", isOpen: false)
            )
        }
        return Step(
            pendingDelete: delete,
            settled: Settled(
                operation: open,
                outcome: "it was created as \(created), which will be deleted again"
                    + (open.operation.succession == nil ? "" : ": it \(lack), and the old one stays"),
                isOpen: true
            )
        )
    }

    /// The delete of a product that an unfinished replace left over; `nil` if it is gone or belongs to another key.
    private func delete(
        of id: MarketID,
        _ open: UnresolvedOperation,
        _ snapshot: StateSnapshot,
        reason: String,
        _ lookup: ProductLookup
    ) async throws -> PlannedOperation? {
        // A product that now belongs to another key must not be deleted.
        let isTaken = snapshot.entries.values.contains { $0.id == id && $0.key != open.operation.key }
        guard !isTaken, let product = try await lookup.proved(id) else { return nil }
        return PlannedOperation(deleting: product, of: open.operation, reason: reason)
    }
}
