package import OpenMarket

/// The markets whose descriptions are built in.
package enum BuiltInMarket: String, CaseIterable, Sendable {
    /// January and February 2021.
    case v1a
    /// May to October 2021.
    case v1b
    /// January to September 2022.
    case v2a
    /// October 2022 to May 2023.
    case v2b

    /// Available without reading a description.
    package static var names: [String] { allCases.map(\.rawValue) }

    /// Finds a market by name, in any case: `v1` is `v1b`, and `v2` is `v2b`.
    package init?(name: String) {
        switch name.lowercased() {
        case "v1": self = .v1b
        case "v2": self = .v2b
        case let other: self.init(rawValue: other)
        }
    }

    package var document: [UInt8] {
        switch self {
        case .v1a: PackageResources.v1a_market_yaml
        case .v1b: PackageResources.v1b_market_yaml
        case .v2a: PackageResources.v2a_market_yaml
        case .v2b: PackageResources.v2b_market_yaml
        }
    }

    /// The picture folders of the public deployments: host and folder, because many owners share a host of S3.
    var pictureFolders: [String] {
        switch self {
        case .v1a, .v1b: ["camp-open-market.s3.ap-northeast-2.amazonaws.com/"]
        case .v2a, .v2b: ["s3.ap-northeast-2.amazonaws.com/media.yagom-academy.kr/"]
        }
    }

    package var profile: MarketProfile {
        switch self {
        case .v1a: .v1a
        case .v1b: .v1b
        case .v2a: .v2a
        case .v2b: .v2b
        }
    }

    package var described: MarketDescription { MarketDescription(of: profile) }
}
