import Synchronization

struct KnownVendor: Hashable, Sendable {
    var shown: StoredVendor
    var secret: SaltedHash
}

/// Caches the vendors that wrote last.
///
/// Each request names one, and a database read costs more than the rest of the check.
final class VendorMemory: Sendable {
    private struct Known {
        var vendor: KnownVendor
        var until: ContinuousClock.Instant
    }

    /// How long a vendor's change by another process may stay unnoticed.
    private static let patience = Duration.seconds(1)
    private static let capacity = 1000

    private let vendors = Mutex<[String: Known]>([:])

    subscript(identifier: String) -> KnownVendor? {
        vendors.withLock { vendors in
            vendors[identifier].flatMap { $0.until > .now ? $0.vendor : nil }
        }
    }

    func remember(_ vendor: KnownVendor, as identifier: String) {
        vendors.withLock { vendors in
            if vendors.count >= Self.capacity { vendors = [:] }
            vendors[identifier] = Known(vendor: vendor, until: .now + Self.patience)
        }
    }

    func forget() {
        vendors.withLock { $0 = [:] }
    }
}
