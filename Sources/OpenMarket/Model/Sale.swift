/// The sale of a product, if any, and its price.
///
/// The wire formats are opposite: v1's `discounted_price` is the reduced price, v2's the amount taken off
/// (docs/reference/open-market-versions.md, "Differences"). Here it is always the price that a buyer pays.
package enum Sale: Hashable, Sendable {
    case fullPrice
    /// The price that buyers pay instead.
    case price(ExactDecimal)

    /// A sale at the full price does not count: v1 ends sales that way.
    package static func at(_ salePrice: ExactDecimal, insteadOf price: ExactDecimal?) -> Sale {
        salePrice == price ? .fullPrice : .price(salePrice)
    }

    /// The same sale; at the full price, no sale.
    package func normalized(price: ExactDecimal?) -> Sale {
        salePrice.map { Sale.at($0, insteadOf: price) } ?? self
    }

    package var salePrice: ExactDecimal? {
        if case .price(let value) = self { value } else { nil }
    }
}
