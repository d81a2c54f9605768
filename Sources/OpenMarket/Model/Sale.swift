/// Whether a product is on sale, and at what price.
///
/// The wire says it in opposite ways: v1's `discounted_price` is the price after the reduction, v2's the amount
/// taken off (docs/profiles.md, "What you notice"). Here it is always the price that a buyer pays.
package enum Sale: Hashable, Sendable {
    /// The product sells at its price.
    case fullPrice
    /// The product sells at this price instead.
    case price(ExactDecimal)

    /// A sale at the full price is not a sale: v1 ends sales that way.
    package static func at(_ salePrice: ExactDecimal, insteadOf price: ExactDecimal?) -> Sale {
        salePrice == price ? .fullPrice : .price(salePrice)
    }

    /// The same, with a sale at the full price read as none.
    package func normalized(price: ExactDecimal?) -> Sale {
        salePrice.map { Sale.at($0, insteadOf: price) } ?? self
    }

    /// The sale price, if there is a sale.
    package var salePrice: ExactDecimal? {
        if case .price(let value) = self { value } else { nil }
    }
}
