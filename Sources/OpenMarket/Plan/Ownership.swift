/// The owner of a product, as far as its key and vendor number show.
///
/// Only this type decides ownership by vendor number or key. Which number counts as the own one depends on the
/// decision: see ``VendorIdentity/Trust``.
package enum Ownership: Hashable, Sendable, CaseIterable {
    case ours
    case foreign
    /// The product does not show a number, or the own number is unknown.
    case unknown

    package init(showing shown: Int64?, ours number: Int64?) {
        guard let shown, let number else {
            self = .unknown
            return
        }
        self = shown == number ? .ours : .foreign
    }

    /// A product is this vendor's if it carries a managed key; otherwise its vendor number decides.
    init(carrying key: String?, showing shown: Int64?, ours number: Int64?) {
        self = key == nil ? Ownership(showing: shown, ours: number) : .ours
    }

    /// Compares the vendor number of a product whose id is in the state.
    ///
    /// A reset market reuses ids, so the product may be another vendor's. Only the market's replies show that, never a
    /// number that a person typed. `recorded` is the state's number for the product. `said` is the own number as the
    /// market reports it, now or earlier, and is newer.
    package init(ofManaged shown: Int64?, recorded: Int64?, said: Int64?) {
        self.init(showing: shown, ours: said ?? recorded)
    }
}
