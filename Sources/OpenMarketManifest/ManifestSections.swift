import OpenMarket

/// The contents of `market`, `state`, `defaults` and `policies`.
struct ManifestSections {
    struct Defaults {
        var currency: Currency?
        var currencyPlace: (span: SourceSpan, file: Int)?
        var stock: Int64?
        var stockPlace: (span: SourceSpan, file: Int)?
        var isStockInitial = false
        var ignoreChanges: Set<ProductField> = []
        var isProtected = false
    }

    struct LimitChange {
        var value: Int
        var span: SourceSpan
        var file: Int
    }

    /// The market that `market.api` names.
    struct NamedMarket {
        var value: MarketReference
        var span: SourceSpan
        var file: Int
    }

    struct Parameter {
        var value: String
        var keySpan: SourceSpan
        var span: SourceSpan
        var file: Int
    }

    var market = MarketSettings()
    var api: NamedMarket?
    var parameters: [String: Parameter] = [:]
    /// The parameters whose variables are unset, where that is tolerated.
    var unsetParameters: Set<String> = []
    var currencies: [Currency] = []
    var currenciesPlace: (span: SourceSpan, file: Int)?
    var sendKeysPlace: (span: SourceSpan, file: Int)?
    var vendorIDPlace: (span: SourceSpan, file: Int)?
    /// The position of `market.pictures_url`; the folder of that file is the served one.
    var picturesURLPlace: (span: SourceSpan, file: Int)?
    var limitChanges: [ManifestSchema.LimitKey: LimitChange] = [:]
    var defaults = Defaults()
    var policies = Policies()
}
