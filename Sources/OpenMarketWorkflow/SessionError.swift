public import OpenMarket
public import OpenMarketApply

/// Why a session does not go on, beside what its market and its state throw.
public enum SessionError: Error, Hashable, Sendable {
    /// A key of the filter, without wildcards, fits no product: a typing error would plan too little, or too much.
    case unmatchedKey(String)
    /// The catalog changed faster than it could be read whole, in so many passes.
    case incompleteExport(passes: Int)
    /// The plan has errors or refusals, so nothing of it is carried out.
    case unsoundPlan
    /// The plan does not do what was approved.
    case unexpectedPlan(ContentDigest, expected: ContentDigest)
    /// What earlier runs left unresolved is unresolved still, and has to be known first.
    case unresolved([Recovery.Settled])
    /// The plan was made with a state that knew so many products, and the state at this location knows none.
    case stateMissing(products: Int, location: StateLocation)
    /// Nothing can be written to the market of this name, so nothing is planned for it either.
    case readOnlyMarket(String, reasons: [String])
}
