import GRDB
import OpenMarket

extension StateStore {
    /// Copies data that only an entry has back to the journal, before the entry changes or is deleted.
    static func detach(_ key: String, _ db: Database, _ scope: Int64) throws {
        let positions = try Int64.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT o.position FROM operations o
                    WHERE o.key = ? AND o.described_by_entry
                        AND EXISTS (SELECT 1 FROM runs WHERE number = o.position >> 32 AND scope = ?)
                    """
            ),
            arguments: [key, scope]
        )
        guard !positions.isEmpty, let entry = try entry(key, db, scope) else { return }
        let contents = CreateContents(entry)
        for position in positions {
            try db.cachedStatement(sql: "INSERT INTO contents (position, wanted) VALUES (?, ?)")
                .execute(arguments: [position, contents.wanted])
            try db.cachedStatement(sql: "UPDATE operations SET described_by_entry = 0 WHERE position = ?")
                .execute(arguments: [position])
        }
    }

    /// The stored contents of a create; if there are none, those of the entry with its key.
    static func contents(
        _ wanted: String?,
        _ pictures: String?,
        isDescribedByEntry: Bool,
        key: String,
        _ db: Database,
        _ scope: Int64
    ) throws -> CreateContents? {
        if let wanted { return CreateContents(wanted: wanted, pictures: pictures) }
        guard isDescribedByEntry else { return nil }
        return try entry(key, db, scope).map(CreateContents.init)
    }
}
