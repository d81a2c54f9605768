import OpenMarket

/// Where candidates for multipart boundaries come from.
///
/// A test gives its own, so that bytes can be compared.
package struct BoundarySource: Sendable {
    /// The next candidate; at most 70 characters that need no quotes (RFC 2046, 5.1.1).
    package var next: @Sendable () -> String

    package init(_ next: @escaping @Sendable () -> String) {
        self.next = next
    }

    /// 128 random bits behind a fixed word.
    package static let random = BoundarySource {
        "openmarket-" + String(UInt128.random(in: .min ... .max), radix: 16, width: 32)
    }
}
