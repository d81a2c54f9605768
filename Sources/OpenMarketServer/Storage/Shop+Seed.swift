import GRDB
import OpenMarket
import Synchronization

extension Shop {
    /// The number of products of both generations.
    func productCount() async throws -> Int {
        try await pool.read { try Self.productCount(in: $0) }
    }

    private static func productCount(in database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "SELECT SUM(products) FROM catalog") ?? 0
    }

    /// Fills an empty shop with the products of a seed in the given catalogs; `false` if the shop had products.
    ///
    /// It is one transaction: an interrupted seed leaves nothing, and of two concurrent ones the second finds products.
    /// `onProduct` is called after each product with the total number of products. Errors come from SQLite and the file
    /// system, or are a `CancellationError`.
    func fill(
        _ seed: ShopSeed,
        _ generations: [Generation],
        onProduct: @escaping @Sendable (Int) -> Void
    ) async throws -> Bool {
        let total = try seed.count() * generations.count
        return try await withSeedPictures { database, files in
            guard try Self.productCount(in: database) == 0 else { return false }
            try add(seed, generations, files, in: database) { onProduct(total) }
            return true
        }
    }

    /// Resets the shop to its start: the products of the seed with their original ids, or none.
    ///
    /// It returns the number of products then. Errors come from SQLite and the file system, or are a
    /// `CancellationError`.
    func reset(to seed: ShopSeed?, _ generations: [Generation]) async throws -> Int {
        let (count, unused) = try await withSeedPictures { database, files in
            let unused = try Self.clear(database)
            if let seed { try add(seed, generations, files, in: database) {} }
            return (try Self.productCount(in: database), unused)
        }
        for name in unused { pictures.remove(name: name) }
        return count
    }

    /// Runs a transaction; if it fails, the pictures that it wrote are removed.
    private func withSeedPictures<Result: Sendable>(
        _ body: @escaping @Sendable (Database, SeedPictures) throws -> Result
    ) async throws -> Result {
        let files = SeedPictures(folder: pictures)
        do {
            return try await pool.write { try body($0, files) }
        } catch {
            files.remove()
            throw error
        }
    }

    /// Creates the products in order, so that each gets the same id every time.
    private func add(
        _ seed: ShopSeed,
        _ generations: [Generation],
        _ files: SeedPictures,
        in database: Database,
        onProduct: () -> Void
    ) throws {
        for generation in generations.sorted(by: { $0.rawValue < $1.rawValue }) {
            try add(seed, generation, files, in: database, onProduct: onProduct)
        }
    }

    private func add(
        _ seed: ShopSeed,
        _ generation: Generation,
        _ files: SeedPictures,
        in database: Database,
        onProduct: () -> Void
    ) throws {
        let vendor = generation == .v2 ? try Self.firstVendor(database) : nil
        // Anyone may read the items of v1; changing them needs this password.
        let password = generation == .v1 ? SaltedHash(of: Self.seedPassword) : nil
        for product in try seed.products(for: generation) {
            try Task.checkCancellation()
            let now = clock()
            let stored = try product.pictures.map { upload in
                let picture = Self.named(upload.fileExtension, generation, at: now)
                try files.write(upload.bytes, name: picture.name)
                return picture
            }
            _ = try Self.insert(
                made(generation, product.fields, stored, vendor, password, at: now),
                generation,
                in: database
            )
            onProduct()
        }
    }

    static let seedPassword = "seed"

    private static func clear(_ database: Database) throws -> [String] {
        let names = try String.fetchAll(database, sql: "SELECT name FROM picture")
        try database.execute(sql: "DELETE FROM product")
        try database.execute(sql: "DELETE FROM sqlite_sequence WHERE name IN ('product', 'picture')")
        return names
    }

    private static func firstVendor(_ database: Database) throws -> StoredVendor? {
        try Row.fetchOne(database, sql: "SELECT id, name, created_at FROM vendor WHERE is_active ORDER BY id").map {
            StoredVendor(id: $0["id"], name: $0["name"], createdAt: $0["created_at"])
        }
    }
}

/// The picture files of a seed that is not committed yet.
///
/// A large seed repeats its drawings. Each is written once, and further names are links to it, which are much faster to
/// create and remove than files.
private final class SeedPictures: Sendable {
    private struct Files {
        var names: [String] = []
        /// The last name that each drawing was written under.
        var written: [[UInt8]: String] = [:]
    }

    private let folder: PictureFolder
    private let files = Mutex(Files())

    init(folder: PictureFolder) {
        self.folder = folder
    }

    func write(_ bytes: [UInt8], name: String) throws {
        try files.withLock { files in
            if let known = files.written[bytes], folder.link(known, name: name) {
                files.names.append(name)
                return
            }
            try folder.write(bytes, name: name)
            files.names.append(name)
            files.written[bytes] = name
        }
    }

    func remove() {
        for name in files.withLock(\.names) { folder.remove(name: name) }
    }
}
