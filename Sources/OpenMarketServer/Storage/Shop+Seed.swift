import GRDB
import OpenMarket

extension Shop {
    /// How many products there are, of both generations.
    func productCount() async throws -> Int {
        try await pool.read { try Int.fetchOne($0, sql: "SELECT SUM(products) FROM catalog") ?? 0 }
    }

    /// Makes the products of a seed in the given catalogs, one after the other, so that each has the same id every time.
    func fill(_ seed: ShopSeed, _ generations: [Generation]) async throws {
        for generation in generations.sorted(by: { $0.rawValue < $1.rawValue }) {
            let vendor = generation == .v2 ? try await firstVendor() : nil
            // Everybody may read the items of v1; whoever wants to change them uses this password.
            let password = generation == .v1 ? SaltedHash(of: Self.seedPassword) : nil
            for product in try seed.products(for: generation) {
                _ = try await create(
                    generation,
                    fields: product.fields,
                    pictures: product.pictures,
                    vendor: vendor,
                    password: password
                )
            }
        }
    }

    /// The password of the items that a seed makes on v1.
    static let seedPassword = "seed"

    /// Removes all products, so that the next one gets the first id again.
    func clear() async throws {
        let pictures = try await pool.write { database in
            let names = try String.fetchAll(database, sql: "SELECT name FROM picture")
            try database.execute(sql: "DELETE FROM product")
            try database.execute(sql: "DELETE FROM sqlite_sequence WHERE name IN ('product', 'picture')")
            return names
        }
        for name in pictures { self.pictures.remove(name: name) }
    }

    /// The vendor who may write and came first.
    private func firstVendor() async throws -> StoredVendor? {
        try await pool.read { database in
            try Row.fetchOne(database, sql: "SELECT id, name, created_at FROM vendor WHERE is_active ORDER BY id").map {
                StoredVendor(id: $0["id"], name: $0["name"], createdAt: $0["created_at"])
            }
        }
    }
}
