import FoundationEssentials
import GRDB
import OpenMarket
import Synchronization

extension Shop {
    /// Admits vendors for writing.
    ///
    /// If `exactly`, they get their names and no other vendor may write; those of earlier runs keep their products.
    /// Otherwise the others may still write, and an existing vendor keeps its name.
    func admit(_ vendors: [Vendor], exactly: Bool) async throws {
        let now = clock()
        defer { knownVendors.forget() }
        try await pool.write { database in
            if exactly { try database.execute(sql: "UPDATE vendor SET is_active = 0") }
            for vendor in vendors {
                let secret = SaltedHash(of: vendor.secret.revealed)
                let known = try Int64.fetchOne(
                    database,
                    sql: "SELECT id FROM vendor WHERE identifier = ?",
                    arguments: [vendor.identifier]
                )
                if let id = vendor.id {
                    let owner = try String.fetchOne(
                        database,
                        sql: "SELECT identifier FROM vendor WHERE id = ?",
                        arguments: [id]
                    )
                    guard known.map({ $0 == id }) ?? (owner == nil) else {
                        throw ServerError(
                            .input,
                            "vendor '\(vendor.name)': the id \(id) does not fit the database: "
                                + (known.map { "this identifier has the id \($0)" } ?? "another vendor has it")
                        )
                    }
                }
                if let known {
                    try database.execute(
                        sql: "UPDATE vendor SET name = ifnull(?, name), salt = ?, hash = ?, is_active = 1 WHERE id = ?",
                        arguments: [exactly ? vendor.name : nil, secret.salt, secret.hash, known]
                    )
                } else {
                    try database.execute(
                        sql: """
                            INSERT INTO vendor (id, name, identifier, salt, hash, created_at) VALUES (?, ?, ?, ?, ?, ?)
                            """,
                        arguments: [vendor.id, vendor.name, vendor.identifier, secret.salt, secret.hash, now]
                    )
                }
            }
        }
    }

    /// Whether any vendor may write on v2.
    func hasVendors() async throws -> Bool {
        try await pool.read { database in
            try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM vendor WHERE is_active)") ?? false
        }
    }

    /// The vendor with an identifier; `nil` if there is none that may write.
    func vendor(identifier: String) async throws -> KnownVendor? {
        if let known = knownVendors[identifier] { return known }
        let found = try await pool.read { database in
            try Row.fetchOne(
                database,
                sql: "SELECT id, name, created_at, salt, hash FROM vendor WHERE identifier = ? AND is_active",
                arguments: [identifier]
            ).map { row in
                KnownVendor(
                    shown: StoredVendor(row),
                    secret: SaltedHash(salt: row["salt"], hash: row["hash"])
                )
            }
        }
        if let found { knownVendors.remember(found, as: identifier) }
        return found
    }
}

struct KnownVendor: Hashable, Sendable {
    var shown: StoredVendor
    var secret: SaltedHash
}

/// Caches the vendors that wrote last.
///
/// Each request has one, and a database read costs more than the rest of the check.
final class VendorMemory: Sendable {
    private struct Known {
        var vendor: KnownVendor
        var until: ContinuousClock.Instant
    }

    /// How long another process's change of a vendor may stay unnoticed.
    private static let patience = Duration.seconds(1)
    private static let capacity = 1000

    private let vendors = Mutex<[String: Known]>([:])

    subscript(identifier: String) -> KnownVendor? {
        vendors.withLock { vendors in
            vendors[identifier].flatMap { $0.until > .now ? $0.vendor : nil }
        }
    }

    func remember(_ vendor: KnownVendor, as identifier: String) {
        vendors.withLock { vendors in
            if vendors.count >= Self.capacity { vendors = [:] }
            vendors[identifier] = Known(vendor: vendor, until: .now + Self.patience)
        }
    }

    func forget() {
        vendors.withLock { $0 = [:] }
    }
}
