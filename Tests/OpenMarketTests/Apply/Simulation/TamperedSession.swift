@testable import OpenMarket

/// A session with something between it and its user: a freeze, an order, or a net that is missing.
struct TamperedSession: StateSession {
    let inner: any StateSession
    /// Whether the user sees how long it may send.
    var hasDeadline = true
    /// What happens when a fact is written, before the caller knows; may change what the backend says.
    var onRecord: @Sendable (JournalEvent, StateDirectives) async -> StateDirectives = { $1 }
    /// Called before a change and after it; may throw to make it fail.
    var onCommit: @Sendable (_ isDone: Bool) throws -> Void = { _ in }
    /// Takes the pauses that the market asked for.
    var onPause: @Sendable (Duration) -> Void = { _ in }
    /// What happens before a call reaches the backend, and before its answer reaches the caller.
    var onCall: @Sendable (any StateSession) async -> Void = { _ in }
    /// What the machine of the session knows of its time; `nil` where the backend is asked.
    var clock: LeaseClock?
    /// Whether others' sessions are waited for that may still send.
    var waitsForOthers = true
    /// What the caller is given of the work that is left.
    var onClaim: @Sendable (RunClaim) -> RunClaim = { $0 }
    /// Whether the backend hears that the session ends.
    var isClosed: @Sendable () -> Bool = { true }

    var location: StateLocation { inner.location }
    var scope: MarketScope { inner.scope }
    var now: Timestamp { get async throws { try await inner.now } }
    var lease: StateLease { get async throws { try await inner.lease } }
    var timeToSend: Duration? { hasDeadline ? clock?.timeToSend ?? inner.timeToSend : nil }
    var takeoverDelay: Duration? { inner.takeoverDelay.map { waitsForOthers ? $0 : .zero } }

    /// Reads something.
    private func look<Value>(_ body: () async throws -> Value) async throws -> Value {
        await onCall(inner)
        let value = try await body()
        await onCall(inner)
        return value
    }

    /// Changes something, which renews the session.
    private func change<Value>(_ body: () async throws -> Value) async throws -> Value {
        await onCall(inner)
        let askedAt = clock?.now
        do {
            try onCommit(false)
            let value = try await body()
            try onCommit(true)
            if let askedAt { clock?.renew(askedAt) }
            await onCall(inner)
            return value
        } catch let error as StateError where error.code == .superseded {
            clock?.end()
            throw error
        }
    }

    func record(_ events: [JournalEvent]) async throws -> StateDirectives {
        var orders = StateDirectives.proceed
        for event in events {
            let (stop, pause) = (orders.stop, orders.pause)
            orders = try await change { await onRecord(event, try await inner.record([event])) }
            (orders.stop, orders.pause) = (stop ?? orders.stop, max(pause, orders.pause))
        }
        return orders
    }

    func order(_ order: RunOrder, in run: RunID) async throws {
        if case .pause(let duration) = order { onPause(duration) }
        try await change { try await inner.order(order, in: run) }
    }

    func claim() async throws -> RunClaim { onClaim(try await change { try await inner.claim() }) }
    func begin(_ run: RunRecord, operations: [PlannedOperation], chunks: [RunChunk]) async throws {
        try await change { try await inner.begin(run, operations: operations, chunks: chunks) }
    }
    func finish(_ run: RunID, totals: RunTotals, interrupted: Bool) async throws {
        try await change { try await inner.finish(run, totals: totals, interrupted: interrupted) }
    }
    func finish(_ chunk: Int, as progress: ChunkProgress) async throws {
        try await change { try await inner.finish(chunk, as: progress) }
    }
    func recordOrphan(_ product: MarketID, of sequence: Int, in run: RunID) async throws {
        try await look { try await inner.recordOrphan(product, of: sequence, in: run) }
    }
    func dropOrphans(_ products: [MarketID]) async throws { try await change { try await inner.dropOrphans(products) } }
    func apply(_ mutations: [StateMutation]) async throws { try await change { try await inner.apply(mutations) } }
    func waitForStop() async -> String? { await inner.waitForStop() }
    func close() async { if isClosed() { await inner.close() } }

    func basis() async throws -> StateBasis { try await look { try await inner.basis() } }
    func operations(_ selection: OperationSelection) async throws -> [JournalledOperation] {
        try await look { try await inner.operations(selection) }
    }
    func runs(_ id: RunID?, limit: Int) async throws -> [RunSummary] {
        try await look { try await inner.runs(id, limit: limit) }
    }
    func runUnderWay() async throws -> RunUnderWay? { try await look { try await inner.runUnderWay() } }
    func orphans() async throws -> [OrphanedProduct] { try await look { try await inner.orphans() } }

    func header() async throws -> StateHeader { try await inner.header() }
    func entry(_ key: String) async throws -> StateEntry? { try await inner.entry(key) }
    func keys() async throws -> ProductKeys { try await inner.keys() }
    func counts() async throws -> StateCounts { try await inner.counts() }
    func keysDone(since run: RunID?) async throws -> Set<String>? { try await inner.keysDone(since: run) }
    func fill(with archive: StateArchive) async throws { try await inner.fill(with: archive) }
    func retire(to location: StateLocation) async throws { try await inner.retire(to: location) }
    func accept(_ description: ContentDigest) async throws { try await inner.accept(description) }
}
