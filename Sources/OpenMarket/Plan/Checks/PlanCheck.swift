/// A check of a whole plan, which refuses or reports apparent accidents.
///
/// Pure: it reads the plan and the plan's input. Faults of one product are found when that product is planned.
struct PlanCheck: Sendable {
    /// The planner, after it planned each product.
    typealias Context = Planner

    struct Findings {
        var diagnostics: [Diagnostic] = []
        var refusals: [PlanRefusal] = []
        /// Keys of refused products whose creates an earlier run may have been allowed.
        var doubtfulKeys: [String] = []
    }

    /// Whether the user's permission for namesakes covers the check.
    let isCoveredByNamesakes: Bool
    let find: @Sendable (Context) -> Findings

    /// The number of findings of a kind that are listed one by one.
    static let shown = 20

    /// In the order of their findings.
    static let all: [PlanCheck] = [
        .reporting(otherMarkets), .reporting(alteredValues), .reporting(markupAtRisk),
        .reporting(misreadTexts), .reporting(cutCells), .reporting(doubtfulCells),
        .refusing(isCoveredByNamesakes: true, movedValues), .refusing(isCoveredByNamesakes: true, exchangedIDs),
        .refusing(isCoveredByNamesakes: true, strangersToDelete),
        .refusing(isCoveredByNamesakes: true, idsOfOtherMarkets), .refusing(strangersToAdopt),
        .refusing { [$0.identity.contradiction.map(PlanRefusal.init)].compactMap(\.self) },
        .refusing(isCoveredByNamesakes: true, namesakes),
        PlanCheck(isCoveredByNamesakes: true, find: managedProducts),
        PlanCheck(isCoveredByNamesakes: true, find: contestedNames),
        .reporting(unknownFormerKeys), .reporting(similarNewKeys),
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
    mutating func check() {
        let context = self
        for check in PlanCheck.all where !(check.isCoveredByNamesakes && options.allowsNamesakes) {
            let findings = check.find(context)
            plan.diagnostics += findings.diagnostics
            plan.refusals += findings.refusals
            plan.doubtfulKeys += findings.doubtfulKeys
        }
    }
}

extension Plan {
    /// The operations with old values; creates, the bulk of most large plans, have none.
    var changing: some Sequence<PlannedOperation> {
        operations.lazy.filter { $0.action == .update || $0.action == .replace }
    }
}
