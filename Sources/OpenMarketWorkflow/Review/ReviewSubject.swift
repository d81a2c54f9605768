package import OpenMarket

/// The subject of a plan.
///
/// Every review shows it at the head, so that the plan is not mistaken for another shop's.
package struct ReviewSubject: Sendable {
    var market: String
    var profile: MarketProfile
    /// The manifests as the review shows them; `-` is standard input.
    var manifests: [String]
    var tool: String
    /// The SHA-256 that binds an approval to this plan.
    package var content: ContentDigest
    /// The prefix of a product's address, before its id; `nil` if the market lacks one.
    var productAddress: String?
    /// The table whose edits the manifests have in this plan.
    var editedBy: String?

    /// The number of manifests that are named; further ones are counted.
    private static let namedManifests = 3

    var rows: [(title: String, text: String)] {
        let market = "\(market.abbreviated(to: 200)) (\(profile.name))"
        return [("market", market), ("manifest", manifestNames), ("content", "sha256:\(content)")]
    }

    private var manifestNames: String {
        // Leaving out a single one would not save space.
        let count = manifests.count == Self.namedManifests + 1 ? manifests.count : Self.namedManifests
        let names = manifests.prefix(count).map { $0 == "-" ? "standard input" : $0.abbreviated(to: 120) }
        let rest = manifests.count - names.count
        return names.joined(separator: ", ") + (rest == 0 ? "" : " and \(rest) more")
            + (editedBy.map { " as edited by \($0.abbreviated(to: 120))" } ?? "")
    }

    func address(of id: MarketID) -> String? {
        guard let productAddress, ["http://", "https://"].contains(where: productAddress.hasPrefix) else { return nil }
        return productAddress + id.description
    }
}
