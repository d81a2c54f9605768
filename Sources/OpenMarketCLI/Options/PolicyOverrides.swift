import ArgumentParser
import OpenMarket
import OpenMarketWorkflow

extension PolicyName: ExpressibleByArgument {}

struct OverrideArguments: ParsableArguments {
    @Option(
        name: .customLong("override"),
        help: ArgumentHelp("Override this policy for the run; needs --reason; repeatable.", valueName: "policy")
    )
    var overrides: [PolicyName] = []

    @Option(help: "Why, for the journal: `history` shows it.", as: .text("text"))
    var reason: String?

    /// The exceptions that the run allows, including those from the options of a plan.
    func exceptions(_ planning: PlanningArguments? = nil) -> PolicyExceptions {
        PolicyExceptions(overriding: overrides, bounds: planning?.policyBounds ?? [], reason: reason)
    }

    /// The policies with this run's overrides.
    ///
    /// Throws ``CommandFailure`` with exit 64 if the reason is missing.
    func applied(to policies: Policies) throws -> Policies {
        guard !exceptions().lacksReason else {
            throw CommandFailure(
                .usage,
                "--override needs a reason",
                help: "give the reason with --reason TEXT; the journal keeps it"
            )
        }
        return exceptions().applied(to: policies)
    }
}

extension PlanningArguments {
    /// The policies that have a separate overriding option.
    var policyBounds: [PolicyExceptions.Bound] {
        let bounds: [PolicyExceptions.Bound?] = [
            maxDelete.map { .maximumDelete($0) }, maxPriceChange,
            minPrice, allowCurrencyChange ? .currencyChange : nil,
            allowStockToZero ? .stockToZero : nil,
            allowZeroPrice ? .zeroPrice : nil,
        ]
        return bounds.compactMap(\.self)
    }

    /// Checks that standard input is read for one purpose only; otherwise throws ``CommandFailure`` with exit 64.
    func requireOwnInput(beside manifests: [String]) throws {
        guard choosing.targetFile == "-", manifests.contains("-") else { return }
        throw CommandFailure(
            .usage,
            "standard input cannot be both a manifest and --target-file",
            help: "put one of them into a file"
        )
    }
}
