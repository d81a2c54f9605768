package import OpenMarket

/// A product as a manifest writes it: a value for each of the keys that shall be there.
///
/// A ``Listing`` is what a manifest means once it is read, with its pictures opened; this is the text before that.
package struct ManifestProduct: Sendable {
    /// How a sale is written.
    enum Reduction: Sendable {
        /// `sale_price`: what buyers pay.
        case salePrice(ExactDecimal)
        /// `discount`: the amount off.
        case discount(ExactDecimal)
    }

    /// How a stock is written.
    enum Stock: Sendable {
        /// A number.
        case units(Int64)
        /// `{initial: N}`: set on create, left alone after.
        case initial(Int64)
    }

    /// Lines of comment above the product.
    package var comments: [String] = []
    /// The manifest's own name for the product.
    var key: String
    /// The name.
    var name: String?
    /// The long text.
    var description: String?
    /// The price without a sale.
    var price: ExactDecimal?
    /// The currency.
    var currency: Currency?
    /// The sale.
    var reduction: Reduction?
    /// The stock.
    var stock: Stock?
    /// The pictures, as paths from the manifest's folder.
    package var images: [String]?
    /// The picture that lists show, as a path.
    var thumbnail: String?
    /// The live product that is meant.
    var id: MarketID?
    /// Keys that the product had before.
    var previously: [String] = []
    /// Whether the product must not exist.
    var isAbsent = false
    /// Whether the product refuses to be deleted or replaced; `nil` leaves that to the defaults.
    package var isProtected: Bool?
    /// Fields that are sent on create and left alone after.
    var ignoreChanges: ProductFieldSet = []
    /// Where the product's own password is found (v1).
    package var secret: SecretReference?

    /// Values that take the place of these, as an earlier manifest says them.
    var kept: [ProductKey: KeptValue] = [:]
    /// What follows the `#` of comments above the product, as an earlier manifest has them.
    var keptComments: [String] = []

    /// A product that says nothing but its key.
    init(key: String) { self.key = key }
}

extension ManifestProduct {
    /// Makes the product say nothing of a field.
    mutating func clear(_ field: ProductField) {
        switch field {
        case .name: name = nil
        case .description: description = nil
        case .price: price = nil
        case .currency: currency = nil
        case .salePrice: reduction = nil
        case .stock: stock = nil
        case .images: images = nil
        case .thumbnail: thumbnail = nil
        }
    }
}

/// A value of an earlier manifest.
struct KeptValue: Sendable {
    /// What it says.
    var value: ManifestValue
    /// How it is written there, where that is one line of its own; `nil` where it is written again.
    var text: String?
}
