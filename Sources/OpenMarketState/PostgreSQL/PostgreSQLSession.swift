import OpenMarket

/// A session of a market's state in PostgreSQL, which renews its lease until it is closed.
final class PostgreSQLSession: StateSession, PostgreSQLReading {
    let settings: ConnectionSettings
    let scope: MarketScope
    private let journal: SessionJournal
    private let commits = GroupCommit()
    private let keptRuns: Int

    /// A session that has its lease.
    init(_ settings: ConnectionSettings, _ scope: MarketScope, _ place: SessionLease, keptRuns: Int) {
        self.settings = settings
        self.scope = scope
        self.keptRuns = keptRuns
        journal = SessionJournal(settings, scope, place)
        journal.keepRenewed()
    }

    var lease: StateLease {
        get async throws { try journal.validity.lease() }
    }

    var timeToSend: Duration? { journal.validity.timeToSend }

    func waitForStop() async -> String? { await journal.validity.waitForStop() }

    func close() async { await journal.leave() }

    // MARK: - Changes

    func apply(_ mutations: [StateMutation]) async throws {
        guard !mutations.isEmpty else { return }
        try await explained { try await journal.apply(mutations) }
    }

    func accept(_ description: ContentDigest) async throws {
        try await explained { try await journal.accept(description) }
    }

    // MARK: - The journal

    func begin(_ run: RunRecord, operations: [PlannedOperation], chunks: [RunChunk]) async throws {
        try await explained { try await journal.begin(run, operations, chunks) }
    }

    func record(_ events: [JournalEvent]) async throws -> StateDirectives {
        let journal = journal
        try await explained {
            try await commits.record(events) { calls in try await journal.record(calls) }
        }
        return journal.validity.orders
    }

    func finish(_ run: RunID, totals: RunTotals, interrupted: Bool) async throws {
        let number = try await explained { try await journal.finish(run, totals, interrupted: interrupted) }
        let (tables, scope, keptRuns) = (settings.tables, journal.scope, keptRuns)
        // The run is complete and written; if pruning fails, the next run does it.
        try? await settings.connected { try tables.prune(scope, upTo: number, keptRuns: keptRuns, $0) }
    }

    // MARK: - Runs that several sessions share

    var takeoverDelay: Duration? { settings.lease * 2 / 3 }

    func claim() async throws -> RunClaim {
        try await explained { try await journal.claim() }
    }

    func finish(_ chunk: Int, as progress: ChunkProgress) async throws {
        try await explained { try await journal.finish(chunk, as: progress) }
    }

    func order(_ order: RunOrder, in run: RunID) async throws {
        try await explained { try await journal.order(order, in: run) }
    }

    func recordOrphan(_ product: MarketID, of sequence: Int, in run: RunID) async throws {
        let (tables, scope, number) = (settings.tables, journal.scope, journal.number)
        // Over another connection: the session can no longer change anything.
        try await settings.connected { connection in
            _ = try connection.query(
                """
                INSERT INTO \(tables.orphans) (scope, id, run, sequence, session)
                SELECT scope, $3, number, $4::int, $5::bigint FROM \(tables.runs) WHERE scope = $1 AND id = $2
                ON CONFLICT DO NOTHING
                """,
                [
                    Parameter(scope), Parameter(run.rawValue), Parameter(product.column),
                    Parameter(sequence),
                    Parameter(number),
                ]
            )
        }
    }

    func dropOrphans(_ products: [MarketID]) async throws {
        guard !products.isEmpty else { return }
        try await explained { try await journal.dropOrphans(products) }
    }

    // MARK: - Moving to another state

    func fill(with archive: StateArchive) async throws {
        try await explained { try await journal.fill(with: archive) }
    }

    func retire(to location: StateLocation) async throws {
        try await explained { try await journal.retire(to: location) }
    }

    /// Converts the server's refusals to ``StateError``s.
    private func explained<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch {
            throw StateError(error, at: settings.location)
        }
    }
}
