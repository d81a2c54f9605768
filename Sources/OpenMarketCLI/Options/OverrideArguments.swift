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
