/// The form into which the rows of a page are read: products, the bytes of an export, or less.
///
/// Each page has its own value, a copy of the reader's empty one. Pages are read concurrently, so the work for each row
/// here runs on all cores.
package protocol PageRows: Sendable {
    var count: Int { get }

    /// Adds a row of a page whose bytes are valid only during the call.
    mutating func append(_ row: LiveRow)

    /// Adds a product that is not a row of a page's bytes.
    mutating func append(_ product: LiveProduct)

    /// Keeps the rows at these positions, which ascend, and drops all others.
    mutating func keep(_ places: [Int])
}

/// The rows of a page as products.
package struct ProductRows: PageRows {
    /// The products in the market's order.
    package private(set) var products: [LiveProduct] = []

    package init() {}

    package var count: Int { products.count }

    package mutating func append(_ row: LiveRow) { products.append(LiveProduct(row)) }

    package mutating func append(_ product: LiveProduct) { products.append(product) }

    package mutating func keep(_ places: [Int]) {
        guard places.count < products.count else { return }
        products = places.map { products[$0] }
    }
}
