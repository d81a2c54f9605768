import OpenMarket

struct PlanEffort: Sendable {
    /// The number of foreseeable requests; repeats and reads come on top.
    var requests: Int
    /// The duration at the rate of the last run; `nil` if no run shows a rate.
    var duration: Duration?

    /// A run of fewer operations does not give a reliable rate.
    private static let fewest = 10

    init(_ plan: Plan, _ capabilities: MarketCapabilities, lastRun: RunSummary? = nil) {
        var known: [Kind: Int] = [:]
        requests = plan.operations.reduce(0) { sum, operation in
            let kind = Kind(operation)
            let count = kind.flatMap { known[$0] } ?? operation.plannedRequests(capabilities).count
            if let kind { known[kind] = count }
            return sum + count
        }
        guard let lastRun, let finishedAt = lastRun.finishedAt, lastRun.totals.done >= Self.fewest else { return }
        let took = finishedAt - lastRun.startedAt
        duration = took * plan.operations.count / lastRun.totals.done
    }
}

/// Operations with the same number of requests: most plans have many operations of few kinds.
private struct Kind: Hashable {
    private let action: PlannedOperation.Action
    private let pictures: Int

    /// Returns `nil` if more than the number of pictures decides.
    init?(_ operation: PlannedOperation) {
        action = operation.action
        pictures = operation.pictures.count
        if action == .replace || action == .update && operation.changes.contains(where: { $0.field == .images }) {
            return nil
        }
    }
}
