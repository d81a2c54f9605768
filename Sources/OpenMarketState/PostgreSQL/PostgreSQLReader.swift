import OpenMarket

/// Read access to a market's state in PostgreSQL.
///
/// Each call has its own connection and sees one point in time; nothing is held between calls.
protocol PostgreSQLReading: StateReader {
    var settings: ConnectionSettings { get }
}

struct PostgreSQLReader: PostgreSQLReading {
    let settings: ConnectionSettings
    let scope: MarketScope

    func close() async {}
}

extension PostgreSQLReading {
    var location: StateLocation { settings.location }

    var exists: Bool {
        get async throws {
            let tables = settings.tables
            return try await settings.connected { connection in
                do {
                    return try connection.query("SELECT EXISTS (SELECT 1 FROM \(tables.scopes))").first?.flag(0)
                        ?? false
                } catch let fault as ConnectionFault where fault.isMissingTable {
                    return false
                }
            }
        }
    }

    var now: Timestamp {
        get async throws {
            try await settings.connected { connection in
                let row = try connection.query("SELECT \(StateTables.milliseconds("clock_timestamp()"))").first
                guard let row else { throw UnreadableValue(reason: "the time is missing") }
                return try row.timestamp(0)
            }
        }
    }

    func acceptedDescription() async throws -> ContentDigest? {
        try await view(nil) { $0.acceptedDescription }
    }

    func movedTo() async throws -> StateLocation? {
        try await view(nil) { try $0.movedTo() }
    }

    func orphans() async throws -> [OrphanedProduct] {
        try await view([]) { try $0.orphans() }
    }

    func runUnderWay() async throws -> RunUnderWay? {
        try await view(nil) { try $0.runUnderWay() }
    }

    func snapshot() async throws -> StateSnapshot {
        try await view(StateSnapshot()) { try $0.snapshot() }
    }

    func entry(_ key: String) async throws -> StateEntry? {
        try await view(nil) { try $0.entry(key.composed) }
    }

    func keys() async throws -> ProductKeys {
        try await view(ProductKeys()) { try $0.keys() }
    }

    func productWithoutPassword() async throws -> MarketID? {
        try await view(nil) { try $0.productWithoutPassword() }
    }

    func basis() async throws -> StateBasis {
        let basis = try await view(nil) { view in
            StateBasis(snapshot: try view.snapshot(), unresolved: try view.unresolved(), now: view.now)
        }
        if let basis { return basis }
        return StateBasis(snapshot: StateSnapshot(), unresolved: [], now: try await now)
    }

    func counts() async throws -> StateCounts {
        try await view(StateCounts(products: 0, unresolved: 0)) { try $0.counts() }
    }

    func runs(limit: Int) async throws -> [RunSummary] {
        try await view([]) { try $0.runs(where: "true", [], limit: limit) }
    }

    func run(_ id: RunID) async throws -> RunSummary? {
        try await view(nil) { try $0.runs(where: "id = $3", [Parameter(id.rawValue)], limit: 1).first }
    }

    func operations(of run: RunID) async throws -> [JournalledOperation] {
        try await view([]) { view in
            let source = """
                SELECT o.run, o.sequence, 0 AS place FROM \(view.tables.runs) r
                JOIN \(view.tables.operations) o ON o.run = r.number WHERE r.id = $2
                """
            return try view.operations(source, [Parameter(run.rawValue)])
        }
    }

    func operations(of run: RunID, troublesFirst limit: Int) async throws -> [JournalledOperation] {
        let ranks = OperationStatus.allCases.map { "WHEN '\($0.rawValue)' THEN \($0.rank)" }.joined(separator: " ")
        return try await view([]) { view in
            let number = "(SELECT number FROM \(view.tables.runs) WHERE id = $2)"
            // By the key of each operation, which is fast whatever the server's statistics are.
            let status = """
                SELECT e.status FROM \(view.tables.events) e WHERE e.run = o.run AND e.sequence = o.sequence
                ORDER BY e.number DESC LIMIT 1
                """
            let rank = "CASE coalesce((\(status)), '\(OperationStatus.intended.rawValue)') \(ranks) END"
            let source = """
                SELECT o.run, o.sequence, row_number() OVER (ORDER BY \(rank), o.sequence) AS place
                FROM \(view.tables.operations) o WHERE o.run = \(number) ORDER BY place LIMIT $3
                """
            return try view.operations(source, [Parameter(run.rawValue), Parameter(Int64(limit))])
        }
    }

    func history(of key: String, runs: Int) async throws -> [JournalledOperation] {
        try await view([]) { view in
            // The newest run first, and in it the last operation first.
            let source = """
                SELECT run, sequence, row_number() OVER (ORDER BY run DESC, sequence DESC) AS place
                FROM \(view.tables.operations) WHERE key = $2 AND run IN (
                    SELECT DISTINCT o.run FROM \(view.tables.operations) o
                        JOIN \(view.tables.runs) r ON r.number = o.run
                    WHERE o.key = $2 AND r.scope = $1 ORDER BY o.run DESC LIMIT $3
                )
                """
            return try view.operations(source, [Parameter(key.composed), Parameter(Int64(runs))])
        }
    }

    func keysDone(since run: RunID?) async throws -> Set<String>? {
        try await view(.some([])) { try $0.keysDone(since: run) }
    }

    /// Reads at one point in time; gives `empty` if the state does not know the market.
    private func view<Value: Sendable>(
        _ empty: Value,
        _ body: @escaping @Sendable (StateView) throws -> Value
    ) async throws -> Value {
        let (settings, scope) = (settings, scope)
        return try await settings.connected { connection in
            try connection.transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") {
                guard let view = try StateView(connection, settings, scope) else { return empty }
                return try body(view)
            }
        }
    }
}
