package import OpenMarket

/// A product as a manifest writes it, with a value for each key to write.
///
/// A ``Listing`` is the meaning of a manifest after reading, with its pictures opened; this is the text before that.
package struct ManifestProduct: Sendable {
    enum Reduction: Sendable {
        /// `sale_price`: the price that buyers pay.
        case salePrice(ExactDecimal)
        /// `discount`: the amount off.
        case discount(ExactDecimal)
    }

    enum Stock: Sendable {
        case units(Int64)
        /// `{initial: N}`: set on creation, not changed later.
        case initial(Int64)
    }

    package var comments: [String] = []
    package var key: String
    var name: String?
    var description: String?
    var price: ExactDecimal?
    package var currency: Currency?
    var reduction: Reduction?
    var stock: Stock?
    /// Paths relative to the manifest's folder.
    package var images: [String]?
    /// The path of the thumbnail.
    var thumbnail: String?
    var id: MarketID?
    var previously: [String] = []
    var isAbsent = false
    /// Whether the product refuses deletion and replacement; `nil` leaves that to the defaults.
    package var isProtected: Bool?
    /// Fields that are sent on creation and not changed later.
    var ignoreChanges: ProductFieldSet = []
    /// The source of the product's own password (v1).
    package var secret: SecretReference?

    init(key: String) { self.key = key }
}
