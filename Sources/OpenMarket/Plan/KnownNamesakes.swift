/// What a plan that makes products took the live products of their names for.
///
/// Carried along, so that what appeared since then is noticed where the plan is carried out later, or elsewhere.
public struct KnownNamesakes: Hashable, Sendable {
    /// Our vendor number, where the market confirms it; products that show another one are others'.
    public var vendorID: Int64?
    /// Further products that are none of those to be made, in rising order.
    public var others: [ProductID]

    /// What is known.
    public init(vendorID: Int64? = nil, others: [ProductID] = []) {
        self.vendorID = vendorID
        self.others = others
    }
}
