/// A market's description; its type is in `OpenMarketDescription`.
package protocol DescribedMarket: Sendable {}

/// A market according to its description: name, capabilities and product limits.
///
/// The built-in markets, and the conversion of a description into a profile, are in `OpenMarketDescription`. The
/// planner and the manifest use ``capabilities`` and ``limits``; names and versions are never compared.
package struct MarketProfile: Sendable, CustomStringConvertible {
    /// The market's name, such as `v2b` or `pretix`.
    ///
    /// It keeps states apart, and stays the same in a corrected description.
    package let name: String
    /// The description, parsed once for the code that talks to the market.
    package let described: any DescribedMarket
    /// The original bytes of the description.
    package let document: [UInt8]
    package let digest: ContentDigest
    /// The manifest's values, by the parameter names that the description declares.
    package let parameters: [String: String]
    /// The market version that the description was tested on; `nil` if it follows documentation alone.
    package let probed: String?
    package let isBuiltIn: Bool
    /// Known hosts and folders of the market's pictures; a description does not name hosts.
    package let pictureFolders: [String]
    package let capabilities: MarketCapabilities
    /// The limits of a product before a manifest's `market.limits`.
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

    /// The digest that a user accepts before the first write; `nil` for built-in descriptions.
    package var digestToAccept: ContentDigest? { isBuiltIn ? nil : digest }
}

extension MarketProfile: Hashable {
    /// Compares the descriptions and their parameters.
    package static func == (left: MarketProfile, right: MarketProfile) -> Bool {
        left.digest == right.digest && MarketParameters.areSame(left.parameters, right.parameters)
    }

    /// Hashes the description and the number of parameters.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(digest)
        hasher.combine(parameters.count)
    }
}

package enum MarketParameters {
    /// Compares by bytes.
    package static func areSame(_ left: [String: String], _ right: [String: String]) -> Bool {
        left.count == right.count && left.allSatisfy { right[$0.key]?.isExactly($0.value) ?? false }
    }
}
