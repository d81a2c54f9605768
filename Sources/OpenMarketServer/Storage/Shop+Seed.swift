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
    /// `onProduct` is called after each product with the total number of products.
    func fill(
        _ seed: ShopSeed,
        _ generations: [Generation],
        onProduct: @escaping @Sendable (Int) -> Void
    ) async throws -> Bool {
        let total = try seed.count() * generations.count
        return try await start(seed, generations) { database in
            try Self.productCount(in: database) == 0 ? [] : nil
        } onProduct: {
            onProduct(total)
        } != nil
    }

    /// Resets the shop to its start: the products of the seed with their original ids, or none.
    ///
    /// Returns the number of products after that.
    func reset(to seed: ShopSeed?, _ generations: [Generation]) async throws -> Int {
        try await start(seed, generations) { database in
            let names = try String.fetchAll(database, sql: "SELECT name FROM picture")
            try database.execute(sql: "DELETE FROM product")
            try database.execute(sql: "DELETE FROM sqlite_sequence WHERE name IN ('product', 'picture')")
            return names
        } ?? 0
    }

    /// Creates the products of a seed in order, so that each gets the same id every time, and returns their number.
    ///
    /// It is one transaction: an interrupted seed is undone, and the second of two concurrent ones finds products.
    /// `clear` deletes rows first, and returns the pictures without a row; `nil` ends the work. Errors come from SQLite
    /// and the file system, or are a `CancellationError`.
    private func start(
        _ seed: ShopSeed?,
        _ generations: [Generation],
        clear: @escaping @Sendable (Database) throws -> [String]?,
        onProduct: @escaping @Sendable () -> Void = {}
    ) async throws -> Int? {
        let written = Box<[String]>([])
        do {
            let (count, unused) = try await pool.write { database -> (Int?, [String]) in
                guard let unused = try clear(database) else { return (nil, []) }
                var files = SeedPictures(folder: pictures)
                defer { written.value = files.names }
                for generation in generations.sorted(by: { $0.rawValue < $1.rawValue }) {
                    try add(seed, generation, &files, in: database, onProduct: onProduct)
                }
                return (try Self.productCount(in: database), unused)
            }
            await pictures.discard(unused)
            return count
        } catch {
            await pictures.discard(written.value)
            throw error
        }
    }

    private func add(
        _ seed: ShopSeed?,
        _ generation: Generation,
        _ files: inout SeedPictures,
        in database: Database,
        onProduct: () -> Void
    ) throws {
        guard let seed else { return }
        let vendor =
            generation == .v1
            ? nil
            : try Row.fetchOne(database, sql: "SELECT id, name, created_at FROM vendor WHERE is_active ORDER BY id")
                .map { StoredVendor($0) }
        // Anyone may read the items of v1; changing them requires this password.
        let password = generation == .v1 ? SaltedHash(of: Self.seedPassword) : nil
        for product in try seed.products(for: generation) {
            try Task.checkCancellation()
            let now = clock()
            let stored = try product.pictures.map { upload in
                let picture = StoredPicture(new: upload.fileExtension, at: now)
                try files.write(upload.bytes, name: picture.name)
                return picture
            }
            let made = made(generation, product.fields, stored, vendor, password, at: now)
            _ = try Self.insert(made, generation, in: database)
            onProduct()
        }
    }

    static let seedPassword = "seed"
}

/// The picture files of a seed.
///
/// A large seed repeats its drawings. Each is written once, and further names are links to it, which are much faster to
/// create and remove than files.
private struct SeedPictures {
    let folder: PictureFolder
    private(set) var names: [String] = []
    /// The last name under which each drawing was written.
    var written: [[UInt8]: String] = [:]

    mutating func write(_ bytes: [UInt8], name: String) throws {
        if written[bytes].map({ folder.link($0, name: name) }) != true {
            try folder.write(bytes, name: name)
            written[bytes] = name
        }
        names.append(name)
    }
}
