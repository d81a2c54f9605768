import OpenMarket

/// A plan as reviewers read it: the operations in the order of their risk, what to look at, and what it comes to.
package struct PlanReview: Sendable {
    /// An operation with what a reviewer should know of it.
    struct Item: Sendable {
        /// The operation.
        var operation: PlannedOperation
        /// Its place in the plan, from 0.
        var index: Int
        /// Why to look at it, the gravest first; empty for most.
        var findings: [PlanFinding]
        /// How far it moves what buyers pay.
        var move: PriceMove?
    }

    /// A price move is a finding from here on, unless the manifest's policy is stricter: 20 %.
    static let standingPriceBound: UInt64 = 2000

    /// The plan.
    var plan: Plan
    /// From which size on a price move is a finding, in hundredths of a percent.
    var priceBound: UInt64
    /// The operations: those with findings first, in the order of ``PlanFinding``, then further price moves by their size,
    /// then the rest in the order of the plan.
    var items: [Item]

    /// A review of a plan.
    ///
    /// - Parameters:
    ///   - plan: The plan.
    ///   - maximumPriceChange: The policy's bound for price moves, in hundredths of a percent; half of it is worth a
    ///     look. `nil` where there is none.
    init(_ plan: Plan, maximumPriceChange: Int64? = nil) {
        self.plan = plan
        let bound = maximumPriceChange.map { min(UInt64(max($0, 0)) / 2, Self.standingPriceBound) }
        let priceBound = bound ?? Self.standingPriceBound
        self.priceBound = priceBound
        let items = plan.operations.enumerated().map { index, operation in
            Item(
                operation: operation,
                index: index,
                findings: operation.findings(priceBound: priceBound),
                move: operation.priceMove
            )
        }
        self.items = items.sorted { Self.order($0) < Self.order($1) }
    }

    /// The operations worth a look, grouped by their gravest finding.
    var findings: [(finding: PlanFinding, items: [Item])] {
        PlanFinding.allCases.compactMap { finding in
            let found = items.filter { $0.findings.first == finding }
            return found.isEmpty ? nil : (finding, found)
        }
    }

    /// What the plan comes to.
    var impact: PlanImpact { PlanImpact(items) }

    private static func order(_ item: Item) -> (Int, UInt64, Int) {
        // The larger the move, the earlier.
        let move = UInt64.max - (item.move?.magnitude ?? 0)
        guard let gravest = item.findings.first else {
            return (item.move == nil ? ranks.count + 1 : ranks.count, move, item.index)
        }
        return (ranks[gravest] ?? ranks.count, move, item.index)
    }

    private static let ranks = Dictionary(uniqueKeysWithValues: zip(PlanFinding.allCases, 0...))
}
