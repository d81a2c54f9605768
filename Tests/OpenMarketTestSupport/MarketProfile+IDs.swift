@testable import OpenMarket

extension MarketProfile {
    /// The same market, but for what it calls products by.
    func naming(productsBy kind: MarketID.Kind) -> MarketProfile {
        var capabilities = capabilities
        capabilities.idKind = kind
        return MarketProfile(
            name: name,
            described: described,
            document: document,
            // Profiles of one digest are equal.
            digest: kind == self.capabilities.idKind ? digest : ContentDigest(bytes: repeatElement(1, count: 32)),
            parameters: parameters,
            probed: probed,
            isBuiltIn: false,
            capabilities: capabilities,
            limits: limits
        )
    }
}
