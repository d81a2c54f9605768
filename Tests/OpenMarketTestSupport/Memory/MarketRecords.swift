@testable import OpenMarket

/// All that is kept of one market: a value, so that it can be lost, copied and restored.
struct MarketRecords: Sendable {
    struct Run: Sendable {
        var record: RunRecord
        var startedAt: Timestamp
        /// Its operations; empty if they are not kept any more.
        var operations: [Row]
        var finishedAt: Timestamp?
        var interrupted = false
        var totals = RunTotals()
        /// Its parts, if several sessions may carry it out.
        var chunks: [Chunk] = []
        /// The sessions that take part in it, or did.
        var participants: [RunUnderWay.Participant] = []
        /// Why no more of it is sent.
        var stop: String?
        /// The time in which its sessions together begin at most one request; zero for no limit.
        var interval = Duration.zero
        /// How many operations the sessions that left found to be stale, which no fact records.
        var stale = 0
    }

    struct Chunk: Sendable {
        var cut: RunChunk
        /// The session that has it, or had it last.
        var session: Int64?
        var progress = 0
    }

    /// A product that a session created after its end.
    struct Orphan: Sendable {
        var id: MarketID
        var run: RunID
        var sequence: Int
    }

    struct Row: Sendable {
        var operation: PlannedOperation
        /// The recorded facts, in order.
        var facts: [JournalEvent.Fact] = []
        var progress = OperationProgress()

        var status: OperationStatus { progress.status }

        mutating func take(_ fact: JournalEvent.Fact, at now: Timestamp) {
            facts.append(fact)
            progress.take(fact, number: facts.count, at: now)
        }
    }

    var snapshot = StateSnapshot()
    var acceptedDescription: ContentDigest?
    /// Where the state has moved.
    var movedTo: StateLocation?
    /// The runs, oldest first.
    var runs: [Run] = []
    /// Products that sessions created after their end.
    var orphans: [Orphan] = []
    /// Runs of active sessions: none of their operations is left over.
    var liveRuns: Set<RunID> = []

    /// All operations with unknown outcome, in the order of their runs.
    var unresolved: [UnresolvedOperation] {
        runs.flatMap { run in
            run.journalled.compactMap { try? $0.unresolved(isUnderWay: liveRuns.contains(run.record.id)) }
        }
    }

    // MARK: - Changes

    /// Applies a change; throws `StateError` with code `conflict` if a rename would cover another product.
    mutating func apply(_ mutation: StateMutation) throws(StateError) {
        if case .rename(let old, let new) = mutation {
            guard old != new, snapshot.entries[old] != nil else { return }
            guard snapshot.entries[new] == nil else { throw .takenKey(old, new) }
        }
        snapshot.apply(mutation)
    }

    /// Writes a fact, unless it exists already; throws `StateError` with code `conflict`.
    mutating func take(_ event: JournalEvent, at now: Timestamp) throws(StateError) {
        guard let run = runs.firstIndex(where: { $0.record.id == event.run }) else { throw .unknownRun(event.run) }
        guard runs[run].operations.indices.contains(event.sequence) else {
            throw .unknownOperation(event.sequence, event.run)
        }
        let facts = runs[run].operations[event.sequence].facts
        guard event.number == facts.count + 1 else {
            guard event.number == facts.count, event.fact == facts.last else {
                throw .misnumbered(event, after: facts.count)
            }
            return
        }
        runs[run].operations[event.sequence].take(event.fact, at: now)
        for mutation in event.mutations { try apply(mutation) }
        guard !runs[run].chunks.isEmpty else { return }
        // One process cannot know this: the product is another session's by now.
        for case .put(let entry) in event.mutations {
            let other = snapshot.entries.values.first { $0.id == entry.id && $0.key != entry.key }
            if let other { throw .taken(entry.id, by: other.key) }
        }
    }

    /// Takes over all that another state knows.
    mutating func fill(with archive: StateArchive, _ operations: [RunID: [JournalledOperation]]) {
        snapshot = archive.snapshot
        acceptedDescription = archive.acceptedDescription
        runs = archive.runs.map { summary in
            let rows = (operations[summary.record.id] ?? []).map { archived in
                var row = Row(operation: archived.operation, progress: archived.progress)
                let facts = archived.progress.lastFacts
                // Only the last facts matter; the numbers of later ones follow from the count.
                if let first = facts.first {
                    row.facts = Array(repeating: first, count: archived.progress.firstFact - 1) + facts
                }
                return row
            }
            var run = Run(record: summary.record, startedAt: summary.startedAt, operations: rows)
            run.finishedAt = summary.finishedAt
            run.interrupted = summary.interrupted
            run.totals = summary.totals
            return run
        }
    }

    /// Drops the operations of all but the newest runs, except of runs with an unknown outcome.
    mutating func prune(keeping count: Int) {
        for index in runs.indices.dropLast(count) where !liveRuns.contains(runs[index].record.id) {
            let id = runs[index].record.id
            guard !orphans.contains(where: { $0.run == id }) else { continue }
            if !runs[index].operations.contains(where: \.progress.isUnresolved) { runs[index].operations = [] }
        }
    }
}
