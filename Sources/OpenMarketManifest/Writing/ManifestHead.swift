package import OpenMarket
import OpenMarketDescription

/// The part of a written manifest above the products.
package struct ManifestHead: Sendable {
    package var comments: [String] = []
    package var url: String?
    package var profile: MarketProfile?
    /// The path of the market's description; `nil` for a built-in market.
    package var descriptionFile: String?
    package var identifier: SecretReference?
    /// The source of the vendor's secret, or of the password of every item.
    package var secret: SecretReference?
    package var vendorID: Int64?
    /// The limits of a product; those that differ from the profile are written.
    package var limits: ProductLimits?
    /// The hosts of pictures, in addition to the market's own.
    var pictureHosts: [String] = []
    /// The URL of the manifest's folder, for a market that fetches pictures itself.
    package var picturesURL: String?
    /// Whether new products are created with their keys.
    package var sendsKeys = false
    /// The currency of products that state none.
    var defaultCurrency: Currency?

    package init() {}

    /// Sets the currency of products that state none, and adds it to the limits if it is missing there.
    package mutating func setDefaultCurrency(_ currency: Currency) {
        defaultCurrency = currency
        allow(currency)
    }

    /// Adds a currency to the limits if it is missing there.
    package mutating func allow(_ currency: Currency) {
        var limits = limits ?? (profile ?? .standard).limits
        guard !limits.takes(currency) else { return }
        limits.add(currency)
        self.limits = limits
    }

    /// The head for a market's settings, with references to its secrets.
    ///
    /// The paths of a `!file` and of a description stay absolute.
    package init(_ market: MarketSettings) {
        url = market.url
        profile = market.profile
        descriptionFile = market.descriptionFile
        // The user would have to set a written credential although the market does not use it.
        let used = market.profile?.capabilities.credentials ?? [.identifier, .secret]
        identifier = used.contains(.identifier) ? market.identifier?.reference : nil
        secret = used.contains(.secret) ? market.secret?.reference : nil
        vendorID = market.vendorID
        limits = market.limits
        pictureHosts = market.pictureHosts
        picturesURL = market.picturesURL
        sendsKeys = market.sendsKeys
    }
}
