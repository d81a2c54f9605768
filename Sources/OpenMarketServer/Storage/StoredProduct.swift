import FoundationEssentials
import OpenMarket

/// The changeable fields of a product.
///
/// Any number may be missing, because the markets keep dirty rows.
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
    /// The time from which v1 answers for it.
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
