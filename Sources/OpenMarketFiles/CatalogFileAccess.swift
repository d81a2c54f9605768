package import OpenMarket

/// Access to SQLite and gzip for exports; `OpenMarketState` provides it.
package protocol CatalogFileAccess: Sendable {
    /// Reads the rows of an export of any format in order, one at a time.
    ///
    /// `ids` is `nil` if the market's kind of id is unknown. With `isLines` the file is JSON Lines, so an empty one has
    /// no products.
    ///
    /// Throws if the file is not an export or cannot be read; rethrows errors of `body`.
    func rows(
        of path: String,
        as role: FileRole,
        ids: MarketID.Kind?,
        isLines: Bool,
        _ body: (CatalogRow) throws -> Void
    ) throws

    /// The ids of the newest products of an export, as far as it shows them in order.
    ///
    /// Ids of another kind than `ids` are left out. A manifest pins products by `id`. The result is empty if there are
    /// rows but no ids named `id`, and `nil` if there are no rows. Throws if the file cannot be read.
    func newestProducts(
        of path: String,
        as role: FileRole,
        ids: MarketID.Kind,
        atMost count: Int,
        isManifest: Bool
    ) throws -> [MarketID]?

    /// A function that decompresses bytes piece by piece.
    ///
    /// Its last call takes `nil`, and throws if the input is truncated.
    func decompressor() throws -> ([UInt8]?) throws -> [UInt8]

    /// A function that compresses bytes piece by piece.
    ///
    /// Its last call takes `nil`, and returns the rest.
    func compressor() throws -> ([UInt8]?) -> [UInt8]

    func database(at path: String, columns: [CatalogColumn], ids: MarketID.Kind) throws -> any CatalogEncoder
}
