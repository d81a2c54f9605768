/// The wanted catalog: the manifest files of a run, read, resolved and checked.
package struct Manifest: Sendable {
    package var market: MarketSettings
    package var policies: Policies
    /// In reading order, including tombstones, with unique keys.
    package var listings: Listings
    /// In reading order, as the user named them.
    package var files: [String]
    /// The table whose edits the files do not have yet, or that they got only now; `nil` for files as they are.
    package var editedBy: String?
    /// The SHA-256 over the bytes of all files in order.
    package var digest: ContentDigest
    /// Whether products in the state without a listing are deleted; `false` for a table that lists only some products.
    package var isComplete = true
    /// The products that `adjust` leaves out, with the places of these adjustments.
    package var leftOut: [String: SourceLocation] = [:]
    /// Whether `adjust` gives products of this market other values than their files have.
    package var isAdjusted = false
    /// What `adjust` would change, by key, where the listings have the values of the files.
    package var adjustedFields: [String: AdjustedFields] = [:]
    /// Currency and stock of new products whose table rows omit them.
    package var rowDefaults: (currency: Currency?, stock: Int64?) = (nil, nil)
    /// Faults of cells of existing products, which matter only if the cell is written.
    package var doubts: [CellDoubt] = []
    /// The last cells of tables without a final line break, which may be truncated.
    package var openCells: [OpenCell] = []
    /// The tables with an export certificate next to them.
    package var exports: [ExportedTable] = []
    /// The environment variables with the market's credentials.
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

/// A value of a row that no product should get, although the market may have it already.
package struct CellDoubt: Hashable, Sendable {
    package var id: MarketID
    var field: ProductField
    package var fault: Diagnostic

    package init(id: MarketID, field: ProductField, fault: Diagnostic) {
        self.id = id
        self.field = field
        self.fault = fault
    }
}

/// The last cell of a table without a final line break.
///
/// Many programs omit the final line break, and a truncated file lacks it.
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

/// A table with an export certificate next to it.
package struct ExportedTable: Hashable, Sendable {
    /// As the user named it.
    var file: String
    var market: MarketScope
    /// The built-in market of that name; `nil` for other markets.
    var profile: MarketProfile?

    package init(file: String, market: MarketScope, profile: MarketProfile?) {
        self.file = file
        self.market = market
        self.profile = profile
    }
}

/// The `market:` section, with the overrides of the run.
package struct MarketSettings: Sendable {
    /// The file that has the section `market`, as in sources.
    package var file: String?
    /// Without a trailing slash.
    package var url: String?
    package var profile: MarketProfile?
    /// The file of the description, relative to the working directory; `nil` for a built-in market.
    package var descriptionFile: String?
    /// The vendor's identifier header (v2).
    package var identifier: ResolvedSecret?
    /// The vendor's secret (v2) or the password of every item (v1).
    package var secret: ResolvedSecret?
    /// The vendor number, if the manifest pins it.
    package var vendorID: Int64?
    /// The profile's limits, raised by `market.limits`.
    package var limits = ProductLimits()
    /// Hosts besides the market's own that its pictures may be fetched from.
    package var pictureHosts: [String] = []
    /// Whether new products may carry the manifest's keys, if the market accepts them.
    package var sendsKeys = false
    /// The state location in the manifest, relative to the working directory.
    package var state: StateLocation?
    /// The URL that serves the manifest's folder, for a market that fetches pictures itself; without a trailing slash.
    package var picturesURL: String?

    package static let blank = MarketSettings()

    /// The hosts besides the market's own that pictures may be fetched from, including that of the manifest's pictures.
    package var readablePictureHosts: [String] {
        let served = picturesURL.flatMap { try? MarketURL($0) }.map(\.authority)
        return pictureHosts + [served].compactMap(\.self).filter { !pictureHosts.contains($0) }
    }
}

/// The `policies:` section: the limits of a plan without an override.
package struct Policies: Hashable, Sendable {
    package enum Bound: Hashable, Sendable {
        case count(Int)
        /// A share of the managed products, in hundredths of a percent.
        case basisPoints(Int64)
    }

    /// The limit of deleted or replaced products; `nil` leaves the default of 30 % above 10 products.
    package var maximumDelete: Bound?
    /// The largest price change, in hundredths of a percent of the old price; `nil` for no limit.
    package var maximumPriceChange: Int64?
    /// The lowest price, including sale prices, in any currency; `nil` for no limit.
    package var minimumPrice: ExactDecimal?
    package var allowsCurrencyChange = true
    /// Whether a stock above 0 may become 0.
    package var allowsStockToZero = true
    /// Whether a product that is new or had a price may become free.
    package var allowsZeroPrice = false
    /// Whether products may be created if the market cannot show the outcome of a create whose reply is lost.
    package var allowsUnsettledCreates = false
    /// The handling of drift by field; the run decides about other fields.
    package var onDrift: [ProductField: PlannerOptions.DriftHandling] = [:]

    /// Permissive, except for changes that no shop wants.
    package static let standard = Policies()
}
