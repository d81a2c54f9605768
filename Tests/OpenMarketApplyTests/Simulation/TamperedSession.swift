import OpenMarket

/// A session with something between it and its user: a freeze, an order, or a net that is missing.
struct TamperedSession: StateSession {
    let inner: any StateSession
    /// Whether the user sees how long it may send.
    var hasDeadline = true
    /// What happens when a fact is written, before the caller knows; may change what the backend says.
    var onRecord: @Sendable (JournalEvent, StateOrders) async -> StateOrders = { $1 }
    /// Takes the pauses that the market asked for.
    var onPause: @Sendable (Duration) -> Void = { _ in }

    var location: StateLocation { inner.location }
    var scope: MarketScope { inner.scope }
    var exists: Bool { get async throws { try await inner.exists } }
    var now: Timestamp { get async throws { try await inner.now } }
    var lease: StateLease { get async throws { try await inner.lease } }
    var timeToSend: Duration? { hasDeadline ? inner.timeToSend : nil }
    var sharesRuns: Bool { inner.sharesRuns }
    var takeoverDelay: Duration { inner.takeoverDelay }

    func record(_ event: JournalEvent) async throws -> StateOrders {
        await onRecord(event, try await inner.record(event))
    }

    func pause(for duration: Duration) async throws {
        onPause(duration)
        try await inner.pause(for: duration)
    }

    func acceptedDescription() async throws -> ContentDigest? { try await inner.acceptedDescription() }
    func snapshot() async throws -> StateSnapshot { try await inner.snapshot() }
    func entry(_ key: String) async throws -> StateEntry? { try await inner.entry(key) }
    func keys() async throws -> ProductKeys { try await inner.keys() }
    func basis() async throws -> StateBasis { try await inner.basis() }
    func counts() async throws -> StateCounts { try await inner.counts() }
    func productWithoutPassword() async throws -> MarketID? { try await inner.productWithoutPassword() }
    func run(_ id: RunID) async throws -> RunSummary? { try await inner.run(id) }
    func runUnderWay() async throws -> RunUnderWay? { try await inner.runUnderWay() }
    func runs(limit: Int) async throws -> [RunSummary] { try await inner.runs(limit: limit) }
    func operations(of run: RunID) async throws -> [JournalledOperation] { try await inner.operations(of: run) }
    func operations(of run: RunID, troublesFirst limit: Int) async throws -> [JournalledOperation] {
        try await inner.operations(of: run, troublesFirst: limit)
    }
    func history(of key: String, runs: Int) async throws -> [JournalledOperation] {
        try await inner.history(of: key, runs: runs)
    }
    func keysDone(since run: RunID?) async throws -> Set<String>? { try await inner.keysDone(since: run) }
    func orphans() async throws -> [OrphanedProduct] { try await inner.orphans() }
    func movedTo() async throws -> StateLocation? { try await inner.movedTo() }
    func fill(with archive: StateArchive) async throws { try await inner.fill(with: archive) }
    func retire(to location: StateLocation) async throws { try await inner.retire(to: location) }
    func stopOrdered() async -> String? { await inner.stopOrdered() }
    func apply(_ mutations: [StateMutation]) async throws { try await inner.apply(mutations) }
    func accept(_ description: ContentDigest) async throws { try await inner.accept(description) }
    func forget(_ key: String) async throws -> StateEntry { try await inner.forget(key) }
    func move(from old: String, to new: String) async throws { try await inner.move(from: old, to: new) }
    func replace(with entries: [StateEntry], vendorID: Int64?, overwriting: Bool) async throws {
        try await inner.replace(with: entries, vendorID: vendorID, overwriting: overwriting)
    }
    func begin(_ run: RunRecord, operations: [PlannedOperation]) async throws {
        try await inner.begin(run, operations: operations)
    }
    func begin(_ run: RunRecord, operations: [PlannedOperation], chunks: [RunChunk]) async throws {
        try await inner.begin(run, operations: operations, chunks: chunks)
    }
    func finish(_ run: RunID, totals: RunTotals, interrupted: Bool) async throws {
        try await inner.finish(run, totals: totals, interrupted: interrupted)
    }
    func claim() async throws -> RunClaim { try await inner.claim() }
    func finish(_ chunk: Int, as progress: ChunkProgress) async throws { try await inner.finish(chunk, as: progress) }
    func stop(_ run: RunID, because reason: String) async throws { try await inner.stop(run, because: reason) }
    func disown(_ product: MarketID, of sequence: Int, in run: RunID) async throws {
        try await inner.disown(product, of: sequence, in: run)
    }
    func dropOrphans(_ products: [MarketID]) async throws { try await inner.dropOrphans(products) }
    func close() async { await inner.close() }
}
