import OpenMarket

/// A reason to look at an operation before the plan is applied.
///
/// The order of the cases is the order for reviewers.
enum PlanFinding: Hashable, Sendable, Comparable, CaseIterable {
    /// Buyers pay 0 for a product that is new or had a price.
    case zeroPrice
    /// The market and the manifest both changed a field, to different values; the market's value is lost.
    case conflict
    /// A field that was changed on the market is set back.
    case drift
    /// A product is deleted, with its number and its link.
    case delete
    /// A product is created anew and loses its number and its link.
    case replace
    /// The state drops a product that no longer exists on the market.
    case forget
    case currency
    case stockToZero
    case saleEnds
    case price

    /// The finding in a few words: "conflict", "stock to 0".
    var phrase: String {
        switch self {
        case .zeroPrice: "price of 0"
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
    /// The findings in order; empty for most operations.
    ///
    /// A price move of at least `bound` is a finding, in hundredths of a percent.
    func findings(priceBound bound: UInt64) -> [PlanFinding] {
        var findings: Set<PlanFinding> = makesFree ? [.zeroPrice] : []
        switch action {
        case .delete: findings.insert(.delete)
        case .replace: findings.insert(.replace)
        case .forget: findings.insert(.forget)
        case .adopt, .create, .update, .rename: break
        }
        guard action != .create else { return findings.sorted() }
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
    /// Whether even a long review names the product.
    ///
    /// The operation cannot be undone, or it ends something that buyers were promised.
    var isAlwaysNamed: Bool {
        switch self {
        case .zeroPrice, .delete, .replace, .forget, .saleEnds: true
        case .conflict, .drift, .currency, .stockToZero, .price: false
        }
    }
}
