import Crypto
import OpenMarket

/// Boundaries of multipart bodies: a fixed word and 128 bits, which no content has by chance.
enum Boundary {
    static func random() -> String { "openmarket-" + String(UInt128.random(in: .min ... .max), radix: 16, width: 32) }

    /// The boundary derived from a request's idempotency key, so that a repeated request has the same bytes.
    static func following(_ key: String) -> String {
        let digest = ContentDigest(bytes: SHA256.hash(data: Array("\(key)\n0".utf8)))
        return "openmarket-" + digest.hexadecimal.prefix(32)
    }
}
