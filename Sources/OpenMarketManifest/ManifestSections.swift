import OpenMarket

/// What `market`, `state`, `defaults` and `policies` say.
struct ManifestSections {
    /// The `defaults` section.
    struct Defaults {
        var currency: Currency?
        /// Where the currency is.
        var currencyPlace: (span: SourceSpan, file: Int)?
        var stock: Int64?
        /// Where the stock is.
        var stockPlace: (span: SourceSpan, file: Int)?
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
    /// What `market.limits.currencies` names, and where.
    var currencies: [Currency] = []
    var currenciesPlace: (span: SourceSpan, file: Int)?
    /// Where `market.send_keys` is.
    var sendKeysPlace: (span: SourceSpan, file: Int)?
    /// Where the number of the vendor is said.
    var vendorIDPlace: (span: SourceSpan, file: Int)?
    /// Where `market.pictures_url` is: the folder of that file is what is served.
    var picturesURLPlace: (span: SourceSpan, file: Int)?
    var limitChanges: [ManifestSchema.LimitKey: LimitChange] = [:]
    var defaults = Defaults()
    var policies = Policies()
}
