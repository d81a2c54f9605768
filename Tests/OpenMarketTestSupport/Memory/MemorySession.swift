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
        try backend.commit(scope, number, "state: \(mutations.map(\.summary))") { records, _, _ in
            for mutation in mutations { try records.apply(mutation) }
        }
    }

    func accept(_ description: ContentDigest) async throws {
        try backend.commit(scope, number, "accept \(description)") { records, _, _ in
            records.acceptedDescription = description
        }
    }

    func fill(with archive: StateArchive) async throws {
        var operations: [RunID: [JournalledOperation]] = [:]
        for run in archive.runs.map(\.record.id) { operations[run] = try await archive.operations(of: run) }
        try backend.commit(scope, number, "fill \(archive.snapshot.entries.count)") { records, _, _ in
            guard records.snapshot.entries.isEmpty, records.runs.isEmpty else { throw StateError.isNotEmpty(location) }
            records.fill(with: archive, operations)
        }
    }

    func retire(to location: StateLocation) async throws {
        try backend.commit(scope, number, "retire to \(location)") { records, _, _ in records.movedTo = location }
    }

    func begin(_ run: RunRecord, operations: [PlannedOperation], chunks: [RunChunk]) async throws {
        try backend.commit(scope, number, "begin \(run.id)") { records, now, _ in
            guard !records.runs.contains(where: { $0.record.id == run.id }) else {
                throw StateError(.conflict, "the journal already has a run \(run.id)")
            }
            records.liveRuns.insert(run.id)
            let rows = operations.map { MarketRecords.Row(operation: $0) }
            var begun = MarketRecords.Run(record: run, startedAt: now, operations: rows)
            begun.chunks = chunks.map { MarketRecords.Chunk(cut: $0) }
            records.runs.append(begun)
        }
        if !chunks.isEmpty { backend.takePart(scope, number, in: run.id) }
    }

    func record(_ events: [JournalEvent]) async throws -> StateDirectives {
        var orders = StateDirectives.proceed
        for event in events {
            orders = try backend.commit(
                scope,
                number,
                "journal \(event.sequence): \(event.fact) \(event.mutations.map(\.summary))"
            ) { records, now, _ in try records.take(event, at: now) }
        }
        return orders
    }

    func finish(_ run: RunID, totals: RunTotals, interrupted: Bool) async throws {
        let isLast = try backend.leave(scope, number, run)
        try backend.commit(scope, number, "finish \(run)") { records, now, _ in
            try records.finish(run, totals, interrupted: interrupted, isLast: isLast, at: now)
            if isLast { records.prune(keeping: backend.keptRuns) }
        }
    }

    // MARK: Runs that several sessions share

    var takeoverDelay: Duration? { backend.sharesRuns ? backend.takeoverDelay : nil }

    func waitForStop() async -> String? { await backend.waitForStop(scope, number) }

    func claim() async throws -> RunClaim { try backend.claim(scope, number) }

    func finish(_ chunk: Int, as progress: ChunkProgress) async throws {
        try backend.finish(scope, number, chunk, as: progress)
    }

    func order(_ order: RunOrder, in run: RunID) async throws {
        if case .pause(let duration) = order { return try backend.pause(scope, number, for: duration) }
        try backend.commit(scope, number, "order \(run): \(order)") { records, _, _ in
            guard let index = records.runs.firstIndex(where: { $0.record.id == run }) else {
                throw StateError.unknownRun(run)
            }
            switch order {
            case .stop(let reason): records.runs[index].stop = records.runs[index].stop ?? reason
            case .limit(let interval): records.runs[index].interval = max(records.runs[index].interval, interval)
            case .pause: break
            }
        }
        backend.wakeStopped()
    }

    func recordOrphan(_ product: MarketID, of sequence: Int, in run: RunID) async throws {
        backend.contents.withLock { contents in
            guard contents.markets[scope]?.orphans.contains(where: { $0.id == product }) == false else { return }
            contents.markets[scope]?.orphans.append(MarketRecords.Orphan(id: product, run: run, sequence: sequence))
        }
    }

    func dropOrphans(_ products: [MarketID]) async throws {
        guard !products.isEmpty else { return }
        try backend.commit(scope, number, "drop orphans \(products)") { records, _, _ in
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
