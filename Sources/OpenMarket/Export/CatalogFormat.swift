/// Writes the products of an export one after the other: as bytes, or into a file of its own.
package protocol CatalogEncoder {
    /// Adds a product; `key` is the manifest's, where the state knows the product.
    mutating func append(_ product: LiveProduct, key: String?) throws

    /// Adds what follows the last product.
    mutating func end() throws

    /// The bytes since the last call.
    mutating func takeBytes() throws -> [UInt8]
}

/// A text format of an exported catalog, whose products are written each for itself, so that the pages of a list are
/// written concurrently, each by a copy of the format.
///
/// What precedes the first product is written when the format is made; nothing follows the last one.
package protocol CatalogFormat: Sendable {
    /// Adds a product; `key` is the manifest's, where the state knows the product.
    mutating func append(_ product: LiveProduct, key: String?)

    /// Adds a row, straight from the page's bytes, exactly as the product that it shows.
    mutating func append(_ row: LiveRow, key: String?)

    /// The bytes since the last call.
    mutating func takeBytes() -> [UInt8]

    /// How many bytes wait to be taken.
    var pendingByteCount: Int { get }
}

/// How the products of an export are written.
package enum CatalogEncoding {
    /// As text, page by page.
    case text(any CatalogFormat)
    /// One after the other.
    case products(any CatalogEncoder)
}
