import Crypto
import FoundationEssentials

/// A password or a vendor's secret in the database: a random salt, and SHA-256 over salt and text.
struct SaltedHash: Hashable, Sendable {
    let salt: Data
    let hash: Data

    init(salt: Data, hash: Data) {
        self.salt = salt
        self.hash = hash
    }

    /// Hashes a text with a new salt.
    init(of text: String) {
        salt = Data((0..<16).map { _ in UInt8.random(in: .min ... .max) })
        hash = Data(Self.digest(salt: salt, text: text))
    }

    /// Compares in constant time.
    func matches(_ text: String) -> Bool {
        Self.digest(salt: salt, text: text) == hash
    }

    private static func digest(salt: Data, text: String) -> SHA256.Digest {
        var function = SHA256()
        function.update(data: salt)
        function.update(data: Data(text.utf8))
        return function.finalize()
    }
}
