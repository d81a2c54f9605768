import GRDB

extension DatabaseMigrator {
    /// The application id in SQLite's header: "OPSH".
    static let shopApplicationID: Int32 = 0x4F50_5348

    /// The migrations of the schema.
    ///
    /// Released ones never change; new ones are appended.
    static var shop: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.execute(
                sql: """
                    PRAGMA application_id = \(Self.shopApplicationID);
                    CREATE TABLE vendor (
                        id INTEGER PRIMARY KEY AUTOINCREMENT,
                        name TEXT NOT NULL,
                        identifier TEXT NOT NULL UNIQUE COLLATE NOCASE,
                        salt BLOB NOT NULL,
                        hash BLOB NOT NULL,
                        is_active INTEGER NOT NULL DEFAULT 1,
                        created_at REAL NOT NULL
                    );
                    -- Decimals are text: SQLite's numbers would round them.
                    CREATE TABLE product (
                        id INTEGER PRIMARY KEY AUTOINCREMENT,
                        generation INTEGER NOT NULL,
                        vendor_id INTEGER REFERENCES vendor(id),
                        name TEXT NOT NULL,
                        description TEXT NOT NULL,
                        price TEXT,
                        currency TEXT,
                        discount TEXT,
                        stock INTEGER,
                        thumbnail_id INTEGER,
                        salt BLOB,
                        hash BLOB,
                        delete_key_hash BLOB,
                        created_at REAL NOT NULL,
                        -- Days since 1970: lists are sorted by the day, then by the id.
                        created_day INTEGER NOT NULL,
                        issued_at REAL NOT NULL,
                        visible_at REAL NOT NULL
                    );
                    CREATE INDEX product_by_id ON product (generation, id);
                    CREATE INDEX product_by_day ON product (generation, created_day, id);
                    CREATE TABLE picture (
                        id INTEGER PRIMARY KEY AUTOINCREMENT,
                        product_id INTEGER NOT NULL REFERENCES product(id) ON DELETE CASCADE,
                        name TEXT NOT NULL UNIQUE,
                        thumbnail_name TEXT NOT NULL UNIQUE,
                        file_extension TEXT NOT NULL,
                        created_at REAL NOT NULL
                    );
                    CREATE INDEX picture_by_product ON picture (product_id, id);
                    -- Every page of v2 shows the number of products, and counting rows takes time. The version changes
                    -- with every product that comes or goes.
                    CREATE TABLE catalog (
                        generation INTEGER PRIMARY KEY,
                        products INTEGER NOT NULL,
                        version INTEGER NOT NULL
                    );
                    INSERT INTO catalog VALUES (1, 0, 0), (2, 0, 0);
                    CREATE TRIGGER product_made AFTER INSERT ON product BEGIN
                        UPDATE catalog SET products = products + 1, version = version + 1
                        WHERE generation = new.generation;
                    END;
                    CREATE TRIGGER product_deleted AFTER DELETE ON product BEGIN
                        UPDATE catalog SET products = products - 1, version = version + 1
                        WHERE generation = old.generation;
                    END;
                    """
            )
        }
        return migrator
    }
}
