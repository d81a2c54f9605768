/// A run lost its state: the session was replaced, or the state cannot be written any more.
///
/// What was done until then is known, and goes into the run's result; the state has the rest, for the next run to settle.
package struct LostRun: Error, Sendable {
    /// How the operations ended, as far as it was written down: the others are unknown where they were begun.
    package var result: RunResult
    /// What happened to the state.
    package var reason: StateError

    /// A run that ended early.
    init(result: RunResult, reason: StateError) {
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
    ///
    /// - Parameters:
    ///   - outcomes: What became of the operations of this session.
    ///   - journalled: What the journal says of the run's operations, where it can be read.
    /// - Returns: The results, in the run's order.
    func resultsSoFar(_ outcomes: RunOutcomes, _ journalled: [JournalledOperation]) -> [OperationResult] {
        var results = outcomes.takeResults()
        let known = Set(results.map(\.sequence))
        let begun = ledger.begunOperations
        let others = Dictionary(journalled.map { ($0.sequence, $0) }) { first, _ in first }
        let sequences = isBegunHere ? Array(operations.planned.indices) : begun.sorted()
        for sequence in sequences where !known.contains(sequence) {
            guard let operation = operations.assignment(sequence)?.operation else { continue }
            if begun.contains(sequence) {
                let why = "the state was lost before its outcome was written down"
                results.append(OperationResult(sequence, operation, .unknown, error: why))
            } else if let other = others[sequence] {
                results.append(OperationResult(other, operation))
            } else {
                results.append(OperationResult(sequence, operation, .skipped, error: "not started"))
            }
        }
        results.sort { $0.sequence < $1.sequence }
        return results
    }

    /// The result of the whole run, of which other sessions may have carried out a part.
    ///
    /// - Parameter own: What this session carried out.
    /// - Returns: The result.
    /// - Throws: ``StateError``.
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
        let summary = try await state.run(id)
        if let summary, summary.finishedAt != nil {
            result.totals = summary.totals
        } else {
            result.totals = RunTotals()
            for operation in result.operations { result.totals.count(operation.status) }
        }
        result.snapshot = try await state.snapshot()
        return result
    }
}

extension OperationResult {
    /// How an operation ended.
    fileprivate init(_ sequence: Int, _ operation: PlannedOperation, _ status: Status, error: String?) {
        self.init(
            sequence: sequence,
            key: operation.key,
            action: operation.action,
            status: status,
            id: operation.id,
            error: error,
            source: operation.source
        )
    }

    /// How an operation ended that another session carried out.
    fileprivate init(_ journalled: JournalledOperation, _ operation: PlannedOperation) {
        let status: Status =
            switch journalled.status {
            case .succeeded: .done
            case .failed: .failed
            case .sent, .advanced, .unknown: .unknown
            case .intended, .skipped: .skipped
            }
        self.init(journalled.sequence, operation, status, error: journalled.message)
        id = journalled.product ?? operation.id
        if journalled.status == .intended { error = "not started" }
    }
}
