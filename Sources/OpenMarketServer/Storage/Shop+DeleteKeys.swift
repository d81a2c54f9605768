import Crypto
import FoundationEssentials
import GRDB

// A delete key is what a vendor's secret says about a product. The database keeps its hash alone, so whoever reads it
// can delete nothing; who has the secret gets the same key again.
extension Shop {
    /// The key that deletes a product, the same for as long as the product lives and the secret stays.
    func deleteKey(of product: StoredProduct, secret: String) async throws -> String {
        let text = "openmarket delete key\n\(product.id)\n\(product.createdAt.bitPattern)"
        let code = HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: SymmetricKey(data: Data(secret.utf8)))
        let key = TimeUUID(derivedFrom: Array(code)).dashed
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
    /// Whether a text is the key that was given out last, in any case of letters.
    func isDeleteKey(_ text: String) -> Bool {
        deleteKeyHash == Self.hash(ofDeleteKey: text.lowercased())
    }

    /// What the database keeps of a key; 122 bits that cannot be guessed need no salt.
    static func hash(ofDeleteKey key: String) -> Data {
        Data(SHA256.hash(data: Data(key.utf8)))
    }
}
