package import OpenMarket

/// What a plan is of: what every review says at its head, so that none is taken for one of another shop.
package struct ReviewSubject: Sendable {
    /// The market's base URL.
    var market: String
    var profile: MarketProfile
    /// The manifests, as readers of the review would name them; `-` is standard input.
    var manifests: [String]
    /// The tool with its version.
    var tool: String
    /// The SHA-256 that binds an approval to this plan.
    package var content: ContentDigest
    /// What makes the address of a product with its number behind it; `nil` where the market has none.
    var productAddress: String?

    /// How many manifests are named; of a folder of many the rest is counted.
    private static let namedManifests = 3

    init(
        market: String,
        profile: MarketProfile,
        manifests: [String],
        tool: String,
        content: ContentDigest,
        productAddress: String? = nil
    ) {
        self.market = market
        self.profile = profile
        self.manifests = manifests
        self.tool = tool
        self.content = content
        self.productAddress = productAddress
    }

    /// The lines of every review's head, none of them long.
    var rows: [(title: String, text: String)] {
        let market = "\(market.abbreviated(to: 200)) (\(profile.name))"
        return [("market", market), ("manifest", manifestNames), ("content", "sha256:\(content)")]
    }

    private var manifestNames: String {
        // Folding a single one away would save nothing.
        let count = manifests.count == Self.namedManifests + 1 ? manifests.count : Self.namedManifests
        let names = manifests.prefix(count).map { $0 == "-" ? "standard input" : $0.abbreviated(to: 120) }
        let rest = manifests.count - names.count
        return names.joined(separator: ", ") + (rest == 0 ? "" : " and \(rest) more")
    }

    /// Where a browser sees what the market knows of a product.
    func address(of id: MarketID) -> String? {
        guard let productAddress, ["http://", "https://"].contains(where: productAddress.hasPrefix) else { return nil }
        return productAddress + id.description
    }
}
