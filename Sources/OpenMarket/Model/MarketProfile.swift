/// A market's description as a value; its type is in `OpenMarketDescription`.
package protocol DescribedMarket: Sendable {}

/// A market as its description states it: its name, its abilities, and the limits of its products.
///
/// All of it follows from the description, which is kept for the code that talks to the market. The built-in markets,
/// and how a description becomes a profile, are in `OpenMarketDescription`. The planner and the manifest use
/// ``capabilities`` and ``limits``; nothing compares names or versions.
package struct MarketProfile: Sendable, CustomStringConvertible {
    /// The market's name, such as `v2b` or `pretix`.
    ///
    /// It keeps states apart, and survives corrections of the description.
    package let name: String
    /// The description, read once.
    package let described: any DescribedMarket
    /// The description, as it was written.
    package let document: [UInt8]
    /// The SHA-256 of the description.
    package let digest: ContentDigest
    /// The values from the manifest, by the parameter names that the description declares.
    package let parameters: [String: String]
    /// The market version on which the description was tested; `nil` if it was written from documentation alone.
    package let probed: String?
    package let isBuiltIn: Bool
    /// Where the market's pictures are known to be, host and folder; a description names no host.
    package let pictureFolders: [String]
    package let capabilities: MarketCapabilities
    /// The limits of a product on this market, before a manifest's `market.limits`.
    package let limits: ProductLimits

    package init(
        name: String,
        described: any DescribedMarket,
        document: [UInt8],
        digest: ContentDigest,
        parameters: [String: String],
        probed: String?,
        isBuiltIn: Bool,
        pictureFolders: [String] = [],
        capabilities: MarketCapabilities,
        limits: ProductLimits
    ) {
        self.name = name
        self.described = described
        self.document = document
        self.digest = digest
        self.parameters = parameters
        self.probed = probed
        self.isBuiltIn = isBuiltIn
        self.pictureFolders = pictureFolders
        self.capabilities = capabilities
        self.limits = limits
    }

    package var description: String { name }

    /// The digest that a user accepts before anything is written; `nil` for the program's own descriptions.
    package var digestToAccept: ContentDigest? { isBuiltIn ? nil : digest }
}

extension MarketProfile: Hashable {
    /// Compares the descriptions and the values filled into them.
    package static func == (left: MarketProfile, right: MarketProfile) -> Bool {
        left.digest == right.digest && MarketParameters.areSame(left.parameters, right.parameters)
    }

    /// Hashes the description and the number of values.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(digest)
        hasher.combine(parameters.count)
    }
}

/// The values that a manifest fills into a description.
package enum MarketParameters {
    /// Compares the parameters by their bytes.
    package static func areSame(_ left: [String: String], _ right: [String: String]) -> Bool {
        left.count == right.count && left.allSatisfy { right[$0.key]?.isExactly($0.value) ?? false }
    }
}
