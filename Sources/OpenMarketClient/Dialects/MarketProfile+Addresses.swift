public import OpenMarket

extension MarketProfile {
    /// What makes the address of a product with its number behind it: where the market answers what it knows of one.
    ///
    /// - Parameter market: The market's base URL.
    /// - Returns: The address; `nil` where the market's is not one.
    public func productAddress(at market: String) -> String? {
        (try? MarketURL(market)).map { "\($0)\(Dialect(self).productPath)/" }
    }
}
