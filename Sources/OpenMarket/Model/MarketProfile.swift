/// A market as its description says it is: its name, what can be done there, and what a product may be.
///
/// All of it follows from the description, which travels along for whoever talks to the market. The built-in markets, and
/// how a description becomes a profile, are in `OpenMarketDescription`. The planner and the manifest ask for ``capabilities``
/// and ``limits``; nothing compares names or versions.
package struct MarketProfile: Sendable, CustomStringConvertible {
    /// The market's name, such as `v2b` or `pretix`.
    ///
    /// It keeps states apart, and survives corrections of the description.
    package let name: String
    /// The description, as it was written.
    package let document: [UInt8]
    /// The SHA-256 of the description.
    package let digest: ContentDigest
    /// What a manifest filled in, by the names that the description declares.
    package let parameters: [String: String]
    /// The version of the market on which the description was tried; `nil` where it was written from documentation alone.
    package let probed: String?
    /// Whether it is one of those that are part of the program.
    package let isBuiltIn: Bool
    /// What can be expressed on this market.
    package let capabilities: MarketCapabilities
    /// What a product may be on this market, before a manifest's `market.limits`.
    package let limits: ProductLimits

    /// A profile of values that follow from a description.
    package init(
        name: String,
        document: [UInt8],
        digest: ContentDigest,
        parameters: [String: String],
        probed: String?,
        isBuiltIn: Bool,
        capabilities: MarketCapabilities,
        limits: ProductLimits
    ) {
        self.name = name
        self.document = document
        self.digest = digest
        self.parameters = parameters
        self.probed = probed
        self.isBuiltIn = isBuiltIn
        self.capabilities = capabilities
        self.limits = limits
    }

    /// The name: `v2b`.
    package var description: String { name }
}

extension MarketProfile: Hashable {
    /// Whether both have the same description, filled in with the same values.
    package static func == (left: MarketProfile, right: MarketProfile) -> Bool {
        left.digest == right.digest && MarketParameters.areSame(left.parameters, right.parameters)
    }

    /// By the description and the number of values.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(digest)
        hasher.combine(parameters.count)
    }
}

/// What a manifest fills into a description.
package enum MarketParameters {
    /// Whether both fill in the same bytes.
    package static func areSame(_ left: [String: String], _ right: [String: String]) -> Bool {
        left.count == right.count && left.allSatisfy { right[$0.key]?.isExactly($0.value) ?? false }
    }

    /// The values in one spelling: a JSON object in the order of the names; empty where there are none.
    package static func text(_ parameters: [String: String]) -> String {
        parameters.isEmpty ? "" : String(decoding: parameters.document.bytes(), as: UTF8.self)
    }

    /// The values of such a text; `nil` where it is not one.
    package static func values(_ text: String) -> [String: String]? {
        guard !text.isEmpty else { return [:] }
        guard let value = try? JSONValue.parse(unambiguous: Array(text.utf8)) else { return nil }
        return try? [String: String](document: DocumentValue(value, at: ""))
    }
}
