/// Everything that a state knows of one market: ``StateSession/fill(with:)`` copies it into another state.
package struct StateArchive: Sendable {
    package struct Run: Hashable, Sendable {
        package var summary: RunSummary
        /// Its operations in their order; empty if they are not kept any more.
        package var operations: [Operation]
    }

    /// An operation, with the data to resolve it if its outcome is unknown.
    package struct Operation: Hashable, Sendable {
        package var journalled: JournalledOperation
        /// The data for resolving it; `nil` if there is nothing to resolve.
        package var unresolved: UnresolvedOperation?

        /// The operation; if it is unresolved, with all data for resolving it.
        package var operation: PlannedOperation { unresolved?.operation ?? journalled.operation }

        /// The last facts that were written about it, which contain everything known; the first has the number
        /// ``firstFact``.
        package var facts: [JournalEvent.Fact] {
            let message = journalled.message ?? ""
            // The product of an earlier step stays known when the next step's request is sent.
            let goesOn = [.sent, .unknown, .failed].contains(journalled.status)
            let made = goesOn ? journalled.product.map { JournalEvent.Fact.advanced(.create, created: $0) } : nil
            let sent = (unresolved?.step ?? journalled.step).map {
                JournalEvent.Fact.sent($0, highWater: unresolved?.highWater, imprint: unresolved?.imprint)
            }
            let last: JournalEvent.Fact? =
                switch journalled.status {
                case .intended, .sent: nil
                case .advanced: journalled.step.map { .advanced($0, created: journalled.product) }
                case .succeeded: .succeeded(journalled.product, note: journalled.message)
                case .failed: .failed(message)
                case .unknown: journalled.step.map { .unknown($0, message, answered: unresolved?.answered) }
                case .skipped: .skipped(message)
                }
            return [made, sent, last].compactMap(\.self)
        }

        /// The number of the first of ``facts``; earlier ones are not needed, but the next number has to follow the
        /// last.
        package var firstFact: Int { max(1, (unresolved?.facts ?? 0) - facts.count + 1) }
    }

    package var snapshot: StateSnapshot
    package var acceptedDescription: ContentDigest?
    /// The runs, the oldest first.
    package var runs: [Run]

    init(snapshot: StateSnapshot, acceptedDescription: ContentDigest?, runs: [Run]) {
        self.snapshot = snapshot
        self.acceptedDescription = acceptedDescription
        self.runs = runs
    }

    /// Reads everything that a state knows of a market, which has to be held meanwhile.
    package init(of session: any StateSession) async throws {
        var unresolved: [RunID: [Int: UnresolvedOperation]] = [:]
        let basis = try await session.basis()
        for open in basis.leftOver { unresolved[open.run, default: [:]][open.sequence] = open }
        var runs: [Run] = []
        for summary in try await session.runs(limit: .max).reversed() {
            let operations = try await session.operations(of: summary.record.id).map {
                Operation(journalled: $0, unresolved: unresolved[summary.record.id]?[$0.sequence])
            }
            runs.append(Run(summary: summary, operations: operations))
        }
        self.init(
            snapshot: basis.snapshot,
            acceptedDescription: try await session.acceptedDescription(),
            runs: runs
        )
    }
}
