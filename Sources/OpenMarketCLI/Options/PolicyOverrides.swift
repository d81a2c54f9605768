import ArgumentParser
import FoundationEssentials
import OpenMarket
import OpenMarketWorkflow

extension PolicyName: ExpressibleByArgument {}

/// Which policies a run overrides, and why.
struct OverrideArguments: ParsableArguments {
    @Option(
        name: .setting(.override),
        help: ArgumentHelp(
            "Override this policy for the run; needs \(Setting.reason.flag); repeatable.",
            valueName: "policy"
        )
    )
    var overrides: [PolicyName] = []

    @Option(name: .setting(.reason), help: ArgumentHelp("Why, for the journal: `history` shows it.", valueName: "text"))
    var reason: String?

    /// The policies as the run takes them.
    ///
    /// - Throws: ``CommandFailure`` with exit 64 where the reason is missing.
    func applied(to policies: Policies) throws -> Policies {
        guard overrides.isEmpty || statedReason != nil else {
            throw CommandFailure(
                .usage,
                "\(Setting.override.flag) needs a reason",
                help: "say why with \(Setting.reason.flag) TEXT; it is kept in the journal"
            )
        }
        return policies.overriding(overrides)
    }

    /// What the journal keeps: the policies that were overridden in either way, the reason and the user; `nil` where there
    /// is neither policy nor reason.
    func approval(_ planning: PlanningArguments?) -> RunApproval? {
        let names = Set(planning?.policyOverrides.map(\.name) ?? []).union(overrides)
        guard !names.isEmpty || statedReason != nil else { return nil }
        return RunApproval(
            policies: PolicyName.allCases.filter(names.contains).map(\.rawValue),
            reason: statedReason,
            user: ProcessInfo.processInfo.userName
        )
    }

    private var statedReason: String? {
        reason.flatMap { text in text.contains { !$0.isWhitespace } ? text : nil }
    }
}

extension PlanningArguments {
    /// The policies that an option of their own overrides, and how.
    var policyOverrides: [(name: PolicyName, apply: (inout Policies) -> Void)] {
        var overrides: [(name: PolicyName, apply: (inout Policies) -> Void)] = []
        if let maxDelete { overrides.append((.maxDelete, { $0.maximumDelete = maxDelete.bound })) }
        if let maxPriceChange {
            overrides.append((.maxPriceChange, { $0.maximumPriceChange = maxPriceChange.basisPoints }))
        }
        if let minPrice { overrides.append((.minPrice, { $0.minimumPrice = minPrice.amount })) }
        if allowCurrencyChange { overrides.append((.allowCurrencyChange, { $0.allowsCurrencyChange = true })) }
        if allowStockToZero { overrides.append((.allowStockToZero, { $0.allowsStockToZero = true })) }
        return overrides
    }

    /// Checks that standard input is read for one thing only.
    ///
    /// - Throws: ``CommandFailure`` with exit 64.
    func requireOwnInput(beside manifests: [String]) throws {
        guard targetFile == "-", manifests.contains("-") else { return }
        throw CommandFailure(
            .usage,
            "standard input cannot be both a manifest and \(Setting.targetFile.flag)",
            help: "put one of them into a file"
        )
    }
}
