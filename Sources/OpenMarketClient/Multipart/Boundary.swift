import Crypto
import OpenMarket

/// Boundaries of multipart bodies: 128 bits that no content has by chance, after a fixed word.
enum Boundary {
    static func random() -> String { "openmarket-" + String(UInt128.random(in: .min ... .max), radix: 16, width: 32) }

    /// The boundary derived from the key of a request, so that a repeated request has the same bytes.
    static func following(_ key: String) -> String {
        let digest = ContentDigest(bytes: SHA256.hash(data: Array("\(key)\n0".utf8)))
        return "openmarket-" + digest.hexadecimal.prefix(32)
    }
}
