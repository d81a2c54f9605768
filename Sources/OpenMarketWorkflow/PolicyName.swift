import OpenMarket

/// A policy that one run may override, by its key in the manifest.
package enum PolicyName: String, CaseIterable, Sendable {
    case maxDelete = "max_delete"
    case maxPriceChange = "max_price_change"
    case minPrice = "min_price"
    case allowCurrencyChange = "allow_currency_change"
    case allowStockToZero = "allow_stock_to_zero"
    case allowZeroPrice = "allow_zero_price"
    case allowUnsettledCreates = "allow_unsettled_creates"
}

extension Policies {
    func overriding(_ names: [PolicyName]) -> Policies {
        var policies = self
        for name in names {
            switch name {
            case .maxDelete: policies.maximumDelete = .count(.max)
            case .maxPriceChange: policies.maximumPriceChange = nil
            case .minPrice: policies.minimumPrice = nil
            case .allowCurrencyChange: policies.allowsCurrencyChange = true
            case .allowStockToZero: policies.allowsStockToZero = true
            case .allowZeroPrice: policies.allowsZeroPrice = true
            case .allowUnsettledCreates: policies.allowsUnsettledCreates = true
            }
        }
        return policies
    }
}
