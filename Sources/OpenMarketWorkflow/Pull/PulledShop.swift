import OpenMarket
import OpenMarketManifest

/// What a pull made.
package struct PulledShop: Sendable {
    /// The manifest.
    var path: String
    /// How many products it has.
    var products: Int
    /// How many pictures there are.
    var pictures: Int
    /// How many pictures the market did not give, and may give another time.
    var missing: Int
    /// What is on the market and not in the manifest.
    var omissions: [LiveProductWriter.Omission]
    /// The own passwords of products that the manifest does not name.
    var secrets: [UnsaidSecret] = []
    /// What the manifest before said, and this one does not.
    var losses: [EarlierManifest.Loss]
    /// Whether the catalog changed while it was read; `nil` where nothing shows it.
    var catalogMoved: Bool?
    /// Whether it is proved that all products of the market were read.
    var isProved: Bool
    /// How many rows of the market's list could not be read, and are not in the manifest.
    var lostRows: Int
    /// How many products are in other files of the manifest, and so not in this one.
    var elsewhere: Int

    /// A product's own password that the state knows, and whose place the manifest cannot say.
    struct UnsaidSecret: Hashable, Sendable {
        /// The product's key.
        var key: String
        /// The product.
        var id: MarketID
        /// Why.
        var reason: String
    }

    /// What keeps the products from being all that the market has; `nil` where nothing does.
    var gap: CatalogGap? { CatalogGap(isProved: isProved, moved: catalogMoved, lostRows: lostRows) }

    /// Makes sure that all was pulled; of two reasons missing pictures win.
    ///
    /// - Throws: ``PullError/picturesMissing(_:)``, ``CatalogGap``.
    package func requireWhole() throws {
        guard missing == 0 else { throw PullError.picturesMissing(missing) }
        if let gap { throw gap }
    }
}
