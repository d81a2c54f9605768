/// The result of reading the whole list.
package struct CatalogSummary: Hashable, Sendable {
    package enum Completeness: Hashable, Sendable {
        /// All products that existed from start to end were delivered.
        case proved(CatalogProof)
        /// The products that the list showed from start to end, once; according to the market's description, nothing
        /// proves more.
        case unprovable
        /// The catalog changed too often during the read.
        case unsettled
    }

    /// Why nothing is known of a catalog after this many passes, as far as it shows.
    package static func unsettledWords(passes: Int) -> String {
        "the catalog could not be read whole (\(passes) times): it changes faster, or its pages are not as they are described"
    }

    /// Products delivered, each once.
    package var rows = 0
    /// Pages read, including repeated reads.
    package var pages = 0
    /// Rows that had been delivered before, within one pass: they had moved to a later page.
    package var duplicates = 0
    /// How often the list was read from its start.
    package var passes = 0
    /// Whether the catalog changed during the read; `nil` if nothing shows it.
    package var catalogMoved: Bool? = false
    package var completeness = Completeness.unsettled
    /// The number of products in the only reply, if it looks like the limit of a page.
    package var possibleLimit: Int?

    /// Whether a page shows what a cache had, which may be older than a request that was sent before it was read.
    package var isFromCache = false
    /// The columns of exports of which no row has a member; null and empty ones are members.
    package var missing: Set<CatalogColumn> = []

    package init() {}

    package var proof: CatalogProof? { if case .proved(let proof) = completeness { proof } else { nil } }

    package var isComplete: Bool { proof != nil }
}
