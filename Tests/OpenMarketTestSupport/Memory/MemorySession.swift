@testable import OpenMarket
import Synchronization

struct MemorySession: StateSession, MemoryReading {
    let backend: MemoryState
    let scope: MarketScope
    let number: Int64

    var lease: StateLease {
        get async throws { try backend.lease(scope, number) }
    }

    var timeToSend: Duration? { backend.timeToSend(scope, number) }

    func apply(_ mutations: [StateMutation]) async throws {
        guard !mutations.isEmpty else { return }
        try backend.commit(scope, number, "state: \(mutations.map(\.summary))") { records, _ in
            for mutation in mutations { try records.apply(mutation) }
        }
    }

    func accept(_ description: ContentDigest) async throws {
        try backend.commit(scope, number, "accept \(description)") { records, _ in
            records.acceptedDescription = description
        }
    }

    func forget(_ key: String) async throws -> StateEntry {
        let key = key.composed
        var forgotten: StateEntry?
        try backend.commit(scope, number, "forget \(key)") { records, _ in
            forgotten = records.snapshot.entries[key]
            guard forgotten != nil else { throw StateError.unknownKey(key) }
            try records.requireSettled([key])
            try records.apply(.remove(key: key))
        }
        guard let forgotten else { throw StateError.unknownKey(key) }
        return forgotten
    }

    func move(from old: String, to new: String) async throws {
        let (old, new) = (old.composed, new.composed)
        try backend.commit(scope, number, "move \(old) \(new)") { records, _ in
            guard records.snapshot.entries[old] != nil else { throw StateError.unknownKey(old) }
            guard old != new else { return }
            try records.requireSettled([old, new])
            try records.apply(.rename(from: old, to: new))
        }
    }

    func replace(with entries: [StateEntry], vendorID: Int64?, overwriting: Bool) async throws {
        try backend.commit(scope, number, "replace \(entries.count)") { records, _ in
            let count = records.snapshot.entries.count
            guard count == 0 || overwriting else { throw StateError.wouldOverwrite(count) }
            try records.requireSettled(nil)
            records.snapshot.entries = StateEntries(entries.map { ($0.key, $0) }) { $1 }
            records.snapshot.vendorID = vendorID ?? records.snapshot.vendorID
        }
    }

    func fill(with archive: StateArchive) async throws {
        var operations: [RunID: [StateArchive.Operation]] = [:]
        for run in archive.runs.map(\.record.id) { operations[run] = try await archive.operations(of: run) }
        try backend.commit(scope, number, "fill \(archive.snapshot.entries.count)") { records, _ in
            guard records.snapshot.entries.isEmpty, records.runs.isEmpty else { throw StateError.isNotEmpty(location) }
            records.fill(with: archive, operations)
        }
    }

    func retire(to location: StateLocation) async throws {
        try backend.commit(scope, number, "retire to \(location)") { records, _ in records.movedTo = location }
    }

    func begin(_ run: RunRecord, operations: [PlannedOperation]) async throws {
        try await begin(run, operations: operations, chunks: [])
    }

    func begin(_ run: RunRecord, operations: [PlannedOperation], chunks: [RunChunk]) async throws {
        try backend.commit(scope, number, "begin \(run.id)") { records, now in
            guard !records.runs.contains(where: { $0.record.id == run.id }) else {
                throw StateError(.conflict, "the journal knows a run \(run.id) already")
            }
            records.liveRuns.insert(run.id)
            let rows = operations.map { MarketRecords.Row(operation: $0) }
            var begun = MarketRecords.Run(record: run, startedAt: now, operations: rows)
            begun.chunks = chunks.map { MarketRecords.Chunk(cut: $0) }
            records.runs.append(begun)
        }
        if !chunks.isEmpty { backend.takePart(scope, number, in: run.id) }
    }

    func record(_ event: JournalEvent) async throws -> StateOrders {
        try backend.commit(scope, number, "journal \(event.sequence): \(event.fact) \(event.mutations.map(\.summary))")
        { records, now in try records.take(event, at: now) }
    }

    func finish(_ run: RunID, totals: RunTotals, interrupted: Bool) async throws {
        let isLast = try backend.leave(scope, number, run)
        try backend.commit(scope, number, "finish \(run)") { records, now in
            try records.finish(run, totals, interrupted: interrupted, isLast: isLast, at: now)
            if isLast { records.prune(keeping: backend.keptRuns) }
        }
    }

    // MARK: Runs that several sessions share

    var sharesRuns: Bool { backend.sharesRuns }

    var takeoverDelay: Duration { backend.takeoverDelay }

    func stopOrdered() async -> String? { await backend.stopOrdered(scope, number) }

    func claim() async throws -> RunClaim { try backend.claim(scope, number) }

    func finish(_ chunk: Int, as progress: ChunkProgress) async throws {
        try backend.finish(scope, number, chunk, as: progress)
    }

    func stop(_ run: RunID, because reason: String) async throws {
        try backend.commit(scope, number, "stop \(run): \(reason)") { records, _ in
            guard let index = records.runs.firstIndex(where: { $0.record.id == run }) else {
                throw StateError.unknownRun(run)
            }
            records.runs[index].stop = records.runs[index].stop ?? reason
        }
        backend.wakeStopped()
    }

    func limit(_ run: RunID, toOneRequestIn interval: Duration) async throws {
        try backend.commit(scope, number, "limit \(run) to one request in \(interval)") { records, _ in
            guard let index = records.runs.firstIndex(where: { $0.record.id == run }) else {
                throw StateError.unknownRun(run)
            }
            records.runs[index].interval = max(records.runs[index].interval, interval)
        }
    }

    func pause(for duration: Duration) async throws { try backend.pause(scope, number, for: duration) }

    func disown(_ product: MarketID, of sequence: Int, in run: RunID) async throws {
        backend.contents.withLock { contents in
            guard contents.markets[scope]?.orphans.contains(where: { $0.id == product }) == false else { return }
            contents.markets[scope]?.orphans.append(MarketRecords.Orphan(id: product, run: run, sequence: sequence))
        }
    }

    func dropOrphans(_ products: [MarketID]) async throws {
        guard !products.isEmpty else { return }
        try backend.commit(scope, number, "drop orphans \(products)") { records, _ in
            records.orphans.removeAll { products.contains($0.id) }
        }
    }

    func close() async {
        backend.release(scope, number)
    }
}

extension StateMutation {
    /// The change as a phrase for messages.
    fileprivate var summary: String {
        if case .put(let entry) = self { "\(entry.key) = \(entry.id)" } else { "\(self)" }
    }
}
