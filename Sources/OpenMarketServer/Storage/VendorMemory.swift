import Synchronization

/// A vendor as its requests need it.
struct KnownVendor: Hashable, Sendable {
    var shown: StoredVendor
    /// What its secret has to match.
    var secret: SaltedHash
}

/// The vendors that wrote last: each request names one, and a reading of the database costs more than the rest of
/// what proves it.
final class VendorMemory: Sendable {
    private struct Known {
        var vendor: KnownVendor
        var until: ContinuousClock.Instant
    }

    /// How long another process's change of the vendors may go unnoticed.
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
