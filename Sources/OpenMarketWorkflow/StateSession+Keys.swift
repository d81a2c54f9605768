package import OpenMarket
import OpenMarketManifest

extension StateSession {
    /// Changes a product's key to one that a manifest can have; throws ``CommandFailure`` before anything is changed.
    package func rename(_ key: String, to new: String) async throws {
        if let reason = KeyRules.fault(of: new) { throw CommandFailure(.usage, "the new key \(reason)") }
        try await move(from: key, to: new)
    }
}
