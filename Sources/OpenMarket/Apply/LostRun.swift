/// A run lost its state: the session was replaced, or the state can no longer be written.
///
/// The known outcomes are in the result. The state has the rest, which the next run settles.
package struct LostRun: Error, Sendable {
    /// The recorded outcomes; those of other begun operations are unknown.
    package var result: RunResult
    package var reason: StateError
}

extension StateError {
    /// Whether the error ends a run whose state was usable before.
    var losesRun: Bool { code == .superseded || code == .io }
}

extension ExecutionRun {
    func result(_ operations: [OperationResult]) -> RunResult {
        RunResult(
            run: id,
            totals: RunTotals(operations),
            operations: operations,
            endedBy: drain.reason,
            snapshot: ledger.snapshot
        )
    }

    /// The results in the run's order, when recording has failed for good.
    ///
    /// `outcomes` are those of this session. `journalled` has the run's operations in the journal, if it can be read.
    func resultsSoFar(_ outcomes: RunOutcomes, _ journalled: [JournalledOperation]) -> [OperationResult] {
        var results = outcomes.takeResults()
        let known = Set(results.map(\.sequence))
        let begun = ledger.begunOperations
        let others = Dictionary(journalled.map { ($0.sequence, $0) }) { first, _ in first }
        let sequences = isBegunHere ? Array(operations.planned.indices) : begun.sorted()
        for sequence in sequences where !known.contains(sequence) {
            guard let operation = operations.assignment(sequence)?.operation else { continue }
            let why = "the state was lost before its outcome was recorded"
            let other = others[sequence].map { OperationResult($0, operation) }
            results.append(
                begun.contains(sequence)
                    ? OperationResult(sequence, operation, .unknown, error: why)
                    : other ?? OperationResult(sequence, operation, .skipped, error: "not started")
            )
        }
        results.sort { $0.sequence < $1.sequence }
        return results
    }

    /// The result of the whole run, including the parts that other sessions applied; throws ``StateError``.
    func completed(_ own: RunResult) async throws -> RunResult {
        guard own.operations.count < operations.planned.count else { return own }
        let known = Set(own.operations.map(\.sequence))
        var result = own
        for other in try await state.operations(of: id) where !known.contains(other.sequence) {
            guard operations.planned.indices.contains(other.sequence) else { continue }
            let ended = OperationResult(other, operations.planned[other.sequence])
            result.operations.append(ended)
            onEvent(.finished(ended))
        }
        result.operations.sort { $0.sequence < $1.sequence }
        let summary = try await state.run(id).flatMap { $0.finishedAt == nil ? nil : $0 }
        result.totals = summary?.totals ?? RunTotals(result.operations)
        result.snapshot = try await state.snapshot()
        return result
    }
}

extension OperationResult {
    fileprivate init(_ journalled: JournalledOperation, _ operation: PlannedOperation) {
        self.init(journalled.sequence, operation, Status(journalled.status), error: journalled.message)
        id = journalled.product ?? operation.id
        if journalled.status == .intended { error = "not started" }
    }
}
