package import OpenMarket

/// What a plan is of: what a page says at its end, so that a printed or sent copy can be told from another.
package struct ReviewSubject: Sendable {
    /// The market's base URL.
    package var market: String
    /// The deployment.
    package var profile: MarketProfile
    /// The manifests, as readers of the page would name them.
    package var manifests: [String]
    /// The tool with its version.
    package var tool: String
    /// The SHA-256 that binds an approval to this plan.
    package var content: ContentDigest

    /// A subject.
    package init(market: String, profile: MarketProfile, manifests: [String], tool: String, content: ContentDigest) {
        self.market = market
        self.profile = profile
        self.manifests = manifests
        self.tool = tool
        self.content = content
    }
}
