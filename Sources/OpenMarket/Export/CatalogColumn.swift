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
    /// The URLs of the pictures, separated by spaces; unset where the list does not show them.
    case images
    /// When it was registered, as the market writes it.
    case createdAt = "created_at"
    /// When it was registered or edited, as the market writes it (v2).
    case issuedAt = "issued_at"

    /// Whether a list lacks the column on some deployment, so that details have to be read to fill it.
    public var mayNeedDetails: Bool {
        self == .description || self == .images || self == .vendor
    }

    /// The column's value of a product, exactly.
    ///
    /// - Parameters:
    ///   - product: a row or a detail.
    ///   - key: the manifest's key, where the state knows the product.
    /// - Returns: `nil` when the market did not show it.
    public func value(of product: LiveProduct, key: String?) -> String? {
        switch self {
        case .id: String(product.id.rawValue)
        case .key: key
        case .name: product.name
        case .description: product.description
        case .price: product.price?.description
        case .currency: product.currency?.rawValue
        case .salePrice: product.sale?.salePrice?.description
        case .discount: product.discount?.description
        case .stock: product.stock.map(String.init)
        case .vendorID: product.vendorID.map(String.init)
        case .vendor: product.vendorName
        case .thumbnail: product.thumbnailURL
        case .images: product.images.map { $0.map(\.url).joined(separator: " ") }
        case .createdAt: product.createdAt
        case .issuedAt: product.issuedAt
        }
    }

    /// Whether the value is a number in every format that tells numbers from text.
    public var isNumeric: Bool {
        switch self {
        case .id, .price, .salePrice, .discount, .stock, .vendorID: true
        default: false
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
