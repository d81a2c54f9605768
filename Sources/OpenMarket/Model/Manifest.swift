/// The wanted catalog: the manifest files of one run, read, resolved and checked.
package struct Manifest: Sendable {
    /// The market's location and the vendor identity.
    package var market: MarketSettings
    package var policies: Policies
    /// The products in reading order, tombstones included.
    ///
    /// Keys are unique.
    package var listings: Listings
    /// The manifest files read, in order, as the user named them.
    package var files: [String]
    /// The SHA-256 over the bytes of all files in order.
    package var digest: ContentDigest
    /// Whether products in the state without a listing are deleted; `false` if a table lists some products.
    package var isComplete = true
    /// The currency and stock for new products from table rows that leave them open.
    package var rowDefaults = RowDefaults()
    /// Faults of cells of existing products; they matter only if the cell is about to be written.
    package var doubts: [CellDoubt] = []
    /// The last cells of tables that end without a line break: they may be truncated.
    package var openCells: [OpenCell] = []
    /// The tables that have an export certificate next to them.
    package var exports: [ExportedTable] = []
    /// The environment variables that hold credentials of the market.
    package var credentialVariables: Set<String> = []

    package init(
        market: MarketSettings,
        policies: Policies,
        listings: some Sequence<Listing>,
        files: [String],
        digest: ContentDigest
    ) {
        self.market = market
        self.policies = policies
        self.listings = listings as? Listings ?? Listings(listings)
        self.files = files
        self.digest = digest
    }
}

/// The defaults for a new product from a table row that does not state them.
package struct RowDefaults: Hashable, Sendable {
    var currency: Currency?
    var stock: Int64?
    /// Whether the stock is set on create only, and left alone afterwards.
    var isStockInitial: Bool
    var isProtected: Bool

    package init(
        currency: Currency? = nil,
        stock: Int64? = nil,
        isStockInitial: Bool = false,
        isProtected: Bool = false
    ) {
        self.currency = currency
        self.stock = stock
        self.isStockInitial = isStockInitial
        self.isProtected = isProtected
    }
}

/// A value of a row that no product should be given, although the market may have it already.
package struct CellDoubt: Hashable, Sendable {
    /// The live product of the row.
    package var id: MarketID
    var field: ProductField
    /// The fault of the value, as an error.
    package var fault: Diagnostic

    package init(id: MarketID, field: ProductField, fault: Diagnostic) {
        self.id = id
        self.field = field
        self.fault = fault
    }
}

/// The last cell of a table that ends without a line break.
///
/// Many programs write none, and a truncated file has none.
package struct OpenCell: Hashable, Sendable {
    var field: ProductField
    var text: String
    var location: SourceLocation

    package init(field: ProductField, text: String, location: SourceLocation) {
        self.field = field
        self.text = text
        self.location = location
    }
}

/// A table with an export certificate next to it, and the market that was exported.
package struct ExportedTable: Hashable, Sendable {
    /// The table, as the user named it.
    var file: String
    var url: String
    /// The market's name, as its description gives it.
    var name: String
    /// The parameter values filled into the description.
    var parameters: [String: String]
    /// The built-in market of that name; `nil` if it is not a built-in one.
    var profile: MarketProfile?

    package init(file: String, url: String, name: String, parameters: [String: String] = [:], profile: MarketProfile?) {
        self.file = file
        self.url = url
        self.name = name
        self.parameters = parameters
        self.profile = profile
    }
}

/// The `market:` section, with the overrides of the run.
package struct MarketSettings: Sendable {
    /// The base URL without a trailing slash; `nil` if none is given.
    package var url: String?
    /// `nil` if none is given.
    package var profile: MarketProfile?
    /// The file of its description, relative to the working directory; `nil` for a built-in market.
    package var descriptionFile: String?
    /// The vendor's identifier header (v2).
    package var identifier: ResolvedSecret?
    /// The vendor's secret (v2) or the password of every item (v1).
    package var secret: ResolvedSecret?
    /// The vendor's number, if the manifest pins it.
    package var vendorID: Int64?
    /// The limits of a product: the profile's, raised by `market.limits`.
    package var limits: ProductLimits
    /// The hosts besides the market's own that its pictures may be fetched from.
    package var pictureHosts: [String]
    /// Whether new products may carry the manifest's keys, if the market accepts them.
    package var sendsKeys = false
    /// The state location in the manifest, relative to the working directory; `nil` if none is given.
    package var state: StateLocation?
    /// The URL at which the folder of the manifest is served, for a market that fetches pictures itself; without a
    /// trailing slash.
    package var picturesURL: String?

    package init(
        url: String? = nil,
        profile: MarketProfile? = nil,
        identifier: ResolvedSecret? = nil,
        secret: ResolvedSecret? = nil,
        vendorID: Int64? = nil,
        limits: ProductLimits = ProductLimits(),
        pictureHosts: [String] = []
    ) {
        self.url = url
        self.profile = profile
        self.identifier = identifier
        self.secret = secret
        self.vendorID = vendorID
        self.limits = limits
        self.pictureHosts = pictureHosts
    }

    /// The hosts besides the market's own that pictures may be fetched from, including that of the manifest's own
    /// pictures.
    package var readablePictureHosts: [String] {
        let served = picturesURL.flatMap { try? MarketURL($0) }.map(\.authority)
        return pictureHosts + [served].compactMap(\.self).filter { !pictureHosts.contains($0) }
    }
}

/// The `policies:` section, with the limits that a plan may not exceed without an override.
package struct Policies: Hashable, Sendable {
    package enum Bound: Hashable, Sendable {
        case count(Int)
        /// A share of the managed products, in hundredths of a percent.
        case basisPoints(Int64)
    }

    /// The limit of deleted or replaced products; `nil` leaves the default policy check of 30 % above 10 products.
    package var maximumDelete: Bound?
    /// The largest price change, in hundredths of a percent of the old price; `nil` allows any change.
    package var maximumPriceChange: Int64?
    /// The lowest price, sale prices included, in any currency; `nil` allows any price.
    package var minimumPrice: ExactDecimal?
    package var allowsCurrencyChange: Bool
    /// Whether a stock may go from more than 0 to 0.
    package var allowsStockToZero: Bool
    /// Whether buyers may pay nothing for a product that is new or had a price.
    package var allowsZeroPrice: Bool
    /// Whether products may be created if nothing shows the outcome of a create whose response was lost.
    package var allowsUnsettledCreates: Bool
    /// The handling of fields that were changed on the market; the run decides about fields without an entry.
    package var onDrift: [ProductField: PlannerOptions.DriftHandling]

    /// The defaults are the permissive ones, but for what no shop means.
    package init(
        maximumDelete: Bound? = nil,
        maximumPriceChange: Int64? = nil,
        minimumPrice: ExactDecimal? = nil,
        allowsCurrencyChange: Bool = true,
        allowsStockToZero: Bool = true,
        allowsZeroPrice: Bool = false,
        allowsUnsettledCreates: Bool = false,
        onDrift: [ProductField: PlannerOptions.DriftHandling] = [:]
    ) {
        self.maximumDelete = maximumDelete
        self.maximumPriceChange = maximumPriceChange
        self.minimumPrice = minimumPrice
        self.allowsCurrencyChange = allowsCurrencyChange
        self.allowsStockToZero = allowsStockToZero
        self.allowsZeroPrice = allowsZeroPrice
        self.allowsUnsettledCreates = allowsUnsettledCreates
        self.onDrift = onDrift
    }
}
