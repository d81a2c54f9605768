/// How a plan with creates classified the live products of the same names.
///
/// Part of the plan, so that a later apply, or one elsewhere, notices products that appeared since.
package struct KnownNamesakes: Hashable, Sendable {
    /// The vendor number as the plan assumed it.
    ///
    /// A later apply treats it as a claim. Products with another number are another vendor's only after the market
    /// confirms it.
    var vendorID: Int64?
    /// Further live products that are not among those to create, in ascending order.
    var others: [MarketID] = []
    /// Keys of products to create whose names other vendors use, if the claimed vendor identity is right.
    ///
    /// None is created before the market confirms the identity.
    var contested: [String] = []
    /// The number of unreadable rows that may be products to create, if the user allows that.
    var unreadRows: Int = 0
}
