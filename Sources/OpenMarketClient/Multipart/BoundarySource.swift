import Crypto
import OpenMarket

/// Where candidates for multipart boundaries come from.
///
/// A test gives its own, so that bytes can be compared.
struct BoundarySource: Sendable {
    /// The candidate of so many before it; at most 70 characters that need no quotes (RFC 2046, 5.1.1).
    let candidate: @Sendable (Int) -> String

    /// A source that gives the next candidate each time.
    init(_ next: @escaping @Sendable () -> String) { candidate = { _ in next() } }

    private init(numbered candidate: @escaping @Sendable (Int) -> String) { self.candidate = candidate }

    /// 128 random bits behind a fixed word.
    static let random = BoundarySource {
        "openmarket-" + String(UInt128.random(in: .min ... .max), radix: 16, width: 32)
    }

    /// Boundaries that follow from the key of a request, so that the request has the same bytes whenever it is repeated.
    static func following(_ key: String) -> BoundarySource {
        BoundarySource(numbered: { attempt in
            let digest = ContentDigest(bytes: SHA256.hash(data: Array("\(key)\n\(attempt)".utf8)))
            return "openmarket-" + digest.hexadecimal.prefix(32)
        })
    }
}
