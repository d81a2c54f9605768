/// The form into which the rows of a page are read: products, the bytes of an export, or less.
///
/// Each page has a copy of the reader's empty value. Pages are read concurrently, so the work for each row runs on all
/// cores.
package protocol PageRows: Sendable {
    var count: Int { get }

    /// The row's page is valid only during the call.
    mutating func append(_ row: LiveRow)

    /// Adds a product that does not come from a page.
    mutating func append(_ product: LiveProduct)

    /// Keeps the rows at these ascending positions, and drops all others.
    mutating func keep(_ places: [Int])
}

package struct ProductRows: PageRows {
    /// In the market's order.
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
