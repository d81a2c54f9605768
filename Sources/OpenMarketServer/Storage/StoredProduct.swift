import FoundationEssentials
import GRDB
import OpenMarket

/// The changeable fields of a product.
///
/// Any number may be missing, because the markets have incomplete rows.
struct ProductFields: Hashable, Sendable {
    var name: String
    var description: String
    var price: ExactDecimal?
    var currency: String?
    /// The sale price on v1, the amount off on v2.
    var discount: ExactDecimal?
    var stock: Int64?
}

struct StoredProduct: Hashable, Sendable {
    var id: Int64
    var vendor: StoredVendor?
    var fields: ProductFields
    var thumbnail: Int64?
    /// Seconds since 1970.
    var createdAt: Double
    var issuedAt: Double
    /// The time since which v1 shows the product.
    var visibleAt: Double
    /// SHA-256 of the delete key for the second step of a delete (v2); `nil` until it is requested.
    var deleteKeyHash: Data?
    var password: SaltedHash?
    var pictures: [StoredPicture]

    /// The chosen thumbnail, else the first picture.
    var thumbnailPicture: StoredPicture? {
        pictures.first { $0.id == thumbnail } ?? pictures.first
    }
}

struct StoredVendor: Hashable, Sendable {
    var id: Int64
    var name: String
    var createdAt: Double
}

struct StoredPicture: Hashable, Sendable {
    var id: Int64
    /// 32 hexadecimal digits, which are the file's name.
    var name: String
    /// 32 other digits, which v2b uses for the thumbnail.
    var thumbnailName: String
    /// The extension of the uploaded file's name, with the dot; empty if it had none.
    var fileExtension: String
    var createdAt: Double
}

// MARK: Rows

extension StoredProduct {
    /// Reads a row of `product`, joined with `vendor_name` and `vendor_created_at`.
    init(_ row: Row, pictures: [StoredPicture]) {
        func decimal(_ column: String) -> ExactDecimal? { (row[column] as String?).flatMap { ExactDecimal($0) } }
        let salt: Data? = row["salt"]
        let hash: Data? = row["hash"]
        let vendor: Int64? = row["vendor_id"]
        self.init(
            id: row["id"],
            vendor: vendor.map { StoredVendor(id: $0, name: row["vendor_name"], createdAt: row["vendor_created_at"]) },
            fields: ProductFields(
                name: row["name"],
                description: row["description"],
                price: decimal("price"),
                currency: row["currency"],
                discount: decimal("discount"),
                stock: row["stock"]
            ),
            thumbnail: row["thumbnail_id"],
            createdAt: row["created_at"],
            issuedAt: row["issued_at"],
            visibleAt: row["visible_at"],
            deleteKeyHash: row["delete_key_hash"],
            password: salt.flatMap { salt in hash.map { SaltedHash(salt: salt, hash: $0) } },
            pictures: pictures
        )
    }
}

extension StoredVendor {
    init(_ row: Row) {
        self.init(id: row["id"], name: row["name"], createdAt: row["created_at"])
    }
}

extension StoredPicture {
    init(_ row: Row) {
        self.init(
            id: row["id"],
            name: row["name"],
            thumbnailName: row["thumbnail_name"],
            fileExtension: row["file_extension"],
            createdAt: row["created_at"]
        )
    }

    /// A picture under new names, without a row.
    init(new fileExtension: String, at now: Double) {
        func digits() -> String { UUID().uuidString.lowercased().filter { $0 != "-" } }
        self.init(
            id: 0,
            name: digits(),
            thumbnailName: digits(),
            fileExtension: fileExtension,
            createdAt: now
        )
    }
}
