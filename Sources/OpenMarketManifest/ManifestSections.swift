import OpenMarket

/// The contents of `market`, `state`, `defaults` and `policies`.
struct ManifestSections {
    struct Defaults {
        var currency: Currency?
        var stock: Int64?
        var isStockInitial = false
        var ignoreChanges: Set<ProductField> = []
        var isProtected = false
    }

    /// The position of a setting.
    struct Place {
        var key: SourceSpan
        var value: SourceSpan
        var file: Int
    }

    var market = MarketSettings.blank
    /// The market that `market.api` refers to.
    var api: MarketReference?
    var parameters: [String: String] = [:]
    /// The parameters whose variables are unset although that is allowed.
    var unsetParameters: Set<String> = []
    var currencies: [Currency] = []
    var limitChanges: [ManifestSchema.LimitKey: Int] = [:]
    var defaults = Defaults()
    var policies = Policies.standard
    /// In order.
    var adjustments: [Adjustment] = []
}
