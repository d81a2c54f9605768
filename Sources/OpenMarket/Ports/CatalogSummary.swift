/// How a walk over the whole list went.
public struct CatalogSummary: Hashable, Sendable {
    /// Products delivered, each once.
    public var rows = 0
    /// Pages read, those that were read again included.
    public var pages = 0
    /// Rows that had been delivered before, within one pass: they had moved to a later page.
    public var duplicates = 0
    /// How often the list was read from its start.
    public var passes = 0
    /// Whether the catalog changed while it was read.
    public var catalogMoved = false
    /// Whether every product that existed from start to end is known to have been delivered; `false` when the catalog
    /// would not hold still long enough.
    public var isComplete = false

    /// Nothing read yet.
    public init() {}
}
