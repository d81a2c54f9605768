import OpenMarket

/// A reason to look at an operation before the plan is carried out.
///
/// The order of the cases is the order in which reviewers should see them.
enum PlanFinding: Hashable, Sendable, Comparable, CaseIterable {
    /// The market and the manifest both changed a field, to different values: the market's value goes.
    case conflict
    /// A field that was changed on the market is put back.
    case drift
    /// A product is deleted, with its number and its link.
    case delete
    /// A product is made again: its number and its link go.
    case replace
    /// The state drops a product that is gone from the market.
    case forget
    /// The currency changes.
    case currency
    /// A product is sold out by it.
    case stockToZero
    /// A sale ends.
    case saleEnds
    /// What buyers pay moves farther than the bound of ``PlanReview``.
    case price

    /// The finding in a few words: "conflict", "stock to 0".
    var phrase: String {
        switch self {
        case .conflict: "changed on both sides"
        case .drift: "changed on the market"
        case .delete: "deleted"
        case .replace: "replaced"
        case .forget: "gone from the market"
        case .currency: "currency changes"
        case .stockToZero: "stock to 0"
        case .saleEnds: "sale ends"
        case .price: "price moves far"
        }
    }
}

extension PlannedOperation {
    /// What reviewers should look at.
    ///
    /// - Parameter bound: From which size on a price move is a finding, in hundredths of a percent.
    /// - Returns: The findings in order; empty for most operations.
    func findings(priceBound bound: UInt64) -> [PlanFinding] {
        var findings: Set<PlanFinding> = []
        switch action {
        case .delete: findings.insert(.delete)
        case .replace: findings.insert(.replace)
        case .forget: findings.insert(.forget)
        case .adopt, .create, .update: break
        }
        guard action != .create else { return [] }
        for change in changes {
            switch change.kind {
            case .change: break
            case .conflict: findings.insert(.conflict)
            case .drift: findings.insert(.drift)
            }
            switch (change.field, change.live, change.manifest) {
            case (.currency, .text?, .text?): findings.insert(.currency)
            case (.stock, .integer(let old)?, .integer(0)?) where old > 0: findings.insert(.stockToZero)
            default: break
            }
        }
        if endsSale { findings.insert(.saleEnds) }
        if let move = priceMove, move.magnitude > bound { findings.insert(.price) }
        return findings.sorted()
    }
}

extension PlanFinding {
    /// Whether a review names its product, however long the review is: what it does cannot be taken back, or what buyers
    /// were promised ends.
    var isAlwaysNamed: Bool {
        switch self {
        case .delete, .replace, .forget, .saleEnds: true
        case .conflict, .drift, .currency, .stockToZero, .price: false
        }
    }
}
