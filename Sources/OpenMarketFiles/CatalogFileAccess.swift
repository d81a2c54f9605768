package import OpenMarket

/// What exports need of libraries: SQLite and gzip, which `OpenMarketCatalogFiles` has.
package protocol CatalogFileAccess: Sendable {
    /// Reads the rows of an export of any format in their order, one at a time.
    ///
    /// - Parameters:
    ///   - path: the export.
    ///   - role: as what it is read.
    ///   - ids: what the market calls products by; `nil` where that is not known.
    ///   - isLines: whether it is known to be JSON Lines, of which a file without a byte has no products.
    ///   - body: takes each row.
    /// - Throws: why the file is not an export, or cannot be read; what `body` throws.
    func rows(
        of path: String,
        as role: FileRole,
        ids: MarketID.Kind?,
        isLines: Bool,
        _ body: (CatalogRow) throws -> Void
    ) throws

    /// Products of an export, the newest as far as it shows them in order.
    ///
    /// - Parameters:
    ///   - path: the export.
    ///   - role: as what it is read.
    ///   - ids: what the market calls products by; ids of another kind are not given.
    ///   - count: how many at most.
    ///   - isManifest: whether it is a manifest, which pins products by `id`.
    /// - Returns: their ids, none where there are rows and no id under the name `id`; `nil` where there are no rows.
    /// - Throws: why the file cannot be read.
    func newestProducts(
        of path: String,
        as role: FileRole,
        ids: MarketID.Kind,
        atMost count: Int,
        isManifest: Bool
    ) throws -> [MarketID]?

    /// Decompresses a text piece by piece; the last call takes `nil`, and throws where the text is cut off.
    func decompressor() throws -> ([UInt8]?) throws -> [UInt8]

    /// Compresses a text piece by piece; the last call takes `nil`, and returns the rest.
    func compressor() throws -> ([UInt8]?) -> [UInt8]

    /// A SQLite database with these columns, in a market that calls products so.
    func database(at path: String, columns: [CatalogColumn], ids: MarketID.Kind) throws -> any CatalogEncoder
}
