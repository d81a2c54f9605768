import OpenMarket
import OpenMarketApply
import OpenMarketTestSupport
import Synchronization

/// A journal and state that survive every crash, and may be where it happens: before or after a commit.
final class InMemoryJournal: Journal {
    struct Entry {
        var run: RunID
        var sequence: Int
        var operation: PlannedOperation
        var facts: [JournalEvent.Fact] = []
        var sentAt = Timestamp.epoch
    }

    private struct State {
        var snapshot = StateSnapshot()
        var entries: [Entry] = []
        var index: [RunID: Int] = [:]
        var lastCommit: Duration = .zero
        var totals: [RunID: RunTotals] = [:]
    }

    private let simulation: Simulation
    private let state = Mutex(State())

    init(simulation: Simulation) {
        self.simulation = simulation
    }

    var snapshot: StateSnapshot { state.withLock { $0.snapshot } }
    var entries: [Entry] { state.withLock { $0.entries } }
    var lastCommit: Duration { state.withLock { $0.lastCommit } }

    func totals(_ run: RunID) -> RunTotals? { state.withLock { $0.totals[run] } }

    /// The facts of one operation of a run.
    func facts(_ run: RunID, _ sequence: Int) -> [JournalEvent.Fact] {
        state.withLock { $0.entries.first { $0.run == run && $0.sequence == sequence }?.facts ?? [] }
    }

    func apply(_ mutations: [StateMutation]) {
        state.withLock { state in
            for mutation in mutations { state.snapshot.apply(mutation) }
        }
    }

    func begin(_ run: RunRecord, operations: [PlannedOperation]) async throws {
        try commit { state in
            state.index[run.id] = state.entries.count
            for (sequence, operation) in operations.enumerated() {
                state.entries.append(Entry(run: run.id, sequence: sequence, operation: operation))
            }
        }
    }

    func record(_ event: JournalEvent) async throws {
        let now = simulation.now
        simulation.log("\(event.run)/\(event.sequence) \(event.fact) \(event.mutations.map(\.summary))")
        try commit { state in
            guard let start = state.index[event.run] else { return }
            state.entries[start + event.sequence].facts.append(event.fact)
            if case .sent = event.fact { state.entries[start + event.sequence].sentAt = event.at }
            for mutation in event.mutations { state.snapshot.apply(mutation) }
            state.lastCommit = now
        }
    }

    func finish(_ run: RunID, totals: RunTotals, interrupted: Bool) async throws {
        try commit { $0.totals[run] = totals }
    }

    func unsettled() async throws -> [UnsettledOperation] {
        entries.compactMap(\.unsettled)
    }

    private func commit(_ body: (inout State) -> Void) throws {
        guard simulation.survives() else { throw Crash() }
        state.withLock { body(&$0) }
        guard simulation.survives() else { throw Crash() }
    }
}

extension InMemoryJournal.Entry {
    var unsettled: UnsettledOperation? {
        let (step, succeeded): (RequestStep, Bool)
        switch facts.last {
        case nil, .succeeded, .failed, .skipped: return nil
        case .sent(let last, _), .unknown(let last, _): (step, succeeded) = (last, false)
        case .advanced(let last, _): (step, succeeded) = (last, true)
        }
        var highWater: ProductID?
        var created: ProductID?
        for fact in facts {
            if case .sent(.create, let newest) = fact { highWater = newest }
            if case .advanced(_, let id?) = fact { created = id }
        }
        return UnsettledOperation(
            run: run,
            sequence: sequence,
            operation: operation,
            step: step,
            stepSucceeded: succeeded,
            highWater: highWater,
            created: created,
            sentAt: sentAt
        )
    }
}

extension StateMutation {
    var summary: String {
        switch self {
        case .put(let entry): "put \(entry.key) = \(entry.id)"
        case .remove(let key): "remove \(key)"
        case .release(let key, let id): "release \(key) = \(id)"
        case .rename(let from, let to): "rename \(from) \(to)"
        case .vendor(let id): "vendor \(id)"
        }
    }
}
