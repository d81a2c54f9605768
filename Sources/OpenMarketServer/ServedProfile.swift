/// One of the four versions of the Open Market API, as this server implements it.
///
/// It does not use the client's descriptions of markets, because the server is a separate program. Facts:
/// docs/reference/open-market-versions.md.
package enum ServedProfile: String, Sendable, CaseIterable, CustomStringConvertible {
    /// January and February 2021, `camp-open-market`.
    case v1a
    /// May to October 2021, `camp-open-market-2`.
    case v1b
    /// January to September 2022, `market-training`.
    case v2a
    /// October 2022 to May 2023, `openmarket`.
    case v2b

    /// Finds a profile by name in any case: `v1a`, `v1b`, `v2a`, `v2b`, or `v1` for `v1b` and `v2` for `v2b`.
    package init?(name: String) {
        switch name.lowercased() {
        case "v1": self = .v1b
        case "v2": self = .v2b
        case let other: self.init(rawValue: other)
        }
    }

    package var description: String { rawValue }

    var generation: Generation {
        switch self {
        case .v1a, .v1b: .v1
        case .v2a, .v2b: .v2
        }
    }

    /// The profiles of a comma-separated list; `nil` if a name is unknown.
    package static func list(_ names: String) -> [ServedProfile]? {
        var profiles: [ServedProfile] = []
        for name in names.split(separator: ",") {
            guard let profile = ServedProfile(name: name.filter { $0 != " " }) else { return nil }
            profiles.append(profile)
        }
        return profiles
    }
}

/// The two families of profiles.
///
/// Each has its own products in the shared database. An item of v1 has a password and no vendor, a product of v2 has a
/// vendor and no password, so neither could be changed through the other.
enum Generation: Int, Sendable {
    case v1 = 1
    case v2 = 2
}
