import OpenMarket

/// All that is kept of one market: a value, so that it can be lost, copied and put back.
struct MarketRecords: Sendable {
    /// A run and what became of its operations.
    struct Run: Sendable {
        /// How it was announced.
        var record: RunRecord
        var startedAt: Timestamp
        /// What it was to do; empty when that is not kept any more.
        var operations: [Row]
        /// When it was closed.
        var finishedAt: Timestamp?
        /// Whether the user broke it off.
        var interrupted = false
        /// How its operations ended.
        var totals = RunTotals()
        /// Its parts, where several sessions may carry it out.
        var chunks: [Chunk] = []
        /// The sessions that take part in it, or did.
        var participants: [RunUnderWay.Participant] = []
        /// Why nothing more of it is sent.
        var stop: String?
        /// In which time its sessions together begin at most one request; zero for no limit.
        var interval = Duration.zero
        /// How many operations the sessions that left found to be stale, which no fact says.
        var stale = 0
    }

    /// A part of a run, and how far it is.
    struct Chunk: Sendable {
        var cut: RunChunk
        /// The session that has it, or had it last.
        var session: Int64?
        var progress = 0
    }

    /// A product that a session made after its end.
    struct Orphan: Sendable {
        var id: MarketID
        var run: RunID
        var sequence: Int
    }

    /// An operation and what was written down about it.
    struct Row: Sendable {
        /// What was to be done.
        var operation: PlannedOperation
        /// What was written down, in order.
        var facts: [JournalEvent.Fact] = []
        /// When its last request left.
        var sentAt: Timestamp?
        /// What makes its last request the same when it is sent again.
        var imprint: RequestImprint?
        /// When a request of this repeat key first left.
        var imprintedAt: Timestamp?

        /// How far it came.
        var status: OperationStatus { facts.last?.status ?? .intended }

        /// Whether its outcome is not known.
        var isUnresolved: Bool { OperationStatus.unresolved.contains(status) }

        /// The last step that a request left for, or that succeeded.
        var step: RequestStep? {
            facts.lazy.reversed().compactMap { fact in
                switch fact {
                case .sent(let step, _, _), .advanced(let step, _), .unknown(let step, _, _): step
                case .succeeded, .failed, .skipped: nil
                }
            }.first
        }

        /// The newest id known before a create was sent.
        var highWater: MarketID? {
            facts.lazy.reversed().compactMap { if case .sent(_, let newest, _) = $0 { newest } else { nil } }.first
        }

        /// The product that it made or changed.
        var created: MarketID? {
            facts.lazy.reversed().compactMap { fact in
                switch fact {
                case .advanced(_, let id), .succeeded(let id): id
                case .sent, .unknown, .failed, .skipped: nil
                }
            }.first
        }

        /// The product that a reply to its create named, and that could not be taken for the new one.
        var answered: MarketID? {
            facts.lazy.reversed().compactMap { if case .unknown(_, _, let id) = $0 { id } else { nil } }.first
        }

        /// Whether a later run sent its request again, and was killed before it heard of it.
        func wasSentAgain(after end: Timestamp?) -> Bool {
            guard status == .sent, let sentAt, let end else { return false }
            return sentAt > end
        }

        mutating func take(_ fact: JournalEvent.Fact, at now: Timestamp) {
            facts.append(fact)
            switch fact {
            case .sent(_, _, let imprint):
                sentAt = now
                guard let imprint else { break }
                if imprintedAt == nil || imprint.repeatKey != self.imprint?.repeatKey { imprintedAt = now }
                self.imprint = imprint
            case .advanced, .unknown: sentAt = sentAt ?? now
            case .succeeded, .failed, .skipped: break
            }
        }
    }

    var snapshot = StateSnapshot()
    /// The description that was accepted for the market.
    var acceptedDescription: ContentDigest?
    /// Where the state goes on.
    var movedTo: StateLocation?
    /// The runs, the oldest first.
    var runs: [Run] = []
    /// Products that sessions made after their end.
    var orphans: [Orphan] = []
    /// Runs of the sessions under way that go on: nothing of theirs is left over.
    var liveRuns: Set<RunID> = []

    init(snapshot: StateSnapshot = StateSnapshot()) {
        self.snapshot = snapshot
    }

    /// All operations whose outcome is not known, in the order of their runs.
    var unresolved: [UnresolvedOperation] {
        runs.flatMap { run in
            run.operations.enumerated().compactMap { sequence, row in
                guard row.isUnresolved, let step = row.step else { return nil }
                return UnresolvedOperation(
                    run: run.record.id,
                    sequence: sequence,
                    facts: row.facts.count,
                    operation: row.operation,
                    step: step,
                    stepSucceeded: row.status == .advanced,
                    highWater: row.highWater,
                    created: row.created,
                    answered: row.answered,
                    sentAt: row.sentAt ?? run.startedAt,
                    runEndedAt: row.wasSentAgain(after: run.finishedAt) ? nil : run.finishedAt,
                    imprint: row.imprint,
                    imprintedAt: row.imprintedAt,
                    isUnderWay: liveRuns.contains(run.record.id)
                )
            }
        }
    }

    // MARK: - Changes

    /// Carries out a change.
    ///
    /// - Throws: `StateError`, `conflict` where a rename would cover another product.
    mutating func apply(_ mutation: StateMutation) throws(StateError) {
        if case .rename(let old, let new) = mutation {
            guard old != new, snapshot.entries[old] != nil else { return }
            guard snapshot.entries[new] == nil else { throw .takenKey(old, new) }
        }
        snapshot.apply(mutation)
    }

    /// Makes sure that no outcome is unknown about some keys, or about any.
    ///
    /// - Throws: `StateError`, `unresolved`.
    func requireSettled(_ keys: [String]?) throws(StateError) {
        for open in unresolved where keys?.contains(open.operation.key) ?? true {
            throw .unresolved(open.operation.key, open.run)
        }
    }

    /// Writes a fact, unless it is there already.
    ///
    /// - Throws: `StateError`, `conflict`.
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
        // What one process cannot know: the product is another session's by now.
        for case .put(let entry) in event.mutations {
            let other = snapshot.entries.values.first { $0.id == entry.id && $0.key != entry.key }
            if let other { throw .taken(entry.id, by: other.key) }
        }
    }

    /// Takes over all that another state knows.
    mutating func fill(with archive: StateArchive) {
        snapshot = archive.snapshot
        acceptedDescription = archive.acceptedDescription
        runs = archive.runs.map { archived in
            let rows = archived.operations.map { archived in
                var row = Row(operation: archived.operation)
                let facts = archived.facts
                // Only the last ones say anything; the numbers of those to come follow from how many there are.
                if let first = facts.first {
                    row.facts = Array(repeating: first, count: archived.firstFact - 1) + facts
                }
                row.sentAt = archived.journalled.sentAt
                row.imprint = archived.unresolved?.imprint
                row.imprintedAt = archived.unresolved?.imprintedAt
                return row
            }
            let summary = archived.summary
            var run = Run(record: summary.record, startedAt: summary.startedAt, operations: rows)
            run.finishedAt = summary.finishedAt
            run.interrupted = summary.interrupted
            run.totals = summary.totals
            return run
        }
    }

    /// Drops the operations of all but the newest runs, except of runs with one whose outcome is not known.
    mutating func prune(keeping count: Int) {
        for index in runs.indices.dropLast(count) where !liveRuns.contains(runs[index].record.id) {
            let id = runs[index].record.id
            guard !orphans.contains(where: { $0.run == id }) else { continue }
            if !runs[index].operations.contains(where: \.isUnresolved) { runs[index].operations = [] }
        }
    }
}
