import OpenMarket

/// What decides beside the files how a manifest is read.
public struct ManifestOptions: Sendable {
    /// The environment: `!env`, `OPENMARKET_URL`, `OPENMARKET_API`, `OPENMARKET_IDENTIFIER`, `OPENMARKET_SECRET`.
    public var environment: [String: String]
    /// Whether pictures and `!file` texts may lie outside the manifest's folder.
    public var allowOutside: Bool
    /// The market's URL from the command line.
    public var urlOverride: String?
    /// The market's API from the command line; a path is relative to where the program runs.
    public var marketOverride: MarketReference?
    /// What fills the description of the market, from the command line: it wins over the manifest's `market.parameters`.
    public var parameters: [String: String] = [:]

    /// What the front end calls the options that messages name.
    public struct Names: Sendable {
        /// ``ManifestOptions/urlOverride``.
        public var url = "the URL"
        /// ``ManifestOptions/allowOutside``, as what to do: `allow it with --some-option`.
        public var allowingOutside = "allow files outside that folder"

        /// How the parameters of a description are filled.
        public var fillingParameters = "fill it in 'market.parameters'"

        /// How to come to a manifest where there is none.
        public var firstManifest: String?

        /// The names where there is no front end.
        public init() {}
    }

    /// What the front end calls the options that messages name.
    public var names = Names()
    /// The variables that are credentials, whatever a manifest says.
    public static let credentialVariables: Set<String> = ["OPENMARKET_IDENTIFIER", "OPENMARKET_SECRET"]
    /// The variables that name a market in the place of the manifest's.
    package static let marketVariables: Set<String> = ["OPENMARKET_URL", "OPENMARKET_API"]

    /// Which unset variables are not a fault.
    public enum Unset: Sendable {
        /// None: what writes needs them all.
        case none
        /// Those of secrets: what only reads sends none.
        case secrets
        /// Those of `market:` and of secrets: checking a manifest talks to no market.
        case market
    }

    /// Which unset variables are not a fault.
    public var toleratesUnset = Unset.none
    /// Whether pictures are opened, hashed and checked; otherwise they are only noted as inputs.
    public var readsPictures = true
    /// Whether what no plan could carry out is reported, too: a plan says so itself, and knows which products there are.
    public var foreseesPlan = false

    /// Options; by default the strict ones.
    public init(
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
