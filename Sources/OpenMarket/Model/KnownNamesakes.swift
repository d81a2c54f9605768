/// How a plan that creates products classified the live products of the same names.
///
/// It is part of the plan, so that products that appeared since are noticed if the plan is applied later or elsewhere.
package struct KnownNamesakes: Hashable, Sendable {
    /// Our vendor number as the plan assumed it.
    ///
    /// In a later apply it is a claim: products that show another number are another vendor's only after the market has
    /// confirmed it.
    var vendorID: Int64?
    /// Further live products that are not among those to be created, in ascending order.
    var others: [MarketID] = []
    /// The keys of products to be created whose names other vendors use, provided that our vendor identity is right.
    ///
    /// None of them is created before the market has confirmed the identity.
    var contested: [String] = []
    /// The number of unreadable rows that may be products to be created, if the user allows that.
    var unreadRows: Int = 0
}
