/// What a plan that makes products took the live products of their names for.
///
/// Carried along, so that what appeared since then is noticed where the plan is carried out later, or elsewhere.
package struct KnownNamesakes: Hashable, Sendable {
    /// Our vendor number as the plan took it.
    ///
    /// Carried out later it is a claim: products that show another one are others' only once the market has confirmed it.
    var vendorID: Int64?
    /// Further products that are not among those to be made, in rising order.
    var others: [MarketID]
    /// The keys of products to be made whose names other vendors use, as long as we are who we are said to be: none of
    /// these is made before the market has confirmed it.
    var contested: [String]
    /// How many rows of the list may be products to be made and could not be read, where the user allows that.
    var unreadRows: Int

    /// What is known.
    init(vendorID: Int64? = nil, others: [MarketID] = [], contested: [String] = [], unreadRows: Int = 0) {
        self.vendorID = vendorID
        self.others = others
        self.contested = contested
        self.unreadRows = unreadRows
    }
}
