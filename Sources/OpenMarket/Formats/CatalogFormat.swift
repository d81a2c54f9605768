/// Writes the products of an export one after the other, as bytes or into its own file.
package protocol CatalogEncoder {
    /// Adds a product; `key` is the manifest's, if the state knows the product.
    mutating func append(_ product: LiveProduct, key: String?) throws

    /// Adds the end of the file, after the last product.
    mutating func end() throws

    /// The bytes since the last call.
    mutating func takeBytes() throws -> [UInt8]
}

/// A text format of an exported catalog, in which each product is written independently.
///
/// Copies of the format write the pages of a list concurrently. The text before the first product is written when the
/// format is created; nothing follows the last one.
package protocol CatalogFormat: Sendable {
    /// Adds a product; `key` is the manifest's, if the state knows the product.
    mutating func append(_ product: LiveProduct, key: String?)

    /// Adds a row directly from the page's bytes, with the same output as for its product.
    mutating func append(_ row: LiveRow, key: String?)

    /// The bytes since the last call.
    mutating func takeBytes() -> [UInt8]

    var pendingByteCount: Int { get }
}

package enum CatalogEncoding {
    case text(any CatalogFormat)
    case products(any CatalogEncoder)
}
