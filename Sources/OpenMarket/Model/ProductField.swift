/// A field of a product that a manifest can manage.
///
/// The raw value is its name in manifests and plans.
package enum ProductField: String, Sendable, CaseIterable, Comparable {
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

    /// Compares by declaration order, the order of every output.
    package static func < (left: ProductField, right: ProductField) -> Bool {
        left.bit < right.bit
    }

    package enum Kind: Sendable {
        case text
        /// A short name from a list: a currency.
        case code
        case amount
        case sale
        case count
        case images
        case image

        /// Whether values are short enough to share a line with others.
        package var isShort: Bool {
            switch self {
            case .code, .amount, .sale, .count: true
            case .text, .images, .image: false
            }
        }
    }

    /// The kind of the field's values, for rules that do not name single fields.
    package var kind: Kind {
        switch self {
        case .name, .description: .text
        case .price: .amount
        case .currency: .code
        case .salePrice: .sale
        case .stock: .count
        case .images: .images
        case .thumbnail: .image
        }
    }

    /// Its place among the cases.
    var order: Int { bit.trailingZeroBitCount }

    /// Its place in a ``ProductFieldSet``; the order of the bits is that of the cases.
    var bit: UInt8 {
        switch self {
        case .name: 1
        case .description: 2
        case .price: 4
        case .currency: 8
        case .salePrice: 16
        case .stock: 32
        case .images: 64
        case .thumbnail: 128
        }
    }
}
