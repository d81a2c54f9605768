import GRDB
import OpenMarket

extension StateStore {
    /// The markets of a file, in the order in which they were first held; empty if there is no file.
    static func markets(_ files: StateFiles) throws -> [KnownMarket] {
        guard let database = try openToRead(files, schema: .current) else { return [] }
        defer { try? database.close() }
        return try explained(at: files) {
            try database.read { db in
                let rows = try Row.fetchAll(
                    db,
                    sql: """
                        SELECT url, profile, parameters, identifier, (SELECT COUNT(*) FROM entries WHERE scope = scopes.id)
                        FROM scopes ORDER BY id
                        """
                )
                return try rows.map { row in
                    let identifier = try row.decode(String.self, atIndex: 3)
                    guard let parameters = MarketParameters.values(try row.decode(String.self, atIndex: 2)),
                        identifier.isEmpty || ContentDigest(hexadecimal: identifier) != nil
                    else { throw StateError.damaged(files, because: "it names a market that cannot be") }
                    return KnownMarket(
                        scope: MarketScope(
                            url: try row.decode(String.self, atIndex: 0),
                            name: try row.decode(String.self, atIndex: 1),
                            parameters: parameters,
                            identifier: ContentDigest(hexadecimal: identifier)
                        ),
                        products: try row.decode(Int.self, atIndex: 4)
                    )
                }
            }
        }
    }

    /// The description that was accepted for the market.
    ///
    /// The error is a ``StateError``.
    func acceptedDescription() throws -> ContentDigest? {
        try read(nil) { db, scope in
            try String.fetchOne(db, sql: "SELECT accepted FROM scopes WHERE id = ?", arguments: [scope])
                .flatMap(ContentDigest.init(hexadecimal:))
        }
    }

    /// Records that a description is accepted for the market.
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

    /// All known facts about the market's products, from which a plan starts.
    ///
    /// The error is a ``StateError``.
    func snapshot() throws -> StateSnapshot {
        try read(StateSnapshot(), snapshot)
    }

    func snapshot(_ db: Database, _ scope: Int64) throws -> StateSnapshot {
        var snapshot = StateSnapshot(vendorID: try vendor(db, scope))
        snapshot.entries.reserveCapacity(try count(db, scope))
        let statement = try db.makeStatement(sql: "SELECT \(EntryColumn.list) FROM entries WHERE scope = ?")
        let rows = try Row.fetchCursor(statement, arguments: [scope])
        var reader = EntryRowReader(statement)
        while let row = try rows.next() {
            if !reader.append(to: &snapshot.entries) { snapshot.entries.append(try EntryRow.read(row)) }
        }
        return snapshot
    }

    private func count(_ db: Database, _ scope: Int64) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM entries WHERE scope = ?", arguments: [scope]) ?? 0
    }

    /// The number of products, and of operations with an unknown outcome.
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

    /// The first product by key that has no password of its own.
    ///
    /// The error is a ``StateError``.
    func productWithoutPassword() throws -> MarketID? {
        try read(nil) { db, scope in
            try Row.fetchOne(
                db,
                sql: "SELECT id FROM entries WHERE scope = ? AND secret IS NULL ORDER BY key LIMIT 1",
                arguments: [scope]
            )?.productID(atIndex: 0)
        }
    }

    /// The entry of a product; the key may have any Unicode form.
    ///
    /// The error is a ``StateError``.
    func entry(_ key: String) throws -> StateEntry? {
        try read(nil) { try Self.entry(key.composed, $0, $1) }
    }

    /// Drops a product from the state and returns its entry; the market keeps it.
    ///
    /// Throws a ``StateError``: `conflict` if the key is not known, `unresolved` if an operation on it is unresolved.
    @discardableResult
    func forget(_ key: String) throws -> StateEntry {
        let key = key.composed
        return try write { db, scope in
            guard let entry = try Self.entry(key, db, scope) else { throw StateError.unknownKey(key) }
            try Self.requireSettled([key], db, scope)
            try StateStore.apply(.remove(key: key), db, scope)
            return entry
        }
    }

    /// Gives a product another key.
    ///
    /// Throws a ``StateError``: `conflict` if the old key is not known or the new one is taken, `unresolved` if an
    /// operation on either is unresolved.
    func move(from old: String, to new: String) throws {
        let (old, new) = (old.composed, new.composed)
        try write { db, scope in
            guard try Self.entry(old, db, scope) != nil else { throw StateError.unknownKey(old) }
            guard old != new else { return }
            try Self.requireSettled([old, new], db, scope)
            try StateStore.apply(.rename(from: old, to: new), db, scope)
        }
    }

    /// Replaces all known products in one transaction.
    ///
    /// Throws a ``StateError``: `conflict` if products would be lost without `overwriting`, `unresolved` if an
    /// operation is unresolved.
    func replace(with entries: [StateEntry], vendorID: Int64?, overwriting: Bool) throws {
        try write { db, scope in
            let present = try count(db, scope)
            guard present == 0 || overwriting else { throw StateError.wouldOverwrite(present) }
            try Self.requireSettled(nil, db, scope)
            try Self.detachAll(db, scope)
            try db.execute(sql: "DELETE FROM entries WHERE scope = ?", arguments: [scope])
            for entry in entries { try EntryRow.write(entry, scope: scope, in: db) }
            if let vendorID { try StateStore.apply(.vendor(vendorID), db, scope) }
        }
    }

    /// Applies facts that a plan learned without any operation, in one transaction.
    ///
    /// The error is a ``StateError``.
    func apply(_ mutations: [StateMutation]) throws {
        guard !mutations.isEmpty else { return }
        try write { db, scope in
            for mutation in mutations { try StateStore.apply(mutation, db, scope) }
        }
    }

    // MARK: - In a transaction

    /// Requires that no operation on some keys, or on any if `nil`, is unresolved, because its outcome will be written
    /// under its key.
    ///
    /// Otherwise throws a ``StateError`` `unresolved`.
    static func requireSettled(_ keys: [String]?, _ db: Database, _ scope: Int64) throws {
        let open = try Row.fetchAll(
            db,
            sql: """
                SELECT r.id, o.key FROM operations o JOIN runs r ON r.number = o.run
                WHERE o.status IN (\(StateSchema.unresolvedStatuses)) AND r.scope = ? ORDER BY o.run, o.sequence
                """,
            arguments: [scope]
        )
        for row in open {
            let key = try row.decode(String.self, atIndex: 1)
            guard keys?.contains(key) ?? true else { continue }
            throw StateError.unresolved(key, RunID(rawValue: try row.decode(String.self, atIndex: 0)))
        }
    }

    func vendor(_ db: Database, _ scope: Int64) throws -> Int64? {
        try Int64.fetchOne(db, sql: "SELECT vendor FROM scopes WHERE id = ?", arguments: [scope])
    }

    /// Changes the entries; keys are composed already, because all readers compose them.
    static func apply(_ mutation: StateMutation, _ db: Database, _ scope: Int64) throws {
        for key in mutation.keys { try detach(key, db, scope) }
        try write(mutation, db, scope)
    }

    /// Changes the entries, without keeping anything for the journal.
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
            // Every reply has it; the condition avoids writing a page that does not change.
            try db.cachedStatement(sql: "UPDATE scopes SET vendor = ? WHERE id = ? AND vendor IS NOT ?")
                .execute(arguments: [id, scope, id])
        }
    }

    static func entry(_ key: String, _ db: Database, _ scope: Int64) throws -> StateEntry? {
        try Row.fetchOne(
            db.cachedStatement(sql: "SELECT \(EntryColumn.list) FROM entries WHERE scope = ? AND key = ?"),
            arguments: [scope, key]
        ).map(EntryRow.read)
    }
}
