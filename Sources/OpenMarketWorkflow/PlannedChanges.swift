package import OpenMarket

/// A plan and what it was made from.
package struct PlannedChanges: Sendable {
    /// What a plan knows of the market, and since when.
    enum Basis: Hashable, Sendable {
        /// The market was read for it just now.
        case read
        /// What the state remembers was taken for the market: before a product is made, its name is looked for there.
        case remembered
        /// The market was read earlier: as for `remembered`, and each product is read again before it is written.
        case earlier
    }

    /// The plan.
    package var plan: Plan
    /// The state as the plan sees it, after what earlier runs left unresolved was settled.
    var snapshot: StateSnapshot
    /// What earlier runs left unresolved.
    package var recovery: Recovery.Resolution
    /// Who we are: what was said, what the market confirms of it, and what can be asked about.
    var identity = VendorIdentity()
    /// The newest id known; `nil` when no catalog was read.
    var highWater: MarketID?
    /// What it knows of the market, and since when.
    var basis = Basis.read
    /// Operations that are not to be begun, by their index.
    var refusals: [Int: OperationRefusal] = [:]

    /// Whether there is anything to do: what an earlier run left unresolved is, too.
    package var isPending: Bool { plan.hasChanges || !recovery.settled.isEmpty }

    /// The operations that would not be begun, as a run reports them, in the plan's order.
    package var refused: [OperationResult] {
        let refusals = OperationRefusal.all(of: plan.operations, besides: refusals)
        return plan.operations.indices.compactMap { index in
            refusals[index].map { OperationResult(index, plan.operations[index], $0, isOwn: true) }
        }
    }

    /// Notes that the user was asked about the plan.
    ///
    /// An answer takes time: what is changed on the market meanwhile is not overwritten.
    mutating func noteQuestion() { basis = .earlier }
}
