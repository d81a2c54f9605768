package import OpenMarket
import OpenMarketDescription

/// A first manifest to edit: a market, and one product with one picture.
package struct StarterManifest: Sendable {
    /// The market's base URL; by default that of a local server.
    package var url = "http://127.0.0.1:8080"
    package var profile = MarketProfile.standard
    /// The path of the market's description; `nil` for a built-in market.
    package var descriptionFile: String?
    package var currency = Currency.krw

    /// The path of the product's picture, relative to the manifest's folder.
    package static let picture = "images/desk-lamp.png"

    package init() {}

    /// The manifest's bytes.
    ///
    /// It refers to variables for the credentials, and contains none.
    package func bytes() throws(UnreadableManifest) -> [UInt8] {
        var head = ManifestHead()
        head.comments = [
            "The shop's products. `openmarket plan` shows the changes on the market, `openmarket apply` makes them."
        ]
        head.url = url
        head.profile = profile
        head.descriptionFile = descriptionFile
        let credentials = profile.capabilities.credentials
        if credentials.contains(.identifier) { head.identifier = .environment("OPENMARKET_IDENTIFIER") }
        if credentials.contains(.secret) { head.secret = .environment("OPENMARKET_SECRET") }
        head.setDefaultCurrency(currency)
        // Whole numbers: v1 takes only those.
        let isWon = currency == .krw
        var values = ProductValues.blank
        values.name = "Desk lamp"
        values.description = "Warm light, two arms, and a heavy foot."
        values.price = ExactDecimal(isWon ? 35_000 : 40)
        values.sale = .price(ExactDecimal(isWon ? 31_500 : 36))
        values.stock = 12
        var product = AddedProduct(values: values, images: [Self.picture])
        product.comments = ["The key is your own name for the product."]
        var writer = ManifestWriter(head)
        writer.append(ManifestProduct(key: "desk-lamp", added: product))
        writer.finish()
        return try writer.takeBytes()
    }
}
