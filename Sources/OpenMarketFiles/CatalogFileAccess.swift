package import OpenMarket

/// What exports need of libraries: SQLite and gzip, which `OpenMarketCatalogFiles` has.
package protocol CatalogFileAccess: Sendable {
    /// Reads the rows of an export of any format in their order, one at a time.
    ///
    /// - Throws: why the file is not an export, or cannot be read; what `body` throws.
    func rows(of path: String, as role: FileRole, _ body: (CatalogRow) throws -> Void) throws

    /// Products of an export, the newest as far as it shows them in order.
    ///
    /// - Parameters:
    ///   - path: the export.
    ///   - role: as what it is read.
    ///   - count: how many at most.
    ///   - isManifest: whether it is a manifest, which pins products by `id`.
    /// - Returns: their ids, none where there are rows that do not begin with one; `nil` where there are no rows.
    /// - Throws: why the file cannot be read.
    func newestProducts(of path: String, as role: FileRole, atMost count: Int, isManifest: Bool) throws -> [ProductID]?

    /// Takes compressed bytes apart, piece by piece: each call takes the next piece and returns what it holds.
    func decompressor() throws -> ([UInt8]) throws -> [UInt8]

    /// Compresses a text piece by piece; the last call takes `nil`, and returns the rest.
    func compressor() throws -> ([UInt8]?) -> [UInt8]

    /// A SQLite database with these columns.
    func database(at path: String, columns: [CatalogColumn]) throws -> any CatalogEncoder
}
