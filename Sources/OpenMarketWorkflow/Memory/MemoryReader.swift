import OpenMarket

/// A market's state in memory, to be read.
protocol MemoryReading: StateReader {
    var backend: MemoryState { get }
}

struct MemoryReader: MemoryReading {
    let backend: MemoryState
    let scope: MarketScope

    func close() async {}
}

extension MemoryReading {
    var location: StateLocation { backend.location }

    var exists: Bool {
        get async throws { try await !backend.markets().isEmpty }
    }

    var now: Timestamp {
        get async throws { backend.wallTime() }
    }

    func acceptedDescription() async throws -> ContentDigest? {
        backend.look(scope) { $0.acceptedDescription }
    }

    func snapshot() async throws -> StateSnapshot {
        backend.look(scope) { $0.snapshot }
    }

    func entry(_ key: String) async throws -> StateEntry? {
        backend.look(scope) { $0.snapshot.entries[key.composed] }
    }

    func keys() async throws -> ProductKeys {
        var keys = ProductKeys()
        let entries = backend.look(scope) { Array($0.snapshot.entries.values) }
        let sorted = entries.sorted { left, right in
            left.id == right.id ? left.key < right.key : MarketID.precedes(left.id, right.id)
        }
        for entry in sorted { keys.append(entry.id, entry.key) }
        return keys
    }

    func unresolved() async throws -> [UnresolvedOperation] {
        backend.look(scope) { $0.unresolved }.filter { !backend.isLive($0.run, scope) }
    }

    func settlementBasis() async throws -> SettlementBasis {
        backend.look(scope) {
            SettlementBasis(snapshot: $0.snapshot, unresolved: $0.unresolved, now: backend.wallTime())
        }
    }

    func runs(limit: Int) async throws -> [RunSummary] {
        backend.look(scope) { $0.runs }.reversed().prefix(limit).map { run in
            RunSummary(
                record: run.record,
                startedAt: run.startedAt,
                finishedAt: run.finishedAt,
                interrupted: run.interrupted,
                totals: run.totals,
                operations: run.operations.count,
                unresolved: run.operations.count(where: \.isUnresolved)
            )
        }
    }

    func operations(of run: RunID) async throws -> [JournalledOperation] {
        backend.look(scope) { $0.runs.first { $0.record.id == run }?.journalled ?? [] }
    }

    func history(of key: String) async throws -> [JournalledOperation] {
        let key = key.composed
        return backend.look(scope) { $0.runs }.reversed().flatMap { $0.journalled.reversed() }
            .filter { $0.operation.key == key }
    }
}

extension MarketRecords.Run {
    fileprivate var journalled: [JournalledOperation] {
        operations.enumerated().map { sequence, row in
            JournalledOperation(
                run: record.id,
                startedAt: startedAt,
                sequence: sequence,
                operation: row.operation,
                status: row.status,
                step: row.step,
                product: row.created,
                sentAt: row.sentAt,
                message: row.facts.last?.message
            )
        }
    }
}
