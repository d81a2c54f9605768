import ArgumentParser
import OpenMarket
import OpenMarketWorkflow

extension PolicyName: ExpressibleByArgument {}

/// Which policies a run overrides, and why.
struct OverrideArguments: ParsableArguments {
    @Option(.override, "Override this policy for the run; needs \(Setting.reason.flag); repeatable.", value: "policy")
    var overrides: [PolicyName] = []

    @Option(.reason, "Why, for the journal: `history` shows it.", value: "text")
    var reason: String?

    /// What the run allows, with the options that a plan has for it.
    func exceptions(_ planning: PlanningArguments? = nil) -> PolicyExceptions {
        PolicyExceptions(overriding: overrides, bounds: planning?.policyBounds ?? [], reason: reason)
    }

    /// The policies as the run takes them.
    ///
    /// - Throws: ``CommandFailure`` with exit 64 where the reason is missing.
    func applied(to policies: Policies) throws -> Policies {
        guard !exceptions().lacksReason else {
            throw CommandFailure(
                .usage,
                "\(Setting.override.flag) needs a reason",
                help: "say why with \(Setting.reason.flag) TEXT; it is kept in the journal"
            )
        }
        return exceptions().applied(to: policies)
    }
}

extension PlanningArguments {
    /// The policies that an option of their own overrides, and how.
    var policyBounds: [PolicyExceptions.Bound] {
        let bounds: [PolicyExceptions.Bound?] = [
            maxDelete.map { .maximumDelete($0) }, maxPriceChange,
            minPrice, allowCurrencyChange ? .currencyChange : nil,
            allowStockToZero ? .stockToZero : nil,
        ]
        return bounds.compactMap(\.self)
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
