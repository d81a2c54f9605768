public import OpenMarket

/// Ids as plain numbers, so that expected values read well.
extension ProductID: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int64) { self.init(value) }
}
