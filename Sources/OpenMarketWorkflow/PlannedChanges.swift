package import OpenMarket

package struct PlannedChanges: Sendable {
    /// The source of a plan's knowledge of the market.
    enum Basis: Hashable, Sendable {
        /// The market was read for the plan.
        case read
        /// The state replaces reading the market. Before a create, the product's name is looked up on the market.
        case remembered
        /// The market was read earlier: as for `remembered`, and each product is read again before it is written.
        case earlier
    }

    package var plan: Plan
    /// The state as the plan sees it, after the unresolved operations of earlier runs were settled.
    var snapshot: StateSnapshot
    package var recovery: Recovery.Resolution
    /// The vendor identity: the stated one, the market's confirmation, and the possible lookups.
    var identity = VendorIdentity()
    /// The newest id; `nil` if no catalog was read.
    var highWater: MarketID?
    var basis = Basis.read
    /// Operations that must not begin, by their index.
    var refusals: [Int: OperationRefusal] = [:]

    /// Whether there is anything to do; unresolved operations of an earlier run also count.
    package var isPending: Bool { !plan.isEmpty || !recovery.settled.isEmpty }

    /// The operations that would not begin, as a run reports them, in the plan's order.
    package var refused: [OperationResult] {
        let refusals = OperationRefusal.all(of: plan.operations, besides: refusals)
        return plan.operations.indices.compactMap { index in
            refusals[index].map { OperationResult(index, plan.operations[index], $0, isOwn: true) }
        }
    }

    /// Records the question to the user about the plan.
    ///
    /// An answer takes time, and changes on the market meanwhile must not be overwritten.
    mutating func noteQuestion() { basis = .earlier }
}
