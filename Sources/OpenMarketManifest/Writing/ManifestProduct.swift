package import OpenMarket

/// A product as a manifest writes it, under its key.
package struct ManifestProduct: Sendable {
    package var key: String
    package var added = AddedProduct()
}
