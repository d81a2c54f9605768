/// All that a state knows of one market: what ``StateSession/fill(with:)`` puts into another state.
package struct StateArchive: Sendable {
    /// A run and its operations.
    package struct Run: Hashable, Sendable {
        /// How it was opened and how it ended.
        package var summary: RunSummary
        /// Its operations in their order; none where they are not kept any more.
        package var operations: [Operation]

        /// A run.
        init(summary: RunSummary, operations: [Operation]) {
            self.summary = summary
            self.operations = operations
        }
    }

    /// An operation, and what settling it needs where its outcome is not known.
    package struct Operation: Hashable, Sendable {
        /// How far it came.
        package var journalled: JournalledOperation
        /// What settling it needs; `nil` where nothing is left to settle.
        package var unresolved: UnresolvedOperation?

        /// An operation.
        init(journalled: JournalledOperation, unresolved: UnresolvedOperation? = nil) {
            self.journalled = journalled
            self.unresolved = unresolved
        }

        /// What was to be done: of an unresolved one with all that settling it needs.
        package var operation: PlannedOperation { unresolved?.operation ?? journalled.operation }

        /// The last facts that were written about it, which say all that is known; the first has the number ``firstFact``.
        package var facts: [JournalEvent.Fact] {
            let message = journalled.message ?? ""
            // The product of an earlier step stays known when a request leaves for the next one.
            let goesOn = [.sent, .unknown, .failed].contains(journalled.status)
            let made = goesOn ? journalled.product.map { JournalEvent.Fact.advanced(.create, created: $0) } : nil
            let sent = (unresolved?.step ?? journalled.step).map {
                JournalEvent.Fact.sent($0, highWater: unresolved?.highWater, imprint: unresolved?.imprint)
            }
            let last: JournalEvent.Fact? =
                switch journalled.status {
                case .intended, .sent: nil
                case .advanced: journalled.step.map { .advanced($0, created: journalled.product) }
                case .succeeded: .succeeded(journalled.product)
                case .failed: .failed(message)
                case .unknown: journalled.step.map { .unknown($0, message, answered: unresolved?.answered) }
                case .skipped: .skipped(message)
                }
            return [made, sent, last].compactMap(\.self)
        }

        /// The number of the first of ``facts``: those before it are not needed, but the next has to follow the last.
        package var firstFact: Int { max(1, (unresolved?.facts ?? 0) - facts.count + 1) }
    }

    /// What is known of the products.
    package var snapshot: StateSnapshot
    /// The description that was accepted for the market.
    package var acceptedDescription: ContentDigest?
    /// The runs, the oldest first.
    package var runs: [Run]

    /// An archive.
    init(snapshot: StateSnapshot, acceptedDescription: ContentDigest?, runs: [Run]) {
        self.snapshot = snapshot
        self.acceptedDescription = acceptedDescription
        self.runs = runs
    }

    /// Reads all that a state knows of a market, which has to be held meanwhile.
    ///
    /// - Throws: ``StateError``.
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
