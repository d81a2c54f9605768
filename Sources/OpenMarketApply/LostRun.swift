public import OpenMarket

/// A run lost its state: the session was replaced, or the state cannot be written any more.
///
/// What was done until then is known, and goes into the run's result; the state has the rest, for the next run to settle.
public struct LostRun: Error, Sendable {
    /// How the operations ended, as far as it was written down: the others are unknown where they were begun.
    public var result: RunResult
    /// What happened to the state.
    public var reason: StateError

    /// A run that ended early.
    public init(result: RunResult, reason: StateError) {
        self.result = result
        self.reason = reason
    }
}

extension StateError {
    /// Whether it ends a run whose state was usable until then.
    var losesRun: Bool { code == .superseded || code == .io }
}

extension ExecutionRun {
    /// The result of a run whose operations ended like this.
    func result(_ operations: [OperationResult]) -> RunResult {
        var totals = RunTotals()
        for operation in operations { totals.count(operation.status) }
        return RunResult(
            run: id,
            totals: totals,
            operations: operations,
            endedBy: drain.reason,
            snapshot: ledger.snapshot
        )
    }

    /// The results so far, when nothing more can be written down.
    func resultsSoFar(_ operations: [PlannedOperation], _ outcomes: RunOutcomes) -> [OperationResult] {
        var results = outcomes.takeResults()
        let known = Set(results.map(\.sequence))
        let began = ledger.begunOperations
        for (sequence, operation) in operations.enumerated() where !known.contains(sequence) {
            let isBegun = began.contains(sequence)
            results.append(
                OperationResult(
                    sequence: sequence,
                    key: operation.key,
                    action: operation.action,
                    status: isBegun ? .unknown : .skipped,
                    id: operation.id,
                    error: isBegun ? "the state was lost before its outcome was written down" : "not started",
                    source: operation.source
                )
            )
        }
        results.sort { $0.sequence < $1.sequence }
        return results
    }
}
