import OpenMarket

/// What decides beside the files how a manifest is read.
package struct ManifestOptions: Sendable {
    /// The environment: `!env`, `OPENMARKET_URL`, `OPENMARKET_API`, `OPENMARKET_IDENTIFIER`, `OPENMARKET_SECRET`.
    var environment: [String: String]
    /// Whether pictures and `!file` texts may lie outside the manifest's folder.
    package var allowOutside: Bool
    /// The market's URL from the command line.
    var urlOverride: String?
    /// The market's API from the command line; a path is relative to where the program runs.
    var marketOverride: MarketReference?
    /// What fills the description of the market, from the command line: it wins over the manifest's `market.parameters`.
    package var parameters: [String: String] = [:]

    /// What the front end calls the options that messages name.
    package struct Names: Sendable {
        /// ``ManifestOptions/urlOverride``.
        package var url = "the URL"
        /// ``ManifestOptions/allowOutside``, as what to do: `allow it with --some-option`.
        package var allowingOutside = "allow files outside that folder"

        /// How the parameters of a description are filled.
        package var fillingParameters = "fill it in 'market.parameters'"

        /// How to come to a manifest where there is none.
        package var firstManifest: String?

        /// The names where there is no front end.
        package init() {}
    }

    /// What the front end calls the options that messages name.
    package var names = Names()
    /// The variables that are credentials, whatever a manifest says.
    package static let credentialVariables: Set<String> = ["OPENMARKET_IDENTIFIER", "OPENMARKET_SECRET"]
    /// The variables that name a market in the place of the manifest's.
    package static let marketVariables: Set<String> = ["OPENMARKET_URL", "OPENMARKET_API"]

    /// Which unset variables are not a fault.
    package enum Unset: Sendable {
        /// None: what writes needs them all.
        case none
        /// Those of secrets: what only reads sends none.
        case secrets
        /// Those of `market:` and of secrets: checking a manifest talks to no market.
        case market
    }

    /// Which unset variables are not a fault.
    package var toleratesUnset = Unset.none
    /// Whether pictures are opened, hashed and checked; otherwise they are only noted as inputs.
    package var readsPictures = true
    /// Whether what no plan could carry out is reported, too: a plan says so itself, and knows which products there are.
    package var foreseesPlan = false

    /// Options; by default the strict ones.
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
