/// The result of reading the whole list.
package struct CatalogSummary: Hashable, Sendable {
    package enum Completeness: Hashable, Sendable {
        /// All products that existed from start to end were delivered.
        case proved(CatalogProof)
        /// Each product that the list showed from start to end was delivered once. According to the market's
        /// description, it is not proved that these are all products.
        case unprovable
        /// The catalog changed too often during the read.
        case unsettled
    }

    /// The message for a catalog that stayed unsettled after this many passes.
    package static func unsettledWords(passes: Int) -> String {
        "the catalog could not be read whole (\(passes) times): it changes too fast, or its pages differ from the description"
    }

    /// Products delivered, each once.
    package var rows = 0
    /// Pages read, including repeated reads.
    package var pages = 0
    /// Rows that had been delivered before, within one pass: they had moved to a later page.
    package var duplicates = 0
    /// How often the list was read from its start.
    package var passes = 0
    /// Whether the catalog changed during the read; `nil` if that is undetectable.
    package var catalogMoved: Bool? = false
    package var completeness = Completeness.unsettled
    /// The number of products in the only reply, if it looks like the limit of a page.
    package var possibleLimit: Int?

    /// Whether a page came from a cache, so it may be older than a request that was sent before the read.
    package var isFromCache = false
    /// The export columns that no row has as a member; null and empty ones are members.
    package var missing: Set<CatalogColumn> = []

    package init() {}

    package var proof: CatalogProof? { if case .proved(let proof) = completeness { proof } else { nil } }

    package var isComplete: Bool { proof != nil }
}
