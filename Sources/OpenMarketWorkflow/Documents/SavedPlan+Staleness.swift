import OpenMarket

/// Refuses stale operations of a plan.
///
/// A plan belongs to the state that it was made from. If another run or command changed a key since then, the plan's
/// operations on that key are stale. An update is stale only by the fields that it writes.
extension SavedPlan {
    /// The operations that must not begin, by their index, with the reasons.
    ///
    /// `recovered` has the current state and the keys that must not be changed; `doneSince` has the keys of operations
    /// that later runs carried out. The result is empty if all may begin.
    func refusals(_ recovered: Recovery.Resolution, doneSince: Set<String>) -> [Int: OperationRefusal] {
        var refusals: [Int: OperationRefusal] = [:]
        for (index, operation) in plan.operations.enumerated() {
            if recovered.blockedKeys.contains(operation.key) {
                refusals[index] = OperationRefusal(.skipped, "not started: an earlier operation on it is unresolved")
            } else if operation.action != .update, doneSince.contains(operation.key) {
                refusals[index] = OperationRefusal(.stale, "another run has changed it since the plan")
            } else if !isKnown(operation.key, in: recovered.snapshot) {
                let now = recovered.snapshot.entries[operation.key].map { "product \($0.id)" } ?? "no product"
                refusals[index] = OperationRefusal(.stale, "its key means \(now) now, unlike when the plan was made")
            } else if let (field, isAccepted) = fieldApplied(since: operation, recovered.snapshot) {
                let reason =
                    isAccepted
                    ? "the market's '\(field.rawValue)' was accepted since the plan"
                    : "another run has changed its '\(field.rawValue)' since the plan"
                refusals[index] = OperationRefusal(.stale, reason)
            }
        }
        return refusals
    }

    /// The facts of the plan that the state can still learn.
    func stateUpdates(_ recovered: Recovery.Resolution, doneSince: Set<String>) -> [StateMutation] {
        plan.stateUpdates.filter { update in
            update.keys.allSatisfy { key in
                !recovered.blockedKeys.contains(key) && !doneSince.contains(key) && isKnown(key, in: recovered.snapshot)
            }
        }
    }

    /// A field that the operation writes and that was applied since the plan, and whether that is drift which
    /// `pull --drift` wrote into the manifest.
    private func fieldApplied(
        since operation: PlannedOperation,
        _ snapshot: StateSnapshot
    ) -> (ProductField, isAccepted: Bool)? {
        guard let entry = snapshot.entries[operation.key] else { return nil }
        let change = operation.changes.first { change in
            // Without a base nothing was applied when the plan was made: then only the market tells.
            guard let base = change.base else { return false }
            return entry.applied[change.field] != base
        }
        return change.map { ($0.field, $0.kind == .drift && entry.applied[$0.field] == $0.live) }
    }

    /// Whether a key means the same product as when the plan was made.
    private func isKnown(_ key: String, in snapshot: StateSnapshot) -> Bool {
        snapshot.entries[key]?.id == known.ids[key]
    }

    /// The keys of operations that runs since the plan carried out.
    ///
    /// If the journal no longer keeps one of these runs, its operations are unknown, and the result is all of the
    /// plan's keys.
    func doneSince(_ state: any StateReader) async throws -> Set<String> {
        if let keys = try await state.keysDone(since: known.lastRun) { return keys }
        return Set(plan.operations.map(\.key)).union(plan.stateUpdates.flatMap(\.keys))
    }
}

extension SavedPlan {
    /// Refuses a plan whose state is missing: without it, only the plan's results would be known.
    ///
    /// Throws ``SessionError/stateMissing(products:location:)``, and errors of the state.
    func requireKnown(in state: any StateReader) async throws {
        guard known.products > 0, try await state.counts() == StateCounts(products: 0, unresolved: 0) else { return }
        throw SessionError.stateMissing(products: known.products, location: state.location)
    }
}
