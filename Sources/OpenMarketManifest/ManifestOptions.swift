import OpenMarket

/// The settings that affect the reading of a manifest, besides its files.
package struct ManifestOptions: Sendable {
    /// The environment: `!env`, `OPENMARKET_URL`, `OPENMARKET_API`, `OPENMARKET_IDENTIFIER`, `OPENMARKET_SECRET`.
    var environment: [String: String]
    /// Whether pictures, `!file` texts and included files may be outside the manifest's folder.
    package var allowOutside: Bool
    /// The market's URL from the command line.
    var urlOverride: String?
    /// The market's API from the command line; a path is relative to the current folder.
    var marketOverride: MarketReference?
    /// The parameters of the market's description from the command line, which win over the manifest's
    /// `market.parameters`.
    package var parameters: [String: String] = [:]

    /// How to create a first manifest.
    package static let waysToManifest =
        "`openmarket demo` shows one at work, `openmarket init` writes a first one, `openmarket pull` writes one of the "
        + "products that a shop has, and `openmarket convert` creates one from another shop's table"
    /// The variables that are always credentials, whatever a manifest states.
    package static let credentialVariables: Set<String> = ["OPENMARKET_IDENTIFIER", "OPENMARKET_SECRET"]
    /// The variables that override the manifest's market.
    package static let marketVariables: Set<String> = ["OPENMARKET_URL", "OPENMARKET_API"]

    package enum Unset: Sendable {
        /// None: writing requires them all.
        case none
        /// Those of secrets: reading does not send them.
        case secrets
        /// Those of `market:` and of secrets: checking a manifest contacts no market.
        case market
    }

    package var toleratesUnset = Unset.none
    /// Whether pictures are opened, hashed and checked; otherwise they are only recorded as inputs.
    package var readsPictures = true
    /// Whether `adjust` is carried out; an edit changes the catalog's own values.
    package var adjusts = true

    package init(
        environment: [String: String] = [:],
        allowOutside: Bool = false,
        urlOverride: String? = nil,
        marketOverride: MarketReference? = nil
    ) {
        self.environment = environment
        self.allowOutside = allowOutside
        self.urlOverride = urlOverride
        self.marketOverride = marketOverride
    }

    /// A variable's value; an empty one counts as unset.
    func variable(_ name: String) -> String? {
        environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
}
