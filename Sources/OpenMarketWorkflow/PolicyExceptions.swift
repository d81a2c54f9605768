package import OpenMarket

/// The exceptions of one run from the policies of its manifest, their reason, and decisions about its plan.
package struct PolicyExceptions: Sendable {
    /// A bound that replaces a policy.
    package enum Bound: Hashable, Sendable {
        case maximumDelete(Policies.Bound)
        case maximumPriceChange(Int64?)
        case minimumPrice(ExactDecimal?)
        case currencyChange
        case stockToZero
        case zeroPrice

        var name: PolicyName {
            switch self {
            case .maximumDelete: .maxDelete
            case .maximumPriceChange: .maxPriceChange
            case .minimumPrice: .minPrice
            case .currencyChange: .allowCurrencyChange
            case .stockToZero: .allowStockToZero
            case .zeroPrice: .allowZeroPrice
            }
        }
    }

    private let overridden: [PolicyName]
    private let bounds: [Bound]
    private let reason: String?
    package var decisions: RunDecisions?

    /// `names` are policies to skip, and `bounds` replace others; a blank `reason` counts as none.
    package init(overriding names: [PolicyName] = [], bounds: [Bound] = [], reason: String? = nil) {
        overridden = names
        self.bounds = bounds
        self.reason = reason.flatMap { text in text.contains { !$0.isWhitespace } ? text : nil }
    }

    package var lacksReason: Bool { !overridden.isEmpty && reason == nil }

    package func applied(to policies: Policies) -> Policies {
        var policies = policies.overriding(overridden)
        for bound in bounds {
            switch bound {
            case .maximumDelete(let bound): policies.maximumDelete = bound
            case .maximumPriceChange(let points): policies.maximumPriceChange = points
            case .minimumPrice(let price): policies.minimumPrice = price
            case .currencyChange: policies.allowsCurrencyChange = true
            case .stockToZero: policies.allowsStockToZero = true
            case .zeroPrice: policies.allowsZeroPrice = true
            }
        }
        return policies
    }

    /// The journal's record: policies overridden in either way, reason, user and decisions.
    ///
    /// `nil` if there is only the user. Secrets are masked in its texts, because the journal never holds them.
    package func approval(by user: String) -> RunApproval? {
        let names = Set(bounds.map(\.name)).union(overridden)
        guard !names.isEmpty || reason != nil || decisions != nil else { return nil }
        var decisions = decisions
        if let by = decisions?.by { decisions?.by = by.masked }
        return RunApproval(
            policies: PolicyName.allCases.filter(names.contains).map(\.rawValue),
            reason: reason?.masked,
            user: user,
            decisions: decisions
        )
    }
}

extension PlannerOptions {
    /// Handles drift of all fields in one way, which also overrides policies for single fields.
    package mutating func handleAllDrift(_ handling: DriftHandling) {
        onDrift = handling
        policies.onDrift = [:]
    }
}
