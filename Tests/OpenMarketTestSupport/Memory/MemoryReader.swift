@testable import OpenMarket

/// Read access to a market's state in memory.
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

    var now: Timestamp {
        get async throws { backend.wallTime() }
    }

    func header() async throws -> StateHeader {
        let exists = try await !backend.markets().isEmpty
        return backend.look(scope) {
            StateHeader(exists: exists, acceptedDescription: $0.acceptedDescription, movedTo: $0.movedTo)
        }
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

    func basis() async throws -> StateBasis {
        let now = backend.wallTime()
        return backend.look(scope, at: now) {
            StateBasis(snapshot: $0.snapshot, unresolved: $0.unresolved, now: now)
        }
    }

    func counts() async throws -> StateCounts {
        backend.look(scope) {
            StateCounts(products: $0.snapshot.entries.count, unresolved: $0.unresolved.count)
        }
    }

    func orphans() async throws -> [OrphanedProduct] { backend.look(scope) { $0.orphanedProducts } }

    func runUnderWay() async throws -> RunUnderWay? { backend.runUnderWay(scope) }

    func runs(_ id: RunID?, limit: Int) async throws -> [RunSummary] {
        backend.look(scope) { $0.runs }.filter { id == nil || $0.record.id == id }.reversed().prefix(limit)
            .map(\.summary)
    }

    func operations(_ selection: OperationSelection) async throws -> [JournalledOperation] {
        let runs = backend.look(scope) { $0.runs }
        switch selection {
        case .ofRun(let run): return runs.first { $0.record.id == run }?.journalled ?? []
        case .troubles(let run, let limit):
            let operations = try await operations(.ofRun(run))
            let sorted = operations.sorted { ($0.status.rank, $0.sequence) < ($1.status.rank, $1.sequence) }
            return Array(sorted.prefix(limit))
        case .onProduct(let key, let count):
            return runs.reversed().lazy
                .map { run in run.journalled.reversed().filter { $0.operation.key == key } }
                .filter { !$0.isEmpty }.prefix(count).flatMap(\.self)
        }
    }

    func keysDone(since run: RunID?) async throws -> Set<String>? {
        let runs = backend.look(scope) { $0.runs }
        let since = runs.reversed().prefix { $0.record.id != run }
        guard since.allSatisfy({ !$0.operations.isEmpty }) else { return nil }
        return Set(since.flatMap(\.operations).filter { $0.status == .succeeded }.map(\.operation.key))
    }
}

extension MarketRecords.Run {
    fileprivate var summary: RunSummary {
        RunSummary(
            record: record,
            startedAt: startedAt,
            finishedAt: finishedAt,
            interrupted: interrupted,
            totals: totals,
            operations: operations.count,
            unresolved: operations.count(where: \.progress.isUnresolved)
        )
    }

    var journalled: [JournalledOperation] {
        operations.enumerated().map { sequence, row in
            JournalledOperation(
                run: record.id,
                startedAt: startedAt,
                runEndedAt: finishedAt,
                sequence: sequence,
                operation: row.operation,
                progress: row.progress
            )
        }
    }
}
