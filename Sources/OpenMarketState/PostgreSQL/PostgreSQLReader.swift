import OpenMarket

/// Read access to a market's state in PostgreSQL.
///
/// Each call has its own connection and snapshot; no connection is held between calls.
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

    func header() async throws -> StateHeader {
        if let header = try await view(nil, \.header) { return header }
        let tables = settings.tables
        return try await settings.connected { connection in
            do {
                let others = try connection.query("SELECT EXISTS (SELECT 1 FROM \(tables.scopes))").first
                return StateHeader(exists: try others?.flag(0) ?? false)
            } catch let fault as ConnectionFault where fault.isMissingTable {
                return StateHeader(exists: false)
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

    func orphans() async throws -> [OrphanedProduct] {
        try await view([]) { try $0.orphans() }
    }

    func runUnderWay() async throws -> RunUnderWay? {
        try await view(nil) { try $0.runUnderWay() }
    }

    func entry(_ key: String) async throws -> StateEntry? {
        try await view(nil) { try $0.entries([key.composed]).first }
    }

    func keys() async throws -> ProductKeys {
        try await view(ProductKeys()) { try $0.keys() }
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

    func runs(_ id: RunID?, limit: Int) async throws -> [RunSummary] {
        try await view([]) { try $0.runs(id, limit: limit) }
    }

    func operations(_ selection: OperationSelection) async throws -> [JournalledOperation] {
        try await view([]) { try $0.operations(selection) }
    }

    func keysDone(since run: RunID?) async throws -> Set<String>? {
        try await view(.some([])) { try $0.keysDone(since: run) }
    }

    /// Reads in one snapshot; returns `empty` if the state lacks the market.
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
