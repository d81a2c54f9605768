package import OpenMarket

package struct PlannedChanges: Sendable {
    /// What a plan knows of the market, and since when.
    enum Basis: Hashable, Sendable {
        /// The market was read for the plan.
        case read
        /// The state stands in for the market: before a product is created, its name is looked up there.
        case remembered
        /// The market was read earlier: as for `remembered`, and each product is read again before it is written.
        case earlier
    }

    package var plan: Plan
    /// The state as the plan sees it, after the unresolved operations of earlier runs were settled.
    var snapshot: StateSnapshot
    /// Unresolved operations of earlier runs.
    package var recovery: Recovery.Resolution
    /// The vendor identity: the stated one, the market's confirmation, and what can be looked up.
    var identity = VendorIdentity()
    /// The newest id known; `nil` if no catalog was read.
    var highWater: MarketID?
    var basis = Basis.read
    /// Operations that must not begin, by their index.
    var refusals: [Int: OperationRefusal] = [:]

    /// Whether there is anything to do; unresolved operations of an earlier run count, too.
    package var isPending: Bool { plan.hasChanges || !recovery.settled.isEmpty }

    /// The operations that would not begin, as a run reports them, in the plan's order.
    package var refused: [OperationResult] {
        let refusals = OperationRefusal.all(of: plan.operations, besides: refusals)
        return plan.operations.indices.compactMap { index in
            refusals[index].map { OperationResult(index, plan.operations[index], $0, isOwn: true) }
        }
    }

    /// Notes that the user was asked about the plan.
    ///
    /// An answer takes time: changes on the market meanwhile are not overwritten.
    mutating func noteQuestion() { basis = .earlier }
}
