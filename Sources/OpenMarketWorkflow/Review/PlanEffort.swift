import OpenMarket

/// What carrying out a plan takes.
struct PlanEffort: Sendable {
    /// How many requests are known to be sent; repeats and reads come on top.
    var requests: Int
    /// How long it takes at the rate of the last run; `nil` where no run shows it.
    var duration: Duration?

    /// Fewer operations than this say little about a rate.
    private static let fewest = 10

    /// The effort of a plan.
    ///
    /// - Parameters:
    ///   - plan: The plan.
    ///   - capabilities: What the market can do.
    ///   - lastRun: The newest run that the state knows.
    init(_ plan: Plan, _ capabilities: MarketCapabilities, lastRun: RunSummary? = nil) {
        requests = plan.operations.reduce(0) { $0 + $1.plannedRequests(capabilities).count }
        guard let lastRun, let finishedAt = lastRun.finishedAt, lastRun.totals.done >= Self.fewest else { return }
        let took = finishedAt - lastRun.startedAt
        duration = took * plan.operations.count / lastRun.totals.done
    }
}
