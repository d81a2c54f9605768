package import OpenMarket

extension MarketProfile {
    /// January and February 2021, `camp-open-market`.
    package static let v1a = MarketProfile(.v1a)
    /// May to October 2021, `camp-open-market-2`.
    package static let v1b = MarketProfile(.v1b)
    /// January to September 2022, `market-training`.
    static let v2a = MarketProfile(.v2a)
    /// October 2022 to May 2023, `openmarket`.
    package static let v2b = MarketProfile(.v2b)

    /// The market of a manifest without `api:`.
    package static let standard = v2b

    package static let builtIns: [MarketProfile] = BuiltInMarket.allCases.map(\.profile)

    /// Finds a built-in market by name, ignoring case; `v1` means `v1b`, and `v2` means `v2b`.
    package init?(name: String) {
        guard let market = BuiltInMarket(name: name) else { return nil }
        self = market.profile
    }

    /// Whether requests may be sent to a URL: over TLS, to this machine, or over plain HTTP if that is accepted.
    ///
    /// The built-in markets show their products to everyone, and only their authors' servers had https.
    ///
    /// `acceptsPlainHTTP` states whether anyone on the network path may read the traffic with a described market.
    package func isSafe(at url: String, acceptsPlainHTTP: Bool) -> Bool {
        guard !isBuiltIn, !acceptsPlainHTTP else { return true }
        return (try? MarketURL(url)).map { $0.isEncrypted || $0.isLoopback } ?? false
    }

    private init(_ market: BuiltInMarket) {
        let document = market.document
        // Tests check the description for faults, so no run has to.
        let loaded = MarketDescriptionLoader.load(document, isChecked: false)
        guard let description = loaded.description else {
            preconditionFailure("the description of \(market.rawValue) is faulty: \(loaded.faults)")
        }
        self.init(description, document: document, digest: loaded.digest, parameters: [:], builtIn: market)
    }
}
