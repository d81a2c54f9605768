package import OpenMarket
import OpenMarketDescription

/// What is above the products of a manifest that is written.
package struct ManifestHead: Sendable {
    /// Lines of comment at the top.
    package var comments: [String] = []
    /// The market's base URL.
    package var url: String?
    /// The profile.
    package var profile: MarketProfile?
    /// The file of the market's description, where it is not a built-in one.
    package var descriptionFile: String?
    /// Where the vendor's identifier is found.
    package var identifier: SecretReference?
    /// Where the vendor's secret is found, or the password of every item.
    package var secret: SecretReference?
    /// The vendor's number.
    package var vendorID: Int64?
    /// The limits of a product; those that differ from the profile's own are written.
    package var limits: ProductLimits?
    /// The hosts beside the market's own that pictures are fetched from.
    var pictureHosts: [String] = []
    /// Where the manifest's folder is served, for a market that fetches pictures itself.
    var picturesURL: String?
    /// Whether new products carry their keys.
    var sendsKeys = false
    /// The currency of products without their own.
    var defaultCurrency: Currency?
    /// The stock of products without their own.
    var defaultStock: ManifestProduct.Stock?
    /// Fields that no product sends after its create.
    var ignoreChanges: ProductFieldSet = []
    /// Whether products refuse to be deleted or replaced unless they say otherwise.
    var isProtected: Bool?

    /// Nothing above the products.
    package init() {}

    /// Gives products without their own a currency; a market that has to take more than every market does says so.
    package mutating func setDefaultCurrency(_ currency: Currency) {
        defaultCurrency = currency
        var limits = limits ?? (profile ?? .v2b).limits
        guard !limits.takes(currency) else { return }
        limits.add(currency)
        self.limits = limits
    }

    /// A market as it was read, and where its secrets are found.
    ///
    /// The paths of a `!file` and of a description are kept as they are: absolute.
    package init(_ market: MarketSettings) {
        url = market.url
        profile = market.profile
        descriptionFile = market.descriptionFile
        // Written, it would have to be set although the market does not know it.
        let isKnown = market.profile?.capabilities.credentials.contains(.identifier) ?? true
        identifier = isKnown ? market.identifier?.reference : nil
        secret = market.secret?.reference
        vendorID = market.vendorID
        limits = market.limits
        pictureHosts = market.pictureHosts
        picturesURL = market.picturesURL
        sendsKeys = market.sendsKeys
    }
}
