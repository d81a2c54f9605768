/// What can prove that a catalog was read whole: that every product that existed from start to end was delivered.
///
/// Which of them can be tried, a market's description says; which of them held, only the reading does.
package enum CatalogProof: String, Hashable, CaseIterable, Sendable {
    /// One answer is all.
    case whole
    /// A key after which each page begins.
    case keyset
    /// The ranks of the rows from the end, which inserts do not change.
    case ranks
    /// The stretches between first and last number of pages of several sizes cover all numbers.
    case numbers
    /// As many rows were seen before and after a reading began as were counted then.
    case sightings
    /// Two readings agree.
    case twice
}
