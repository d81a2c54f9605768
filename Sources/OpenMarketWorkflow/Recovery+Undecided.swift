import OpenMarket
public import OpenMarketApply

extension Recovery.Resolution {
    /// What is still unresolved and could not be planned around: nobody knows yet whether it happened, or a replace has
    /// to be taken back before it can be planned again.
    public var undecided: [Recovery.Settled] {
        let owed = Set(pendingDeletes.filter { !$0.takesBack }.map(\.origin))
        return settled.filter { $0.isOpen && !owed.contains($0.operation) }
    }

    /// The keys of deletes that earlier runs began: their products may be gone by that.
    var begunDeletes: Set<String> {
        Set(settled.map(\.operation.operation).filter { $0.action == .delete }.map(\.key))
    }
}
