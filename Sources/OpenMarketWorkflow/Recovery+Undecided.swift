import OpenMarket
public import OpenMarketApply

extension Recovery.Resolution {
    /// What is still unresolved and could not be planned around: nobody knows yet whether it happened.
    public var undecided: [Recovery.Settled] {
        let owed = Set(pendingDeletes.map(\.origin))
        return settled.filter { $0.isOpen && !owed.contains($0.operation) }
    }
}
