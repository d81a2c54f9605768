@testable import OpenMarket

extension StateReader {
    /// Operations of runs that no longer go on whose outcome is not known.
    func unresolved() async throws -> [UnresolvedOperation] { try await basis().leftOver }
}
