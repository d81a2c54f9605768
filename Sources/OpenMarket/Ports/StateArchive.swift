/// Everything that a state knows of one market: ``StateSession/fill(with:)`` copies it into another state.
package struct StateArchive: Sendable {
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
    package var runs: [RunSummary]
    package var unresolved: [UnresolvedOperation]
    private let session: any StateSession

    /// Reads what a state knows of a market, which has to be held as long as the archive is used.
    package init(of session: any StateSession) async throws {
        let basis = try await session.basis()
        snapshot = basis.snapshot
        unresolved = basis.leftOver
        acceptedDescription = try await session.acceptedDescription()
        runs = try await session.runs(limit: .max).reversed()
        self.session = session
    }

    /// The operations of a run in their order, read now; empty if they are not kept any more.
    package func operations(of run: RunID) async throws -> [Operation] {
        let open = Dictionary(unresolved.filter { $0.run == run }.map { ($0.sequence, $0) }) { $1 }
        return try await session.operations(of: run).map {
            Operation(journalled: $0, unresolved: open[$0.sequence])
        }
    }
}
