import GRDB
public import OpenMarket

extension StateStore {
    /// The markets that a state knows, in the order in which it came to know them; none where there is no state.
    ///
    /// - Throws: ``StateError``.
    public static func scopes(_ path: String) throws -> [MarketScope] {
        let location = StateLocation(path)
        guard let database = try openToRead(location, schema: .current) else { return [] }
        defer { try? database.close() }
        return try explained(at: location) {
            try database.read { db in
                try Row.fetchAll(db, sql: "SELECT url, profile, identifier FROM scopes ORDER BY id").compactMap { row in
                    let identifier: String = row["identifier"]
                    guard let profile = MarketProfile(name: row["profile"]) else { return nil }
                    return MarketScope(
                        url: row["url"],
                        profile: profile,
                        identifier: identifier.isEmpty ? nil : ContentDigest(hexadecimal: identifier)
                    )
                }
            }
        }
    }
}
