import FoundationEssentials
import OpenMarket

/// What may be changed of a product.
///
/// Any of the numbers may be missing: the markets keep dirty rows.
struct ProductFields: Hashable, Sendable {
    var name: String
    var description: String
    var price: ExactDecimal?
    var currency: String?
    /// As the generation means it: the sale price on v1, the amount off on v2.
    var discount: ExactDecimal?
    var stock: Int64?
}

/// A product as the database has it.
struct StoredProduct: Hashable, Sendable {
    var id: Int64
    var vendor: StoredVendor?
    var fields: ProductFields
    var thumbnail: Int64?
    /// Seconds since 1970.
    var createdAt: Double
    /// When it was made or last changed.
    var issuedAt: Double
    /// From when v1 answers for it.
    var visibleAt: Double
    /// SHA-256 of what the second step of a delete has to name (v2); `nil` while it was not asked for.
    var deleteKeyHash: Data?
    var password: SaltedHash?
    var pictures: [StoredPicture]

    /// The picture that stands for the product: the chosen one, else the first.
    var thumbnailPicture: StoredPicture? {
        pictures.first { $0.id == thumbnail } ?? pictures.first
    }
}

/// A vendor as products show it.
struct StoredVendor: Hashable, Sendable {
    var id: Int64
    var name: String
    var createdAt: Double
}

/// A picture that is on disk.
struct StoredPicture: Hashable, Sendable {
    var id: Int64
    /// 32 hexadecimal digits: the file's name.
    var name: String
    /// 32 other ones, by which v2b calls the thumbnail.
    var thumbnailName: String
    /// The extension of the uploaded file's name, with the dot; empty where there was none.
    var fileExtension: String
    var createdAt: Double
}
