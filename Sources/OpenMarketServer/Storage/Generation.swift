/// The two families of profiles.
///
/// Each has its own products in the shared database: an item of v1 has a password and no vendor, a product of v2 has a
/// vendor and no password, so neither could be changed through the other.
enum Generation: Int, Sendable {
    case v1 = 1
    case v2 = 2
}

extension ServedProfile {
    var generation: Generation {
        switch self {
        case .v1a, .v1b: .v1
        case .v2a, .v2b: .v2
        }
    }
}
