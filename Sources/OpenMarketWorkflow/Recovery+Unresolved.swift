import OpenMarket

extension Recovery.Resolution {
    /// Operations that are still unresolved and could not be planned around.
    ///
    /// Their outcome is unknown, or a replace has to be undone before it can be planned again.
    var unresolved: [Recovery.Settled] { unresolved { _ in true } }

    /// Operations that are still unresolved besides a plan.
    ///
    /// They include an unfinished replace whose old product the plan leaves.
    func unresolved(besides plan: Plan) -> [Recovery.Settled] {
        let deleted = Set(plan.operations.filter { $0.action == .delete }.map(\.id))
        return unresolved { deleted.contains($0.operation.id) }
    }

    private func unresolved(where isPlanned: (Recovery.PendingDelete) -> Bool) -> [Recovery.Settled] {
        let owed = Set(pendingDeletes.filter { !$0.takesBack && isPlanned($0) }.map(\.origin))
        return settled.filter { $0.isOpen && !owed.contains($0.operation) }
    }

    /// Checks that everything of earlier runs is resolved.
    func requireResolved() throws {
        guard unresolved.isEmpty else { throw CommandFailure.unresolved(unresolved) }
    }

    /// The keys of deletes that earlier runs began; these may have removed their products.
    var begunDeletes: Set<String> {
        Set(
            settled.map(\.operation.operation).filter { $0.action == .delete || $0.replacement?.deletesFirst == true }
                .map(\.key)
        )
    }
}
