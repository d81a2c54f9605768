/// The owner of a product, as far as its key and vendor number show.
///
/// Only this type compares a product's vendor number with ours, and decides by keys of ours. Which number counts as
/// ours depends on the decision: see ``VendorIdentity/Trust``.
package enum Ownership: Hashable, Sendable, CaseIterable {
    case ours
    case foreign
    /// It shows no number, or ours is unknown.
    case unknown

    /// Compares the vendor number that a product shows with ours.
    package init(showing shown: Int64?, ours number: Int64?) {
        guard let shown, let number else {
            self = .unknown
            return
        }
        self = shown == number ? .ours : .foreign
    }

    /// Decides the owner of a product: ours if it carries a key of ours, otherwise by its vendor number.
    init(carrying key: String?, showing shown: Int64?, ours number: Int64?) {
        self = key == nil ? Ownership(showing: shown, ours: number) : .ours
    }

    /// Compares the vendor number of a product that has an id from the state.
    ///
    /// A reset market reuses ids, so the product may be another vendor's by now. Only the market's replies show that,
    /// never a number that a person typed. `recorded` is the number that the state has for the product; `said` is ours
    /// as the market reports it, now or in an earlier reply, and is newer.
    package init(ofManaged shown: Int64?, recorded: Int64?, said: Int64?) {
        self.init(showing: shown, ours: said ?? recorded)
    }
}
