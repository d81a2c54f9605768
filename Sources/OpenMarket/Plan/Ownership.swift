/// Whose a product is, as far as its key and vendor numbers say.
///
/// The only place where the number that a product shows is compared with ours, and where a key of ours decides. Which
/// number is ours depends on what is
/// decided by it: see ``VendorIdentity/Trust``.
package enum Ownership: Hashable, Sendable, CaseIterable {
    /// It shows our number.
    case ours
    /// It shows another number than ours.
    case foreign
    /// It shows no number, or ours is unknown.
    case unknown

    /// Compares two vendor numbers.
    ///
    /// - Parameters:
    ///   - shown: The number that the product shows.
    ///   - number: Our number.
    package init(showing shown: Int64?, ours number: Int64?) {
        guard let shown, let number else {
            self = .unknown
            return
        }
        self = shown == number ? .ours : .foreign
    }

    /// Whose a product is: ours where it carries a key of ours, or else as its vendor number says.
    ///
    /// - Parameters:
    ///   - key: The key of ours that the product carries.
    ///   - shown: The number that the product shows.
    ///   - number: Our number.
    init(carrying key: String?, showing shown: Int64?, ours number: Int64?) {
        self = key == nil ? Ownership(showing: shown, ours: number) : .ours
    }

    /// Compares the number that a product shows which has the id of one that the state knows.
    ///
    /// A market that began again gives ids out again, so the product may be another vendor's by now. Only what the market
    /// itself said shows that, never a number that a person typed.
    ///
    /// - Parameters:
    ///   - shown: The number that the product shows.
    ///   - recorded: The number that the state has for the product.
    ///   - said: Our number as the market says it, now or in an earlier reply; it is newer than the product's.
    package init(ofManaged shown: Int64?, recorded: Int64?, said: Int64?) {
        self.init(showing: shown, ours: said ?? recorded)
    }
}
