/// One of the four profiles of the Open Market API.
///
/// The planner and the manifest ask a profile for its ``capabilities`` and ``limits``; the wire belongs to the
/// client. Nothing else compares versions. Facts: docs/profiles.md.
public enum MarketProfile: String, Sendable, CaseIterable, CustomStringConvertible {
    /// January and February 2021, `camp-open-market`.
    case v1a
    /// May to October 2021, `camp-open-market-2`.
    case v1b
    /// January to September 2022, `market-training`.
    case v2a
    /// October 2022 to May 2023, `openmarket`.
    case v2b

    /// Finds a profile by name: `v1a`, `v1b`, `v2a`, `v2b`, and `v1` for `v1b`, `v2` for `v2b`; any case.
    public init?(name: String) {
        switch name.lowercased() {
        case "v1": self = .v1b
        case "v2": self = .v2b
        case let other: self.init(rawValue: other)
        }
    }

    /// What can be expressed on this profile.
    public var capabilities: MarketCapabilities {
        switch self {
        case .v1a, .v1b:
            MarketCapabilities(
                picturesChangeInPlace: true,
                thumbnailIsChosen: false,
                listShowsDescription: false,
                listShowsVendor: false,
                keepsPictureBytes: false,
                authentication: .itemPassword,
                saleEnding: .priceAsSalePrice,
                deletesInTwoSteps: false,
                readAfterWriteDelay: .seconds(2),
                fieldsRequiredToCreate: [.name, .description, .price, .currency, .stock, .images]
            )
        case .v2a, .v2b:
            MarketCapabilities(
                picturesChangeInPlace: false,
                thumbnailIsChosen: true,
                listShowsDescription: self == .v2b,
                listShowsVendor: true,
                keepsPictureBytes: true,
                authentication: .vendor,
                saleEnding: .zeroDiscount,
                deletesInTwoSteps: true,
                readAfterWriteDelay: .zero,
                fieldsRequiredToCreate: [.name, .description, .price, .currency, .images]
            )
        }
    }

    /// What a product may be on this profile, before a manifest's `market.limits`.
    public var limits: ProductLimits {
        switch self {
        case .v1a, .v1b: ProductLimits(wholePrices: true)
        case .v2a, .v2b: ProductLimits(wholePrices: false)
        }
    }

    /// The name: `v2b`.
    public var description: String { rawValue }
}
