/// What the rows of a page become while they are read: products, the bytes of an export, or less.
///
/// One value for a page, a copy of the empty one that the reader of the list began with. Pages are read several at a time,
/// so what is done for each row here is done on all cores.
package protocol PageRows: Sendable {
    /// How many rows it has.
    var count: Int { get }

    /// Adds a row of a page whose bytes are there only during the call.
    mutating func append(_ row: LiveRow)

    /// Adds a product that is not a row of a page's bytes.
    mutating func append(_ product: LiveProduct)

    /// Keeps the rows at these places, which rise, and drops all others.
    mutating func keep(_ places: [Int])
}

/// The rows of a page as products.
package struct ProductRows: PageRows {
    /// The products in the market's order.
    package private(set) var products: [LiveProduct] = []

    package init() {}

    /// How many products there are.
    package var count: Int { products.count }

    /// Adds the product that a row shows.
    package mutating func append(_ row: LiveRow) { products.append(LiveProduct(row)) }

    package mutating func append(_ product: LiveProduct) { products.append(product) }

    /// Keeps the products at these places.
    package mutating func keep(_ places: [Int]) {
        guard places.count < products.count else { return }
        products = places.map { products[$0] }
    }
}
