/// A check of a whole plan: what looks like an accident is refused, or reported.
///
/// Pure: it sees the plan and what the plan was computed from. What concerns one product alone is found where that
/// product is planned.
struct PlanCheck: Sendable {
    /// What a check sees.
    struct Context {
        let plan: Plan
        let input: Planner.Input
        /// The state by key, after `previously:` renamed keys.
        let entries: StateEntries
        let identity: VendorIdentity
        let capabilities: MarketCapabilities
        let options: PlannerOptions
        /// The number of managed products that disappeared from the market without a request from us.
        let gone: Int
        /// Keys that must not be touched.
        let blockedKeys: Set<String>

        func takes(_ key: String) -> Bool { !blockedKeys.contains(key) && options.filter.takes(key) }
    }

    struct Findings {
        var diagnostics: [Diagnostic] = []
        var refusals: [PlanRefusal] = []
    }

    /// Whether the user's permission to list products beside others of their names covers it.
    let isCoveredByNamesakes: Bool
    let find: @Sendable (Context) -> Findings

    /// The checks that run before new products are compared with others, in the order of their findings.
    static let ofValues: [PlanCheck] = [
        .reporting(alteredValues), .reporting(markupAtRisk), .reporting(misreadTexts), .reporting(cutCells),
        .reporting(spreadsheetForms),
        .refusing(isCoveredByNamesakes: true, movedValues), .refusing(isCoveredByNamesakes: true, exchangedIDs),
        .refusing(isCoveredByNamesakes: true, idsOfOtherMarkets),
    ]

    /// The checks of what becomes of products as a whole.
    static let ofProducts: [PlanCheck] = [
        .refusing(severalVendors), .reporting(possibleRenames), .refusing { PolicyCheck(context: $0).refusals() },
    ]

    private static func reporting(_ find: @escaping @Sendable (Context) -> [Diagnostic]) -> PlanCheck {
        PlanCheck(isCoveredByNamesakes: false) { Findings(diagnostics: find($0)) }
    }

    private static func refusing(
        isCoveredByNamesakes: Bool = false,
        _ find: @escaping @Sendable (Context) -> [PlanRefusal]
    ) -> PlanCheck {
        PlanCheck(isCoveredByNamesakes: isCoveredByNamesakes) { Findings(refusals: find($0)) }
    }
}

extension Planner {
    /// Runs checks on the plan so far, and adds their findings.
    mutating func run(_ checks: [PlanCheck]) {
        let context = PlanCheck.Context(
            plan: plan,
            input: input,
            entries: entries,
            identity: identity,
            capabilities: capabilities,
            options: options,
            gone: goneKeys.count,
            blockedKeys: blockedKeys
        )
        for check in checks where !(check.isCoveredByNamesakes && options.allowsNamesakes) {
            let findings = check.find(context)
            plan.diagnostics += findings.diagnostics
            plan.refusals += findings.refusals
        }
    }
}
