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
    /// The market is to fetch a picture from this address, where its bytes are not.
    case pictureNotServed(address: String, path: String, reason: String)
    /// Nothing can be written to the market of this name, so nothing is planned for it either.
    case readOnlyMarket(String, reasons: [String])
    /// The description of the market of this name has no request for one product, which this needs.
    case noDetails(String, for: DetailUse)
    /// The description of the market of this name does not say where products show their pictures.
    case noPictures(String)
    /// The description of the market of this name does not say how a product is hidden from buyers, which a trial has to be.
    case visibleTrial(String)
    /// The description of the market of this name was not accepted, so nothing is sent but reads.
    case unacceptedMarket(String, digest: ContentDigest)
}

/// What the details of single products are read for.
public enum DetailUse: Hashable, Sendable {
    /// An export was to show what the list lacks.
    case export
    /// The pictures, which the list does not show, were to be kept.
    case pictures
    /// So many products of an earlier export were not in a list whose rows could not all be read.
    case missingProducts(Int)
}
