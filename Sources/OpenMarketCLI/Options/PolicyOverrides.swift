import ArgumentParser
import FoundationEssentials
import OpenMarket

/// A policy that one run of apply may override, by its key in the manifest.
enum PolicyName: String, CaseIterable, ExpressibleByArgument {
    case maxDelete = "max_delete"
    case maxPriceChange = "max_price_change"
    case minPrice = "min_price"
    case allowCurrencyChange = "allow_currency_change"
    case allowStockToZero = "allow_stock_to_zero"
}

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
    func applied(to policies: Policies, settings: Settings) throws -> Policies {
        let names = try self.names(settings)
        guard try names.isEmpty || reason(settings) != nil else {
            throw CommandFailure(
                .usage,
                "\(Setting.override.flag) needs a reason",
                help: "say why with \(Setting.reason.flag) TEXT; it is kept in the journal"
            )
        }
        var policies = policies
        for name in names {
            switch name {
            case .maxDelete: policies.maximumDelete = .count(.max)
            case .maxPriceChange: policies.maximumPriceChange = nil
            case .minPrice: policies.minimumPrice = nil
            case .allowCurrencyChange: policies.allowsCurrencyChange = true
            case .allowStockToZero: policies.allowsStockToZero = true
            }
        }
        return policies
    }

    /// What the journal keeps: the policies that were overridden in either way, the reason and the user; `nil` where there
    /// is neither policy nor reason.
    func approval(_ planning: PlanningArguments?, settings: Settings) throws -> RunApproval? {
        var names = Set(try self.names(settings))
        if let planning { names.formUnion(try planning.overriddenPolicies(settings)) }
        let reason = try reason(settings)
        guard !names.isEmpty || reason != nil else { return nil }
        return RunApproval(
            policies: PolicyName.allCases.filter(names.contains).map(\.rawValue),
            reason: reason,
            user: ProcessInfo.processInfo.userName
        )
    }

    private func names(_ settings: Settings) throws -> [PolicyName] {
        guard overrides.isEmpty else { return overrides }
        return try settings.list([], .override).map { text in
            guard let name = PolicyName(rawValue: text) else {
                throw CommandFailure(
                    .usage,
                    "\(Setting.override.variable): '\(text)' is not a value that \(Setting.override.flag) takes"
                )
            }
            return name
        }
    }

    private func reason(_ settings: Settings) throws -> String? {
        let text = try settings.text(reason, .reason)
        guard let text, text.contains(where: { !$0.isWhitespace }) else { return nil }
        return text
    }
}

extension PlanningArguments {
    /// The policies that a flag or variable of their own overrides.
    func overriddenPolicies(_ settings: Settings) throws -> Set<PolicyName> {
        var names: Set<PolicyName> = []
        if try settings.value(maxDelete, .maxDelete) != nil { names.insert(.maxDelete) }
        if try settings.value(maxPriceChange, .maxPriceChange) != nil { names.insert(.maxPriceChange) }
        if try settings.value(minPrice, .minPrice) != nil { names.insert(.minPrice) }
        if try settings.isOn(allowCurrencyChange, .allowCurrencyChange) { names.insert(.allowCurrencyChange) }
        if try settings.isOn(allowStockToZero, .allowStockToZero) { names.insert(.allowStockToZero) }
        return names
    }

    /// Checks that standard input is read for one thing only.
    ///
    /// - Throws: ``CommandFailure`` with exit 64.
    func requireOwnInput(beside manifests: [String], _ settings: Settings) throws {
        guard try settings.text(targetFile, .targetFile) == "-", manifests.contains("-") else { return }
        throw CommandFailure(
            .usage,
            "standard input cannot be both a manifest and \(Setting.targetFile.flag)",
            help: "put one of them into a file"
        )
    }
}
