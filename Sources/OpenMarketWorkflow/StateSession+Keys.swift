package import OpenMarket
import OpenMarketManifest

extension StateSession {
    /// Gives a product a key that a manifest can have.
    ///
    /// - Throws: ``UnusableKey`` before anything is changed, and `StateError`.
    package func rename(_ key: String, to new: String) async throws {
        if let reason = KeyRules.fault(of: new) { throw UnusableKey(reason: reason) }
        try await move(from: key, to: new)
    }
}

/// A key that no manifest can have.
package struct UnusableKey: Error, Hashable, CustomStringConvertible {
    /// What is wrong with it, as the rest of a sentence.
    let reason: String

    package var description: String { "the new key \(reason)" }
}
