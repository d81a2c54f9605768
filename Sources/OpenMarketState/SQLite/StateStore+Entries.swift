import GRDB
import OpenMarket

extension StateStore {
    /// The markets of a file, in the order of their first session; empty if there is no file.
    static func markets(_ files: StateFiles) throws -> [KnownMarket] {
        guard let database = try openToRead(files, schema: .current) else { return [] }
        defer { try? database.close() }
        return try explained(at: files) {
            try database.read { db in
                try Row.fetchAll(
                    db,
                    sql: """
                        SELECT \(KnownMarket.columns), (SELECT COUNT(*) FROM entries WHERE scope = scopes.id)
                        FROM scopes ORDER BY id
                        """
                ).map { try KnownMarket($0) }
            }
        }
    }

    /// The error is a ``StateError``.
    func header() throws -> StateHeader {
        try read(StateHeader(exists: database != nil)) { db, scope in
            let row = try Row.fetchOne(
                db,
                sql: "SELECT accepted, moved_to FROM scopes WHERE id = ?",
                arguments: [scope]
            )
            return StateHeader(
                exists: true,
                acceptedDescription: try row?.digestIfPresent(0),
                movedTo: try row?.textIfPresent(1).map(StateLocation.init)
            )
        }
    }

    /// Records that a market description is accepted.
    ///
    /// The error is a ``StateError``.
    func accept(_ description: ContentDigest) throws {
        try write { db, scope in
            try db.execute(
                sql: "UPDATE scopes SET accepted = ? WHERE id = ?",
                arguments: [description.hexadecimal, scope]
            )
        }
    }

    func snapshot(_ db: Database, _ scope: Int64) throws -> StateSnapshot {
        var snapshot = StateSnapshot(vendorID: try vendor(db, scope))
        snapshot.entries.reserveCapacity(try count(db, scope))
        let statement = try db.makeStatement(sql: "SELECT \(EntryColumn.list) FROM entries WHERE scope = ?")
        let rows = try Row.fetchCursor(statement, arguments: [scope])
        var reader = EntryRowReader(statement)
        while let row = try rows.next() {
            if !reader.append(to: &snapshot.entries) { snapshot.entries.append(try StateEntry(row)) }
        }
        return snapshot
    }

    private func count(_ db: Database, _ scope: Int64) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM entries WHERE scope = ?", arguments: [scope]) ?? 0
    }

    /// The numbers of products and of unresolved operations.
    ///
    /// The error is a ``StateError``.
    func counts() throws -> StateCounts {
        try read(StateCounts(products: 0, unresolved: 0)) { db, scope in
            let unresolved = try Int.fetchOne(
                db,
                sql: """
                    SELECT COUNT(*) FROM operations o JOIN runs r ON r.number = o.position >> 32
                    WHERE o.status IN (\(StateSchema.unresolvedStatuses)) AND r.scope = ?
                    """,
                arguments: [scope]
            )
            return StateCounts(products: try count(db, scope), unresolved: unresolved ?? 0)
        }
    }

    /// The entry of a product; the key may have any Unicode form.
    ///
    /// The error is a ``StateError``.
    func entry(_ key: String) throws -> StateEntry? {
        try read(nil) { try Self.entry(key.composed, $0, $1) }
    }

    /// Applies facts that a plan found without any operation, in one transaction.
    ///
    /// The error is a ``StateError``.
    func apply(_ mutations: [StateMutation]) throws {
        guard !mutations.isEmpty else { return }
        try write { db, scope in
            for mutation in mutations { try StateStore.apply(mutation, db, scope) }
        }
    }

    // MARK: - In a transaction

    func vendor(_ db: Database, _ scope: Int64) throws -> Int64? {
        try Int64.fetchOne(db, sql: "SELECT vendor FROM scopes WHERE id = ?", arguments: [scope])
    }

    /// Changes the entries; keys must be in composed Unicode form, because all readers compose them.
    static func apply(_ mutation: StateMutation, _ db: Database, _ scope: Int64) throws {
        for key in mutation.keys { try detach(key, db, scope) }
        try write(mutation, db, scope)
    }

    /// Changes the entries, without copying anything to the journal.
    static func write(_ mutation: StateMutation, _ db: Database, _ scope: Int64) throws {
        switch mutation {
        case .put(let entry):
            try EntryRow.write(entry, scope: scope, in: db)
        case .remove(let key):
            try db.cachedStatement(sql: "DELETE FROM entries WHERE scope = ? AND key = ?")
                .execute(arguments: [scope, key])
        case .release(let key, let id):
            try db.cachedStatement(sql: "DELETE FROM entries WHERE scope = ? AND key = ? AND id = ?")
                .execute(arguments: [scope, key, id.databaseValue])
        case .rename(let old, let new):
            guard old != new, try entry(old, db, scope) != nil else { return }
            // A product that already has the key must not be lost.
            guard try entry(new, db, scope) == nil else {
                throw StateError.takenKey(old, new)
            }
            try db.execute(
                sql: "UPDATE entries SET key = ? WHERE scope = ? AND key = ?",
                arguments: [new, scope, old]
            )
        case .vendor(let id):
            // Every reply has the vendor; the condition avoids writing a page that does not change.
            try db.cachedStatement(sql: "UPDATE scopes SET vendor = ? WHERE id = ? AND vendor IS NOT ?")
                .execute(arguments: [id, scope, id])
        case .origin(let path, let keys):
            let update = try db.cachedStatement(sql: "UPDATE entries SET origin = ? WHERE scope = ? AND key = ?")
            for key in keys { try update.execute(arguments: [path, scope, key]) }
        }
    }

    static func entry(_ key: String, _ db: Database, _ scope: Int64) throws -> StateEntry? {
        try Row.fetchOne(
            db.cachedStatement(sql: "SELECT \(EntryColumn.list) FROM entries WHERE scope = ? AND key = ?"),
            arguments: [scope, key]
        ).map { try StateEntry($0) }
    }
}
