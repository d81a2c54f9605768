/// What the catalog should be: the manifest files of one run, read, resolved and checked.
package struct Manifest: Sendable {
    /// Where the market is and who we are there.
    package var market: MarketSettings
    /// The brakes.
    package var policies: Policies
    /// The products in reading order, tombstones included.
    ///
    /// Keys are unique.
    package var listings: Listings
    /// The manifest files read, in order, as the user named them.
    package var files: [String]
    /// The SHA-256 over the bytes of all files in order.
    package var digest: ContentDigest
    /// Whether products that the state knows and that have no listing are to be deleted: not so where a table lists some.
    package var isComplete = true
    /// What a row of a table that makes a product and leaves it open gets for its currency and stock.
    package var rowDefaults = RowDefaults()
    /// What is wrong with cells of products that exist: it matters only where the cell is about to be written.
    package var doubts: [CellDoubt] = []
    /// The last cells of tables that end without a line end: they may have been cut.
    package var openCells: [OpenCell] = []
    /// The tables beside which the certificate of an export is.
    package var exports: [ExportedTable] = []
    /// The environment variables that hold credentials of the market.
    package var credentialVariables: Set<String> = []
    /// The credentials of the market and of its items that are known.
    package var credentials: Set<Secret> = []

    /// Puts a manifest together.
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

/// What a row of a table that makes a product gets where it says nothing itself.
package struct RowDefaults: Hashable, Sendable {
    /// The currency.
    var currency: Currency?
    /// The stock.
    var stock: Int64?
    /// Whether the stock is only set on create, and left alone after.
    var isStockInitial: Bool
    /// Whether the product is protected.
    var isProtected: Bool

    /// Defaults; none unless given.
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
    /// The field.
    var field: ProductField
    /// What is wrong with the value, as an error.
    package var fault: Diagnostic

    /// A doubt about a cell.
    package init(id: MarketID, field: ProductField, fault: Diagnostic) {
        self.id = id
        self.field = field
        self.fault = fault
    }
}

/// The last cell of a table that ends without a line end.
///
/// Many programs write none, and a file that was cut has none.
package struct OpenCell: Hashable, Sendable {
    /// The field that it gives.
    var field: ProductField
    /// Its text.
    var text: String
    /// Where it is.
    var location: SourceLocation

    /// The last cell of a table.
    package init(field: ProductField, text: String, location: SourceLocation) {
        self.field = field
        self.text = text
        self.location = location
    }
}

/// A table beside which the certificate of an export is, and the market that was exported.
package struct ExportedTable: Hashable, Sendable {
    /// The table, as the user named it.
    var file: String
    /// The market's base URL.
    var url: String
    /// The market's name, as its description gives it.
    var name: String
    /// What was filled into the description.
    var parameters: [String: String]
    /// The built-in market of that name; `nil` for another one.
    var profile: MarketProfile?

    /// A table and its market.
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
    /// The base URL without a trailing slash; `nil` when nothing names one.
    package var url: String?
    /// The profile; `nil` when nothing names one.
    package var profile: MarketProfile?
    /// The file of its description, as a path from where the program runs; `nil` for a built-in market.
    package var descriptionFile: String?
    /// The vendor's identifier header (v2).
    package var identifier: ResolvedSecret?
    /// The vendor's secret (v2) or the password of every item (v1).
    package var secret: ResolvedSecret?
    /// The vendor's number, where the manifest pins it.
    package var vendorID: Int64?
    /// The limits of a product: the profile's, raised by `market.limits`.
    package var limits: ProductLimits
    /// The hosts beside the market's own that its pictures may be fetched from.
    package var pictureHosts: [String]
    /// Whether new products may carry the manifest's keys, where the market takes them.
    package var sendsKeys = false
    /// Where the manifest says that the state is, as a path from where the program runs; `nil` where it says nothing.
    package var state: StateLocation?
    /// Where the folder of the manifest is served, for a market that fetches pictures itself; without a trailing slash.
    package var picturesURL: String?

    /// Settings of a market.
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

    /// The hosts beside the market's own that pictures may be fetched from: that of the manifest's own pictures, too.
    package var readablePictureHosts: [String] {
        let served = picturesURL.flatMap { try? MarketURL($0) }.map(\.authority)
        return pictureHosts + [served].compactMap(\.self).filter { !pictureHosts.contains($0) }
    }
}

/// The `policies:` section: what a plan may not do without an override.
package struct Policies: Hashable, Sendable {
    /// A bound on a number of products.
    package enum Bound: Hashable, Sendable {
        /// A number of products.
        case count(Int)
        /// So many percent of the managed products, in hundredths of a percent.
        case basisPoints(Int64)
    }

    /// How many products may be deleted or replaced; `nil` leaves the standing brake of 30 % above 10 products.
    package var maximumDelete: Bound?
    /// By how much a price may move, in hundredths of a percent of the old one; `nil` allows any move.
    package var maximumPriceChange: Int64?
    /// The least that a price, or what buyers pay, may be, in whatever currency; `nil` allows any price.
    package var minimumPrice: ExactDecimal?
    /// Whether a currency may change.
    package var allowsCurrencyChange: Bool
    /// Whether a stock may go from more than 0 to 0.
    package var allowsStockToZero: Bool
    /// Whether products may be made where nothing shows what became of a create whose answer was lost.
    package var allowsUnsettledCreates: Bool
    /// What becomes of fields that were changed on the market; of those that are not named what the run says.
    package var onDrift: [ProductField: PlannerOptions.DriftHandling]

    /// Policies; by default the permissive ones.
    package init(
        maximumDelete: Bound? = nil,
        maximumPriceChange: Int64? = nil,
        minimumPrice: ExactDecimal? = nil,
        allowsCurrencyChange: Bool = true,
        allowsStockToZero: Bool = true,
        allowsUnsettledCreates: Bool = false,
        onDrift: [ProductField: PlannerOptions.DriftHandling] = [:]
    ) {
        self.maximumDelete = maximumDelete
        self.maximumPriceChange = maximumPriceChange
        self.minimumPrice = minimumPrice
        self.allowsCurrencyChange = allowsCurrencyChange
        self.allowsStockToZero = allowsStockToZero
        self.allowsUnsettledCreates = allowsUnsettledCreates
        self.onDrift = onDrift
    }
}
