/// A column of an exported catalog.
///
/// The raw value is its name in the header.
public enum CatalogColumn: String, Sendable, CaseIterable {
    /// The market's number.
    case id
    /// The manifest's key, where the state knows the product.
    case key
    /// The name.
    case name
    /// The long text; unset where the list does not show it.
    case description
    /// The price before any reduction.
    case price
    /// The currency code.
    case currency
    /// The price while a sale lasts; unset without a sale.
    case salePrice = "sale_price"
    /// What a sale takes off; unset without a sale.
    case discount
    /// Units for sale.
    case stock
    /// The vendor's number (v2).
    case vendorID = "vendor_id"
    /// The vendor's name (v2b lists, v2 details).
    case vendor
    /// The URL of the small picture.
    case thumbnail
    /// The URLs of the pictures, separated by spaces in a table; unset where the list does not show them.
    case images
    /// When it was registered, as the market writes it.
    case createdAt = "created_at"
    /// When it was registered or edited, as the market writes it (v2).
    case issuedAt = "issued_at"

    /// The column's value of a product, exactly.
    ///
    /// - Parameters:
    ///   - product: a row or a detail.
    ///   - key: the manifest's key, where the state knows the product.
    /// - Returns: `nil` when the market did not show it.
    public func value(of product: LiveProduct, key: String?) -> CatalogValue? {
        switch self {
        case .id: .integer(product.id.rawValue)
        case .key: key.map(CatalogValue.text)
        case .name: product.name.map(CatalogValue.text)
        case .description: product.description.map(CatalogValue.text)
        case .price: product.price.map(CatalogValue.decimal)
        case .currency: (product.currency?.rawValue).map(CatalogValue.text)
        case .salePrice: (product.sale?.salePrice).map(CatalogValue.decimal)
        case .discount: product.discount.map(CatalogValue.decimal)
        case .stock: product.stock.map(CatalogValue.integer)
        case .vendorID: product.vendorID.map(CatalogValue.integer)
        case .vendor: product.vendorName.map(CatalogValue.text)
        case .thumbnail: product.thumbnailURL.map(CatalogValue.text)
        case .images: product.images.map { .list($0.map(\.url)) }
        case .createdAt: product.createdAt.map(CatalogValue.text)
        case .issuedAt: product.issuedAt.map(CatalogValue.text)
        }
    }
}

extension LiveProduct {
    /// What a sale takes off the price; `nil` without a sale.
    public var discount: ExactDecimal? {
        guard let salePrice = sale?.salePrice, let price else { return nil }
        return price.subtracting(salePrice)
    }
}
