package import OpenMarket

/// What one run allows otherwise than the policies of its manifest, and why.
package struct PolicyExceptions: Sendable {
    /// What takes the place of a policy.
    package enum Bound: Hashable, Sendable {
        case maximumDelete(Policies.Bound)
        case maximumPriceChange(Int64?)
        case minimumPrice(ExactDecimal?)
        case currencyChange
        case stockToZero

        /// The policy.
        var name: PolicyName {
            switch self {
            case .maximumDelete: .maxDelete
            case .maximumPriceChange: .maxPriceChange
            case .minimumPrice: .minPrice
            case .currencyChange: .allowCurrencyChange
            case .stockToZero: .allowStockToZero
            }
        }
    }

    private let overridden: [PolicyName]
    private let bounds: [Bound]
    private let reason: String?

    /// - Parameters:
    ///   - names: the policies that do not count.
    ///   - bounds: what takes the place of others.
    ///   - reason: why; blanks say nothing.
    package init(overriding names: [PolicyName] = [], bounds: [Bound] = [], reason: String? = nil) {
        overridden = names
        self.bounds = bounds
        self.reason = reason.flatMap { text in text.contains { !$0.isWhitespace } ? text : nil }
    }

    /// Whether policies do not count, and nothing says why.
    package var lacksReason: Bool { !overridden.isEmpty && reason == nil }

    /// The policies as the run takes them.
    package func applied(to policies: Policies) -> Policies {
        var policies = policies.overriding(overridden)
        for bound in bounds {
            switch bound {
            case .maximumDelete(let bound): policies.maximumDelete = bound
            case .maximumPriceChange(let points): policies.maximumPriceChange = points
            case .minimumPrice(let price): policies.minimumPrice = price
            case .currencyChange: policies.allowsCurrencyChange = true
            case .stockToZero: policies.allowsStockToZero = true
            }
        }
        return policies
    }

    /// What the journal keeps.
    ///
    /// - Parameters:
    ///   - user: who allows it.
    ///   - mask: hides credentials, which the journal never holds.
    /// - Returns: the policies that were overridden in either way, the reason and the user; `nil` where there is neither policy
    ///   nor reason.
    package func approval(by user: String, hiding mask: CredentialMask = CredentialMask()) -> RunApproval? {
        let names = Set(bounds.map(\.name)).union(overridden)
        guard !names.isEmpty || reason != nil else { return nil }
        return RunApproval(
            policies: PolicyName.allCases.filter(names.contains).map(\.rawValue),
            reason: reason.map(mask.masked),
            user: user
        )
    }
}

extension PlannerOptions {
    /// Handles drift of all fields in one way: what a run says of it counts also where the policies name single fields.
    package mutating func handleAllDrift(_ handling: DriftHandling) {
        onDrift = handling
        policies.onDrift = [:]
    }
}
