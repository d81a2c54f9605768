import Crypto
import FoundationEssentials
import GRDB

/// A password or a vendor's secret in the database: a random salt, and SHA-256 over salt and text.
struct SaltedHash: Hashable, Sendable {
    let salt: Data
    let hash: Data
}

extension SaltedHash {
    init(of text: String) {
        salt = Data((0..<16).map { _ in UInt8.random(in: .min ... .max) })
        hash = Data(Self.digest(salt: salt, text: text))
    }

    /// Compares in constant time.
    func matches(_ text: String) -> Bool {
        Self.digest(salt: salt, text: text) == hash
    }

    private static func digest(salt: Data, text: String) -> SHA256.Digest {
        var function = SHA256()
        function.update(data: salt)
        function.update(data: Data(text.utf8))
        return function.finalize()
    }
}

// A delete key is derived from a vendor's secret and a product. The database keeps only its hash, so a reader of the
// database cannot delete products. A client with the secret gets the same key again.
extension Shop {
    /// The key that deletes a product; it changes only with the product or the secret.
    func deleteKey(of product: StoredProduct, secret: String) async throws -> String {
        let text = "openmarket delete key\n\(product.id)\n\(product.createdAt.bitPattern)"
        let code = HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: SymmetricKey(data: Data(secret.utf8)))
        let key = code.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }.uuidString.lowercased()
        let hash = StoredProduct.hash(ofDeleteKey: key)
        if product.deleteKeyHash != hash {
            try await pool.write { database in
                try database.execute(
                    sql: "UPDATE product SET delete_key_hash = ? WHERE id = ?",
                    arguments: [hash, product.id]
                )
            }
        }
        return key
    }
}

extension StoredProduct {
    /// Whether a text is the last issued key; case is ignored.
    func isDeleteKey(_ text: String) -> Bool {
        deleteKeyHash == Self.hash(ofDeleteKey: text.lowercased())
    }

    /// The hash of a key in the database; 128 random bits do not need a salt.
    static func hash(ofDeleteKey key: String) -> Data {
        Data(SHA256.hash(data: Data(key.utf8)))
    }
}
