/// A field of a product that a manifest can manage.
///
/// The raw value is the manifest's and the plan's name for it.
public enum ProductField: String, Sendable, CaseIterable, Comparable {
    /// The name shown to buyers.
    case name
    /// The long text.
    case description
    /// The price before any reduction.
    case price
    /// The currency of both prices.
    case currency
    /// The price that buyers pay while a sale lasts.
    case salePrice = "sale_price"
    /// Units for sale.
    case stock
    /// The pictures, in order.
    case images
    /// The picture that lists show.
    case thumbnail

    /// In the order of declaration, which is the order of every output.
    public static func < (left: ProductField, right: ProductField) -> Bool {
        left.order < right.order
    }

    /// The place in that order.
    var order: Int {
        switch self {
        case .name: 0
        case .description: 1
        case .price: 2
        case .currency: 3
        case .salePrice: 4
        case .stock: 5
        case .images: 6
        case .thumbnail: 7
        }
    }
}
