/// A field of a product that a manifest can manage.
///
/// The raw value is the manifest's and the plan's name for it.
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

    /// In the order of declaration, which is the order of every output.
    package static func < (left: ProductField, right: ProductField) -> Bool {
        left.order < right.order
    }

    /// What kind of value a field has.
    package enum Kind: Sendable {
        /// A text for buyers.
        case text
        /// A short name from a list: a currency.
        case code
        /// An amount of money.
        case amount
        /// The price of a sale, or that there is none.
        case sale
        /// A whole number.
        case count
        /// Several pictures.
        case images
        /// One of the pictures.
        case image

        /// Whether its values are short: they fit on a line with others.
        package var isShort: Bool {
            switch self {
            case .code, .amount, .sale, .count: true
            case .text, .images, .image: false
            }
        }
    }

    /// What kind of value the field has: what has no rule for a single field goes by this.
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

extension ProductFieldSet {
    /// The fields of which it is said, one by one, whether they are among them.
    init(
        name: Bool,
        description: Bool,
        price: Bool,
        currency: Bool,
        salePrice: Bool,
        stock: Bool,
        images: Bool,
        thumbnail: Bool
    ) {
        self.init()
        if name { insert(.name) }
        if description { insert(.description) }
        if price { insert(.price) }
        if currency { insert(.currency) }
        if salePrice { insert(.salePrice) }
        if stock { insert(.stock) }
        if images { insert(.images) }
        if thumbnail { insert(.thumbnail) }
    }
}
