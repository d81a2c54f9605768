/// Products left over by a replace, or by a create under a wrong vendor number.
extension Recovery.Settling {
    /// Settles a replace whose new product exists: it is done when the old one is gone.
    func replaced(
        _ replacement: PlannedOperation.Replacement,
        by created: MarketID,
        mutations: [StateMutation]
    ) async throws -> Step {
        let (outcome, reason) = ("it was created as \(created)", "the old product of an unfinished replace")
        guard let delete = try await delete(of: replacement.id, reason: reason) else {
            return Step(fact: .succeeded(created), mutations: mutations, outcome: outcome)
        }
        // It stays unresolved until the old product is deleted, even over several runs.
        return Step(
            fact: mutations.isEmpty ? nil : .advanced(.create, created: created),
            mutations: mutations,
            pendingDelete: delete,
            outcome: outcome
        )
    }

    /// Settles a replace whose new product differs from the sent values: it is over when that is gone, and the old one
    /// stays.
    func undone(_ created: MarketID) async throws -> Step {
        let lack = open.created == nil ? "lacks its pictures" : "is not as it was sent"
        let (reason, whatStays) =
            open.operation.succession == nil
            ? ("created under another vendor number", "")
            : ("the new product of a replace, which \(lack)", ": it \(lack), and the old one stays")
        guard let delete = try await delete(of: created, reason: reason) else {
            return Step(
                fact: .failed("settled: the unwanted new product is gone; planned again"),
                outcome: "its new product \(created) is gone"
            )
        }
        return Step(
            pendingDelete: delete,
            outcome: "it was created as \(created), which will be deleted again\(whatStays)"
        )
    }

    /// The delete of a product that an unfinished replace left over; `nil` if it is gone or belongs to another key.
    private func delete(of id: MarketID, reason: String) async throws -> PlannedOperation? {
        // A product that now belongs to another key must not be deleted.
        let isTaken = snapshot.entries.values.contains { $0.id == id && $0.key != open.operation.key }
        guard !isTaken, let product = try await lookup.proved(id) else { return nil }
        return PlannedOperation(deleting: product, of: open.operation, reason: reason)
    }
}
