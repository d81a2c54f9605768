/// Writes the products of an export one by one, as bytes or into a file.
package protocol CatalogEncoder {
    /// `key` is the manifest's, if the product is in the state.
    mutating func append(_ product: LiveProduct, key: String?) throws

    /// Writes the end of the file, after the last product.
    mutating func end() throws

    /// Returns the bytes since the last call.
    mutating func takeBytes() throws -> [UInt8]
}

/// A text format of an exported catalog, with independent products.
///
/// Copies of the format write the pages of a list concurrently. A new format writes the text before the first product;
/// the last product is at the end.
package protocol CatalogFormat: Sendable {
    /// `key` is the manifest's, if the product is in the state.
    mutating func append(_ product: LiveProduct, key: String?)

    /// Adds a row directly from the page's bytes, with the same output as for its product.
    mutating func append(_ row: LiveRow, key: String?)

    /// Returns the bytes since the last call.
    mutating func takeBytes() -> [UInt8]

    var pendingByteCount: Int { get }
}

package enum CatalogEncoding {
    case text(any CatalogFormat)
    case products(any CatalogEncoder)
}
