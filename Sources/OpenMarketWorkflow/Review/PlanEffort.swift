import OpenMarket

struct PlanEffort: Sendable {
    /// The number of requests known to be sent; repeats and reads come on top.
    var requests: Int
    /// The duration at the rate of the last run; `nil` if no run shows a rate.
    var duration: Duration?

    /// A run of fewer operations does not give a reliable rate.
    private static let fewest = 10

    init(_ plan: Plan, _ capabilities: MarketCapabilities, lastRun: RunSummary? = nil) {
        requests = plan.operations.reduce(0) { $0 + $1.plannedRequests(capabilities).count }
        guard let lastRun, let finishedAt = lastRun.finishedAt, lastRun.totals.done >= Self.fewest else { return }
        let took = finishedAt - lastRun.startedAt
        duration = took * plan.operations.count / lastRun.totals.done
    }
}
