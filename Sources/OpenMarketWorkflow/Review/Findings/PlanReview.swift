import OpenMarket

/// A plan as reviewers read it: operations in the order of their risk, their findings, and a summary.
package struct PlanReview: Sendable {
    struct Item: Sendable {
        var operation: PlannedOperation
        /// Its position in the plan, from 0.
        var index: Int
        /// The findings, gravest first; empty for most operations.
        var findings: [PlanFinding]
        var move: PriceMove?
    }

    /// The smallest price move that is a finding, unless the manifest's policy is stricter: 20 %.
    static let standingPriceBound: UInt64 = 2000

    var plan: Plan
    /// Operations with findings come first, in the order of ``PlanFinding``.
    ///
    /// Then come further price moves by their size, then the rest in the order of the plan.
    var items: [Item]

    /// `maximumPriceChange` is the policy's bound for price moves in hundredths of a percent; half of it is a finding.
    ///
    /// `nil` means that the policy is unbounded.
    init(_ plan: Plan, maximumPriceChange: Int64? = nil) {
        self.plan = plan
        let bound = maximumPriceChange.map { min(UInt64(max($0, 0)) / 2, Self.standingPriceBound) }
        let priceBound = bound ?? Self.standingPriceBound
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

    /// The operations with findings, grouped by their gravest finding.
    var findings: [(finding: PlanFinding, items: [Item])] {
        PlanFinding.allCases.compactMap { finding in
            let found = items.filter { $0.findings.first == finding }
            return found.isEmpty ? nil : (finding, found)
        }
    }

    private static func order(_ item: Item) -> (Int, UInt64, Int) {
        // Larger moves come first.
        let move = UInt64.max - (item.move?.magnitude ?? 0)
        guard let gravest = item.findings.first else {
            return (item.move == nil ? ranks.count + 1 : ranks.count, move, item.index)
        }
        return (ranks[gravest] ?? ranks.count, move, item.index)
    }

    private static let ranks = Dictionary(uniqueKeysWithValues: zip(PlanFinding.allCases, 0...))
}
