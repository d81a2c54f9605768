import Crypto
import OpenMarket

/// The source of candidates for multipart boundaries.
///
/// A test uses a fixed one, so that bytes can be compared.
struct BoundarySource: Sendable {
    /// The candidate with this number; at most 70 characters that need no quotes (RFC 2046, 5.1.1).
    let candidate: @Sendable (Int) -> String

    init(_ next: @escaping @Sendable () -> String) { candidate = { _ in next() } }

    private init(numbered candidate: @escaping @Sendable (Int) -> String) { self.candidate = candidate }

    /// 128 random bits after a fixed word.
    static let random = BoundarySource {
        "openmarket-" + String(UInt128.random(in: .min ... .max), radix: 16, width: 32)
    }

    /// Boundaries derived from the key of a request, so that a repeated request has the same bytes.
    static func following(_ key: String) -> BoundarySource {
        BoundarySource(numbered: { attempt in
            let digest = ContentDigest(bytes: SHA256.hash(data: Array("\(key)\n\(attempt)".utf8)))
            return "openmarket-" + digest.hexadecimal.prefix(32)
        })
    }
}
