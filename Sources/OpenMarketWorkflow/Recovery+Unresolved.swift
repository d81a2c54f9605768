import OpenMarket

extension Recovery.Resolution {
    /// What is still unresolved and could not be planned around: it is not known whether it happened, or a replace has
    /// to be taken back before it can be planned again.
    var unresolved: [Recovery.Settled] { unresolved { _ in true } }

    /// What is still unresolved beside a plan: also an unfinished replace whose old product the plan leaves.
    func unresolved(besides plan: Plan) -> [Recovery.Settled] {
        let deleted = Set(plan.operations.filter { $0.action == .delete }.map(\.id))
        return unresolved { deleted.contains($0.operation.id) }
    }

    private func unresolved(where isPlanned: (Recovery.PendingDelete) -> Bool) -> [Recovery.Settled] {
        let owed = Set(pendingDeletes.filter { !$0.takesBack && isPlanned($0) }.map(\.origin))
        return settled.filter { $0.isOpen && !owed.contains($0.operation) }
    }

    /// Checks that everything of earlier runs is resolved.
    ///
    /// - Throws: ``SessionError/unresolved(_:)``.
    func requireResolved() throws {
        guard unresolved.isEmpty else { throw SessionError.unresolved(unresolved) }
    }

    /// The keys of deletes that earlier runs began: their products may be gone by that.
    var begunDeletes: Set<String> {
        Set(
            settled.map(\.operation.operation).filter { $0.action == .delete || $0.replacement?.deletesFirst == true }
                .map(\.key)
        )
    }
}
