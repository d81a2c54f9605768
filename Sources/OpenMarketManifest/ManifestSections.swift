import OpenMarket

/// What `market`, `defaults` and `policies` say.
struct ManifestSections {
    /// The `defaults` section.
    struct Defaults {
        var currency: Currency?
        /// Where the currency is.
        var currencyPlace: (span: SourceSpan, file: Int)?
        var stock: Int64?
        var isStockInitial = false
        var ignoreChanges: Set<ProductField> = []
        var isProtected = false
    }

    /// A limit of `market.limits`, and where it is.
    struct LimitChange {
        var value: Int
        var span: SourceSpan
        var file: Int
    }

    /// What `market.api` names, and where.
    struct NamedMarket {
        var value: MarketReference
        var span: SourceSpan
        var file: Int
    }

    /// A value of `market.parameters`, and where it is.
    struct Parameter {
        var value: String
        var keySpan: SourceSpan
        var span: SourceSpan
        var file: Int
    }

    var market = MarketSettings()
    var api: NamedMarket?
    var parameters: [String: Parameter] = [:]
    /// The parameters whose values are in variables that may be unset, and are.
    var unsetParameters: Set<String> = []
    /// What `market.limits.currencies` names.
    var currencies: [Currency] = []
    var limitChanges: [ManifestSchema.LimitKey: LimitChange] = [:]
    var defaults = Defaults()
    var policies = Policies()
}
