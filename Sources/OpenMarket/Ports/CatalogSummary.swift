/// How a walk over the whole list went.
package struct CatalogSummary: Hashable, Sendable {
    /// What is known of the products that were delivered.
    package enum Completeness: Hashable, Sendable {
        /// They are all: every product that existed from start to end.
        case proved(CatalogProof)
        /// They are what the list showed from start to end, once. Its description says that nothing proves more.
        case unprovable
        /// The catalog would not hold still long enough.
        case unsettled
    }

    /// Why nothing is known of a catalog after so many passes, as far as it shows.
    package static func unsettledWords(passes: Int) -> String {
        "the catalog could not be read whole (\(passes) times): it changes faster, or its pages are not as they are described"
    }

    /// Products delivered, each once.
    package var rows = 0
    /// Pages read, those that were read again included.
    package var pages = 0
    /// Rows that had been delivered before, within one pass: they had moved to a later page.
    package var duplicates = 0
    /// How often the list was read from its start.
    package var passes = 0
    /// Whether the catalog changed while it was read; `nil` where nothing shows it.
    package var catalogMoved: Bool? = false
    /// Whether all products were delivered, and what proves it.
    package var completeness = Completeness.unsettled
    /// How many products came in the one answer that is all, where so many look like the limit of a page.
    package var possibleLimit: Int?

    /// Nothing read yet.
    package init() {}

    /// What proves that every product that existed from start to end was delivered; `nil` where nothing does.
    package var proof: CatalogProof? { if case .proved(let proof) = completeness { proof } else { nil } }

    /// Whether every product that existed from start to end is known to have been delivered.
    package var isComplete: Bool { proof != nil }
}
