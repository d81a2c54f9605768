import FoundationEssentials
import GRDB
import OpenMarket
import SystemPackage

/// The persistent part of a server: the database and the pictures.
struct Shop: Sendable {
    let pool: DatabasePool
    let pictures: PictureFolder
    /// Seconds since 1970.
    let clock: @Sendable () -> Double
    let readAfterWriteDelay: Double
    let knownVendors = VendorMemory()
    private let transactions: SharedTransactions
    private let bookmarks = Bookmarks()

    /// `migrator` has the steps from an empty database to the current schema.
    init(
        configuration: ServerConfiguration,
        migrator: DatabaseMigrator = .shop,
        clock: @escaping @Sendable () -> Double
    ) throws {
        try Self.refuseForeign(configuration.databasePath, migrator)
        var settings = GRDB.Configuration()
        settings.busyMode = .timeout(10)
        settings.prepareDatabase { database in
            // WAL with NORMAL survives the death of the process; only a power cut may lose the last transactions.
            if !database.configuration.readonly { try database.execute(sql: "PRAGMA synchronous = NORMAL") }
        }
        let folder = URL(filePath: configuration.databasePath).deletingLastPathComponent()
        try PictureFolder.make(folder.path)
        try Self.keepPrivate(configuration.databasePath)
        pool = try DatabasePool(path: configuration.databasePath, configuration: settings)
        transactions = SharedTransactions(pool)
        try migrator.migrate(pool)
        pictures = try PictureFolder(path: configuration.imagesDirectory)
        self.clock = clock
        let (seconds, attoseconds) = configuration.readAfterWriteDelay.components
        readAfterWriteDelay = Double(seconds) + Double(attoseconds) / 1e18
    }

    /// Refuses a file that is not a shop's database before it changes anything there, even the mode.
    private static func refuseForeign(_ path: String, _ migrator: DatabaseMigrator) throws {
        guard let status = try? Stat(FilePath(path)) else { return }
        guard status.type == .regular else {
            let what = status.type == .directory ? "a folder" : "not a regular file"
            throw ServerError(.storage, "cannot use \(path): it is \(what)")
        }
        // SQLite treats an empty file as an empty database.
        guard status.size > 0 else { return }
        var settings = GRDB.Configuration()
        settings.readonly = true
        settings.busyMode = .timeout(10)
        let database = try DatabaseQueue(path: path, configuration: settings)
        defer { try? database.close() }
        try database.read { database in
            let tables = try String.fetchSet(database, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
            let application = try Int32.fetchOne(database, sql: "PRAGMA application_id")
            guard tables.isEmpty || application == DatabaseMigrator.shopApplicationID else {
                throw ServerError(.storage, "cannot use \(path): it is the database of another program")
            }
            guard try !migrator.hasBeenSuperseded(database) else {
                throw ServerError(.newerDatabase, "\(path) was written by a newer version")
            }
        }
    }

    /// Restricts the database's files to their owner before anything is written to them.
    private static func keepPrivate(_ path: String) throws {
        let options: FileDescriptor.OpenOptions = [.create, .closeOnExec]
        try FileDescriptor.open(FilePath(path), .readWrite, options: options, permissions: .ownerReadWrite).close()
        // SQLite creates new files next to the database with its permissions; these are from an earlier run.
        for file in [path, path + "-wal", path + "-shm"] where FileManager.default.fileExists(atPath: file) {
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        }
    }

    /// Closes the database, which is then in one file unless another process has it open.
    func close() throws {
        // Closing does not checkpoint, because the last connection of a pool only reads. If it fails, no data is lost.
        try? pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        try pool.close()
    }

    // MARK: Reading

    /// A product; `nil` if the generation has none with the id.
    func product(_ id: Int64, _ generation: Generation) async throws -> StoredProduct? {
        try await pool.read { try Self.product(id, generation, in: $0) }
    }

    enum Order: Sendable {
        case oldestFirst
        case newestFirst
        case newestDayFirst

        fileprivate var sql: String {
            switch self {
            case .oldestFirst: "id"
            case .newestFirst: "id DESC"
            case .newestDayFirst: "day DESC, id DESC"
            }
        }

        /// Selects the `id` and `day` of the rows after a bookmark; `?1` is the generation.
        fileprivate func select(
            after bookmark: PageBookmarks.Bookmark?
        ) -> (sql: String, arguments: StatementArguments) {
            let day = self == .newestDayFirst ? "created_day" : "0"
            let all = "SELECT id, \(day) AS day FROM product WHERE generation = ?1"
            guard let bookmark else { return (all, []) }
            return switch self {
            case .oldestFirst: ("\(all) AND id > ?2", [bookmark.id])
            case .newestFirst: ("\(all) AND id < ?2", [bookmark.id])
            // Two ranges of the index; for `(day, id) < (?, ?)` SQLite would scan the bookmark's whole day.
            case .newestDayFirst:
                (
                    "\(all) AND created_day = ?2 AND id < ?3 UNION ALL \(all) AND created_day < ?2",
                    [bookmark.day, bookmark.id]
                )
            }
        }
    }

    /// The products of a page in order, and the number of all.
    func page(
        of generation: Generation,
        order: Order,
        offset: Int,
        limit: Int,
        search: String? = nil
    ) async throws -> (products: [StoredProduct], total: Int) {
        if let search, !search.isEmpty {
            return try await page(of: generation, order: order, offset: offset, limit: limit, matching: search)
        }
        let bookmarks = bookmarks
        let (products, total, passed, version) = try await pool.read { database in
            guard
                let catalog = try Row.fetchOne(
                    database.cachedStatement(sql: "SELECT products, version FROM catalog WHERE generation = ?"),
                    arguments: [generation.rawValue]
                )
            else { throw DatabaseError(message: "the catalog lacks a row for \(generation)") }
            let version: Int64 = catalog["version"]
            let start = bookmarks.nearest(generation, to: offset, version: version)
            let skipped = offset - (start?.offset ?? 0)
            // Starts with the row before the page; the same page starts there next time.
            let before = min(1, skipped)
            // Ids come from the index alone, so that skipped rows cost little.
            let (select, bounds) = order.select(after: start)
            let rows = try Row.fetchAll(
                database.cachedStatement(sql: "\(select) ORDER BY \(order.sql) LIMIT ? OFFSET ?"),
                arguments: [generation.rawValue] + bounds + [limit + before, skipped - before]
            )
            let passed = [0, rows.count - 1].filter(rows.indices.contains).map { index in
                PageBookmarks.Bookmark(
                    offset: offset - before + index + 1,
                    day: rows[index]["day"],
                    id: rows[index]["id"]
                )
            }
            let ids: [Int64] = rows.dropFirst(before).map { $0["id"] }
            return (try Self.products(ids, in: database), catalog["products"] as Int, passed, version)
        }
        for bookmark in passed { bookmarks.add(generation, bookmark, version: version) }
        return (products, total)
    }

    private func page(
        of generation: Generation,
        order: Order,
        offset: Int,
        limit: Int,
        matching search: String
    ) async throws -> (products: [StoredProduct], total: Int) {
        // LIKE matches the same, but takes many times as long for repetitive texts.
        let condition = """
            FROM product LEFT JOIN vendor ON vendor.id = product.vendor_id
            WHERE generation = ?1 AND (instr(lower(product.name), lower(?2)) OR instr(lower(vendor.name), lower(?2)))
            """
        return try await pool.read { database in
            let total =
                try Int.fetchOne(
                    database,
                    sql: "SELECT COUNT(*) \(condition)",
                    arguments: [generation.rawValue, search]
                ) ?? 0
            let ids = try Int64.fetchAll(
                database,
                sql:
                    "SELECT product.id AS id, created_day AS day \(condition) ORDER BY \(order.sql) LIMIT ?3 OFFSET ?4",
                arguments: [generation.rawValue, search, limit, offset]
            )
            return (try Self.products(ids, in: database), total)
        }
    }

    /// The picture with the 32 digits in a URL, its product's vendor, and the time when it becomes visible.
    func picture(named name: String) async throws -> (picture: StoredPicture, vendor: Int64?, visibleAt: Double)? {
        try await pool.read { database in
            try Row.fetchOne(
                database,
                sql: """
                    SELECT picture.*, product.vendor_id, product.visible_at FROM picture JOIN product ON product.id = product_id
                    WHERE picture.name = ?1 OR picture.thumbnail_name = ?1
                    """,
                arguments: [name]
            ).map { (StoredPicture($0), $0["vendor_id"], $0["visible_at"]) }
        }
    }

    // MARK: Writing

    /// Creates a product: first the pictures, then all rows at once.
    func create(
        _ generation: Generation,
        fields: ProductFields,
        pictures uploads: [Upload],
        vendor: StoredVendor? = nil,
        password: SaltedHash? = nil
    ) async throws -> StoredProduct {
        let now = clock()
        let stored = try await onDisk { try self.keep(uploads, at: now) }
        let product = made(generation, fields, stored, vendor, password, at: now)
        do {
            return try await transactions.write { try Self.insert(product, generation, in: $0) }
        } catch {
            await pictures.discard(stored.map(\.name))
            throw error
        }
    }

    /// A new product without rows.
    func made(
        _ generation: Generation,
        _ fields: ProductFields,
        _ pictures: [StoredPicture],
        _ vendor: StoredVendor?,
        _ password: SaltedHash?,
        at now: Double
    ) -> StoredProduct {
        StoredProduct(
            id: 0,
            vendor: vendor,
            fields: fields,
            createdAt: now,
            issuedAt: now,
            visibleAt: now + (generation == .v1 ? readAfterWriteDelay : 0),
            password: password,
            pictures: pictures
        )
    }

    /// Changes a product in one transaction; `nil` if it is gone.
    ///
    /// Uploads replace all pictures.
    func update(
        _ id: Int64,
        _ generation: Generation,
        pictures uploads: [Upload]? = nil,
        change: @escaping @Sendable (inout StoredProduct) -> Void
    ) async throws -> StoredProduct? {
        let now = clock()
        let delay = generation == .v1 ? readAfterWriteDelay : 0
        let stored: [StoredPicture]? =
            if let uploads { try await onDisk { try self.keep(uploads, at: now) } } else { nil }
        do {
            let (product, replaced) = try await transactions.write { database -> (StoredProduct?, [StoredPicture]) in
                guard var product = try Self.product(id, generation, in: database) else { return (nil, []) }
                let replaced = product.pictures
                change(&product)
                let fields = product.fields
                try database.execute(
                    sql: """
                        UPDATE product SET name = ?, description = ?, price = ?, currency = ?, discount = ?, stock = ?,
                            thumbnail_id = ?, issued_at = ?, visible_at = ? WHERE id = ?
                        """,
                    arguments: [
                        fields.name, fields.description, fields.price?.description, fields.currency,
                        fields.discount?.description, fields.stock, product.thumbnail, now, now + delay, id,
                    ]
                )
                guard let stored else { return (try Self.product(id, generation, in: database), []) }
                try database.execute(sql: "DELETE FROM picture WHERE product_id = ?", arguments: [id])
                _ = try Self.insert(stored, of: id, in: database)
                return (try Self.product(id, generation, in: database), replaced)
            }
            await pictures.discard((product == nil ? stored ?? [] : replaced).map(\.name))
            return product
        } catch {
            await pictures.discard((stored ?? []).map(\.name))
            throw error
        }
    }

    /// Deletes a product with its pictures and returns it; `nil` if it is gone already.
    func delete(_ id: Int64, _ generation: Generation) async throws -> StoredProduct? {
        let product = try await transactions.write { database in
            let product = try Self.product(id, generation, in: database)
            if product != nil { try database.execute(sql: "DELETE FROM product WHERE id = ?", arguments: [id]) }
            return product
        }
        await pictures.discard((product?.pictures ?? []).map(\.name))
        return product
    }

    // MARK: Rows

    private func keep(_ uploads: [Upload], at now: Double) throws -> [StoredPicture] {
        var stored: [StoredPicture] = []
        do {
            for upload in uploads {
                let picture = StoredPicture(new: upload.fileExtension, at: now)
                try pictures.write(upload.bytes, name: picture.name)
                stored.append(picture)
            }
            return stored
        } catch {
            for picture in stored { pictures.remove(name: picture.name) }
            throw error
        }
    }

    /// Adds a product's rows; returns it with its ids.
    static func insert(
        _ product: StoredProduct,
        _ generation: Generation,
        in database: Database
    ) throws -> StoredProduct {
        var product = product
        let fields = product.fields
        try database.cachedStatement(
            sql: """
                INSERT INTO product (generation, vendor_id, name, description, price, currency, discount, stock,
                    salt, hash, created_at, created_day, issued_at, visible_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(
            arguments: [
                generation.rawValue, product.vendor?.id, fields.name, fields.description, fields.price?.description,
                fields.currency, fields.discount?.description, fields.stock, product.password?.salt,
                product.password?.hash, product.createdAt, CalendarDay.number(product.createdAt),
                product.issuedAt, product.visibleAt,
            ]
        )
        product.id = database.lastInsertedRowID
        product.pictures = try insert(product.pictures, of: product.id, in: database)
        return product
    }

    /// Adds the rows of pictures; returns them with their ids.
    private static func insert(
        _ pictures: [StoredPicture],
        of product: Int64,
        in database: Database
    ) throws -> [StoredPicture] {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO picture (product_id, name, thumbnail_name, file_extension, created_at)
                VALUES (?, ?, ?, ?, ?)
                """
        )
        return try pictures.map { picture in
            try statement.execute(
                arguments: [
                    product, picture.name, picture.thumbnailName, picture.fileExtension, picture.createdAt,
                ]
            )
            var picture = picture
            picture.id = database.lastInsertedRowID
            return picture
        }
    }

    private static func product(
        _ id: Int64,
        _ generation: Generation,
        in database: Database
    ) throws -> StoredProduct? {
        let known = try Int64.fetchOne(
            database.cachedStatement(sql: "SELECT id FROM product WHERE id = ? AND generation = ?"),
            arguments: [id, generation.rawValue]
        )
        return try known.flatMap { try products([$0], in: database).first }
    }

    private static func products(_ ids: [Int64], in database: Database) throws -> [StoredProduct] {
        guard !ids.isEmpty else { return [] }
        // The statement has the same text for any number of ids, so it is compiled once.
        let list = "[\(ids.map(String.init).joined(separator: ","))]"
        var pictures: [Int64: [StoredPicture]] = [:]
        let pictureRows = try Row.fetchCursor(
            database.cachedStatement(
                sql: "SELECT * FROM picture WHERE product_id IN (SELECT value FROM json_each(?)) ORDER BY id"
            ),
            arguments: [list]
        )
        while let row = try pictureRows.next() {
            pictures[row["product_id"], default: []].append(StoredPicture(row))
        }
        var products: [Int64: StoredProduct] = [:]
        let rows = try Row.fetchCursor(
            database.cachedStatement(
                sql: """
                    SELECT product.*, vendor.name AS vendor_name, vendor.created_at AS vendor_created_at
                    FROM product LEFT JOIN vendor ON vendor.id = vendor_id
                    WHERE product.id IN (SELECT value FROM json_each(?))
                    """
            ),
            arguments: [list]
        )
        while let row = try rows.next() {
            let product = StoredProduct(row, pictures: pictures[row["id"]] ?? [])
            products[product.id] = product
        }
        return ids.compactMap { products[$0] }
    }
}

struct Upload: Hashable, Sendable {
    var bytes: [UInt8]
    /// With the dot; empty if the file's name has none.
    var fileExtension: String
}
