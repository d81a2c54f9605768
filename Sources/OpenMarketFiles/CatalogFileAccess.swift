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

    /// A function that decompresses bytes piece by piece.
    ///
    /// Its last call takes `nil`, and throws if the input is truncated.
    func decompressor() throws -> ([UInt8]?) throws -> [UInt8]

    /// A function that compresses bytes piece by piece.
    ///
    /// Its last call takes `nil`, and returns the rest. The fast one takes a third of the time for a fourth more bytes.
    func compressor(isFast: Bool) throws -> ([UInt8]?) -> [UInt8]

    func database(at path: String, columns: [CatalogColumn], ids: MarketID.Kind) throws -> any CatalogEncoder
}
