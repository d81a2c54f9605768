public import OpenMarket
public import OpenMarketApply

/// A plan and what it was made from.
public struct PlannedChanges: Sendable {
    /// The plan.
    public var plan: Plan
    /// The state as the plan sees it, after what earlier runs left unresolved was settled.
    public var snapshot: StateSnapshot
    /// What earlier runs left unresolved.
    public var recovery: Recovery.Resolution
    /// The newest id known; `nil` when no catalog was read.
    public var highWater: ProductID?
    /// Operations that are not to be begun, by their index.
    public var refusals: [Int: OperationRefusal]

    /// Something to carry out.
    public init(
        plan: Plan,
        snapshot: StateSnapshot,
        recovery: Recovery.Resolution,
        highWater: ProductID?,
        refusals: [Int: OperationRefusal] = [:]
    ) {
        self.plan = plan
        self.snapshot = snapshot
        self.recovery = recovery
        self.highWater = highWater
        self.refusals = refusals
    }
}
