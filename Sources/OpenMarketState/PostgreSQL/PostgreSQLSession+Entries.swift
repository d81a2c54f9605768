import OpenMarket

extension PostgreSQLSession {
    private static let entriesPerStatement = 2000

    /// Applies the changes in one transaction.
    func apply(_ mutations: [StateMutation]) throws {
        guard !mutations.isEmpty else { return }
        try change(isLong: mutations.count > Self.entriesPerStatement) { try self.make(mutations, $0) }
    }

    func accept(_ description: ContentDigest) throws {
        try change { connection in
            _ = try connection.query(
                "UPDATE \(self.tables.scopes) SET accepted = $2 WHERE id = $1",
                [Parameter(self.scopeID), Parameter(description.hexadecimal)]
            )
        }
    }

    // MARK: - In a transaction

    /// Applies changes in their order, many with one statement if possible.
    func make(_ mutations: [StateMutation], _ connection: Connection) throws {
        var changes = StateChanges()
        func flush() throws {
            guard !changes.isEmpty else { return }
            try connection.query(
                "SELECT \(tables.changeEntries)($1::bigint, $2::json, $3::json, $4::bigint)",
                [Parameter(scopeID)] + changes.parameters
            )
            changes = StateChanges()
        }
        for mutation in mutations {
            if changes.puts.count >= Self.entriesPerStatement { try flush() }
            if changes.add(mutation) { continue }
            try flush()
            switch mutation {
            case .rename(let old, let new): try rename(old, new, connection)
            case .origin(let path, let keys):
                try connection.query(
                    "UPDATE \(tables.entries) SET origin = $2 WHERE scope = $1 AND key = ANY ($3::text[])",
                    [Parameter(scopeID), Parameter(path), Parameter(keys)]
                )
            default: _ = changes.add(mutation)
            }
        }
        try flush()
    }

    private func rename(_ old: String, _ new: String, _ connection: Connection) throws {
        guard old != new, try entry(old, connection) != nil else { return }
        // The product that has the key must not be overwritten.
        guard try entry(new, connection) == nil else { throw StateError.takenKey(old, new) }
        try connection.query(
            "UPDATE \(tables.entries) SET key = $3 WHERE scope = $1 AND key = $2",
            [Parameter(scopeID), Parameter(old), Parameter(new)]
        )
    }

    private func entry(_ key: String, _ connection: Connection) throws -> StateEntry? {
        try StateView(connection, tables, scopeID).entries([key]).first
    }
}
