/// The ways to prove that a catalog was read completely: every product that existed from start to end was delivered.
///
/// A market's description states which of them can be tried; only the read shows which of them succeeded.
package enum CatalogProof: String, Hashable, CaseIterable, Sendable {
    /// One reply contains everything.
    case whole
    /// Each page begins after a key.
    case keyset
    /// The ranks of the rows from the end, which inserts do not change.
    case ranks
    /// The ranges between first and last id of pages of several sizes cover all ids.
    case numbers
    /// The number of rows seen both before and after a read began equals the count at that time.
    case sightings
    /// Two reads agree.
    case twice
}
