public import OpenMarket

extension MarketProfile {
    /// What makes the address of a product with its number behind it: where the market answers what it knows of one.
    ///
    /// - Parameter market: The market's base URL.
    /// - Returns: The address; `nil` where the market's is not one, or where a product's has something behind its id.
    public func productAddress(at market: String) -> String? {
        guard let url = try? MarketURL(market), let path = MarketWire(self).productPath else { return nil }
        return "\(url)\(path)"
    }
}
