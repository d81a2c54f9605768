/// A format of an exported catalog: products in, bytes out, so that a format is one file.
///
/// What stands before the first product is written when the format is made, and products are written each for itself: the
/// pages of a list are written at once, each by a copy of the format, and put together.
public protocol CatalogFormat: Sendable {
    /// Adds a product; `key` is the manifest's, where the state knows the product.
    mutating func append(_ product: LiveProduct, key: String?)

    /// Adds a row, straight from the page's bytes, exactly as the product that it shows.
    mutating func append(_ row: LiveRow, key: String?)

    /// Adds what follows the last product.
    mutating func end()

    /// The bytes since the last call.
    mutating func takeBytes() -> [UInt8]

    /// How many bytes wait to be taken.
    var pendingByteCount: Int { get }
}

extension CatalogFormat {
    /// Adds nothing: most formats end with their last product.
    public mutating func end() {}
}
