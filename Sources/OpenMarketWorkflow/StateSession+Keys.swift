package import OpenMarket
import OpenMarketManifest

extension StateSession {
    /// Changes a product's key to one that a manifest can have; throws ``UnusableKey`` before anything is changed.
    package func rename(_ key: String, to new: String) async throws {
        if let reason = KeyRules.fault(of: new) { throw UnusableKey(reason: reason) }
        try await move(from: key, to: new)
    }
}

package struct UnusableKey: Error, Hashable, CustomStringConvertible {
    /// The fault, as the rest of a sentence.
    let reason: String

    package var description: String { "the new key \(reason)" }
}
