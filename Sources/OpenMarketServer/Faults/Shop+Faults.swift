import GRDB
import OpenMarket

extension Shop {
    /// Adds products of another vendor, as on a market with other users.
    func appear(_ rows: Int, _ generation: Generation) async throws {
        let vendor = generation == .v2 ? try await anotherVendor() : nil
        for _ in 0..<rows {
            _ = try await create(
                generation,
                fields: ProductFields(
                    name: "A passer-by's product",
                    description: "Appeared while the list was read.",
                    price: 1000,
                    currency: "KRW",
                    discount: generation == .v2 ? .zero : nil,
                    stock: 1
                ),
                pictures: [],
                vendor: vendor
            )
        }
    }

    /// Deletes products, regardless of their vendor.
    func vanish(_ rows: Int, _ generation: Generation, random: UInt64) async throws {
        var generator = SplitMix64(seed: random)
        for _ in 0..<rows {
            let ids = try await pool.read { database in
                try Int64.fetchAll(
                    database,
                    sql: "SELECT id FROM product WHERE generation = ? ORDER BY id",
                    arguments: [generation.rawValue]
                )
            }
            guard let id = ids.randomElement(using: &generator) else { return }
            _ = try await delete(id, generation)
        }
    }

    private func anotherVendor() async throws -> StoredVendor {
        let vendor = Vendor.made(name: "passer-by")
        let secret = SaltedHash(of: vendor.secret.revealed)
        let now = clock()
        return try await pool.write { database in
            if let known = try Row.fetchOne(
                database,
                sql: "SELECT id, name, created_at FROM vendor WHERE name = 'passer-by' AND NOT is_active"
            ) {
                return StoredVendor(known)
            }
            try database.execute(
                sql: """
                    INSERT INTO vendor (name, identifier, salt, hash, is_active, created_at) VALUES (?, ?, ?, ?, 0, ?)
                    """,
                arguments: [vendor.name, vendor.identifier, secret.salt, secret.hash, now]
            )
            return StoredVendor(id: database.lastInsertedRowID, name: vendor.name, createdAt: now)
        }
    }
}
