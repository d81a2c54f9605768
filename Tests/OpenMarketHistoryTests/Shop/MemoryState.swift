import OpenMarket
import OpenMarketApply
import OpenMarketTestSupport
import Synchronization

/// What a state folder holds: a value, so that it can be lost, copied and put back.
struct StateFolder: Sendable {
    struct Run: Sendable {
        var record: RunRecord
        var operations: [JournalledRow]
        var finishedAt: Timestamp?
        var interrupted = false
        var totals = RunTotals()
    }

    /// An operation and what was written down about it.
    struct JournalledRow: Sendable {
        var operation: PlannedOperation
        var status = OperationStatus.intended
        var step: RequestStep?
        var stepSucceeded = false
        var highWater: ProductID?
        var created: ProductID?
        var sentAt: Timestamp?
        var message: String?

        var isUnsettled: Bool { [.sent, .advanced, .unknown].contains(status) }

        mutating func take(_ event: JournalEvent) {
            stepSucceeded = false
            message = nil
            switch event.fact {
            case .sent(let step, let newest):
                (status, self.step, sentAt) = (.sent, step, event.at)
                highWater = newest ?? highWater
            case .advanced(let step, let id):
                (status, self.step, stepSucceeded) = (.advanced, step, true)
                created = id ?? created
            case .succeeded(let id):
                status = .succeeded
                created = id ?? created
            case .failed(let why): (status, message) = (.failed, why)
            case .unknown(let step, let why): (status, self.step, message) = (.unknown, step, why)
            case .skipped(let why): (status, message) = (.skipped, why)
            }
        }
    }

    var snapshot = StateSnapshot()
    var runs: [Run] = []

    var unsettled: [(run: Run, row: JournalledRow, sequence: Int)] {
        runs.flatMap { run in
            run.operations.enumerated().filter { $0.element.isUnsettled }.map { (run, $0.element, $0.offset) }
        }
    }

    /// What `state export` and `state import` carry to another folder: no journal.
    var exported: StateFolder { StateFolder(snapshot: snapshot) }
}

/// A state in memory, whose process may die before or after any commit.
final class MemoryState: StateBackend {
    struct Conflict: Error {}

    private struct Contents {
        var folder: StateFolder
        /// Runs of this process: nothing of theirs is left over.
        var live: Set<RunID> = []
    }

    private let simulation: Simulation
    private let contents: Mutex<Contents>

    init(_ folder: StateFolder, simulation: Simulation) {
        self.simulation = simulation
        contents = Mutex(Contents(folder: folder))
    }

    var folder: StateFolder { contents.withLock { $0.folder } }
    var place: String { "memory" }

    func snapshot() async throws -> StateSnapshot { folder.snapshot }

    func apply(_ mutations: [StateMutation]) async throws {
        guard !mutations.isEmpty else { return }
        simulation.log("  state: \(mutations.map(\.summary))")
        try commit { contents in for mutation in mutations { contents.folder.snapshot.apply(mutation) } }
    }

    func begin(_ run: RunRecord, operations: [PlannedOperation]) async throws {
        try commit { contents in
            contents.live.insert(run.id)
            let rows = operations.map { StateFolder.JournalledRow(operation: $0) }
            contents.folder.runs.append(StateFolder.Run(record: run, operations: rows))
        }
    }

    func record(_ event: JournalEvent) async throws {
        simulation.log("  journal \(event.sequence): \(event.fact) \(event.mutations.map(\.summary))")
        try commit { contents in
            guard let run = contents.folder.runs.firstIndex(where: { $0.record.id == event.run }) else {
                throw Conflict()
            }
            contents.folder.runs[run].operations[event.sequence].take(event)
            for mutation in event.mutations { contents.folder.snapshot.apply(mutation) }
        }
    }

    func finish(_ run: RunID, totals: RunTotals, interrupted: Bool) async throws {
        let now = simulation.wall
        try commit { contents in
            contents.live.remove(run)
            guard let index = contents.folder.runs.firstIndex(where: { $0.record.id == run }) else { throw Conflict() }
            contents.folder.runs[index].finishedAt = now
            contents.folder.runs[index].interrupted = interrupted
            contents.folder.runs[index].totals = totals
        }
    }

    func unsettled() async throws -> [UnsettledOperation] {
        let (folder, live) = contents.withLock { ($0.folder, $0.live) }
        return folder.unsettled.compactMap { run, row, sequence in
            guard !live.contains(run.record.id), let step = row.step else { return nil }
            return UnsettledOperation(
                run: run.record.id,
                sequence: sequence,
                operation: row.operation,
                step: step,
                stepSucceeded: row.stepSucceeded,
                highWater: row.highWater,
                created: row.created,
                sentAt: row.sentAt ?? .epoch,
                runEndedAt: run.finishedAt
            )
        }
    }

    func runs(limit: Int) async throws -> [RunSummary] {
        folder.runs.reversed().prefix(limit).map { run in
            RunSummary(
                record: run.record,
                finishedAt: run.finishedAt,
                interrupted: run.interrupted,
                totals: run.totals,
                operations: run.operations.count,
                unsettled: run.operations.count(where: \.isUnsettled)
            )
        }
    }

    func operations(of run: RunID) async throws -> [JournalledOperation] {
        guard let run = folder.runs.first(where: { $0.record.id == run }) else { return [] }
        return run.operations.enumerated().map { sequence, row in
            JournalledOperation(
                run: run.record.id,
                startedAt: run.record.startedAt,
                sequence: sequence,
                operation: row.operation,
                status: row.status,
                step: row.step,
                product: row.created,
                sentAt: row.sentAt,
                message: row.message
            )
        }
    }

    private func commit(_ body: (inout Contents) throws -> Void) throws {
        guard simulation.survives() else { throw Crash() }
        try contents.withLock { try body(&$0) }
        guard simulation.survives() else { throw Crash() }
    }
}

extension StateMutation {
    fileprivate var summary: String {
        switch self {
        case .put(let entry): "\(entry.key) = \(entry.id)"
        default: "\(self)"
        }
    }
}
