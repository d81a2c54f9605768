import ArgumentParser
import OpenMarketServer

/// The name of a profile that the server speaks.
struct ServedProfileOption: ExpressibleByArgument {
    let profile: ServedProfile

    static var allValueStrings: [String] { ServedProfile.allCases.map(\.rawValue) + ["v1", "v2"] }

    init?(argument: String) {
        guard let profile = ServedProfile(name: argument) else { return nil }
        self.profile = profile
    }
}
