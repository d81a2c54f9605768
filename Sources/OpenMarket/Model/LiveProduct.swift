/// A live product.
///
/// `nil` means that the reply did not show the field: a row of a list shows less than a detail. ``blank`` has the
/// fields that this kind of reply always shows and that are `nil` nevertheless. Old rows are dirty, and the market
/// drops unknown values (docs/reference/open-market-versions.md, "Dirty data").
package struct LiveProduct: Hashable, Sendable {
    package struct Image: Hashable, Sendable {
        /// The market's ID of the picture (v2).
        package var id: MarketID?
        package var url: String
        package var thumbnailURL: String?

        package init(id: MarketID? = nil, url: String, thumbnailURL: String? = nil) {
            self.id = id
            self.url = url
            self.thumbnailURL = thumbnailURL
        }

        /// The picture's ID, or its URL without an ID.
        var reference: String { id?.description ?? url }

        /// Compares URLs by their bytes.
        package static func == (left: Image, right: Image) -> Bool {
            left.id == right.id && left.url.isExactly(right.url) && left.thumbnailURL.isExactly(right.thumbnailURL)
        }
    }

    package var id: MarketID
    /// The manifest's key, if the market carries and shows keys.
    package var key: String?
    /// The vendor's number (v2).
    package var vendorID: Int64?
    /// The vendor's name (v2b lists, v2 details).
    package var vendorName: String?
    /// The fields that the reply shows, except the pictures, which are in ``images`` and ``thumbnailURL``.
    ///
    /// A sale at the full price counts as no sale.
    package var values: ProductValues
    /// Whether the market holds a sale price equal to the price (v1): no sale now, but again if only the price changes.
    var hasEndedSale = false
    /// Whether the market's description includes the product in writing.
    ///
    /// Other products, such as a second variant, are only exported.
    package var isManageable = true
    /// The URL of the small picture in lists; the first of several (v1).
    package var thumbnailURL: String?
    /// In order; `nil` in rows of lists.
    package var images: [Image]?
    /// The time of registration, as the market writes it; epoch seconds on v1.
    package var createdAt: String?
    /// The time of registration or the last edit, as the market writes it (v2).
    package var issuedAt: String?
    /// Fields that replies of this kind always show but this one did not: `null`, missing, or unreadable.
    package var blank: ProductFieldSet = []
    /// Fields whose value means absence, as the market's description defines it.
    ///
    /// They are valid, but differ from a manifest that wants a value.
    var unset: ProductFieldSet = []
    /// The paths of non-empty members that the market's description does not name, such as `/weight`.
    ///
    /// `nil` in rows of lists. Only ``losses(to:besides:takesAway:)`` compares them; they are not part of the product.
    package var members: Set<String>?
    /// Whether the reply shows a value, or its absence, for every field of a detail, so that a detail is unnecessary.
    ///
    /// A missing field counts as not shown, whatever its absence means. Equality ignores this flag.
    package var isWhole = false

    /// Compares texts by their bytes.
    package static func == (left: LiveProduct, right: LiveProduct) -> Bool {
        left.id == right.id && left.key.isExactly(right.key) && left.vendorID == right.vendorID
            && left.vendorName.isExactly(right.vendorName)
            && left.values == right.values && left.hasEndedSale == right.hasEndedSale
            && left.isManageable == right.isManageable
            && left.thumbnailURL.isExactly(right.thumbnailURL) && left.images == right.images
            && left.createdAt.isExactly(right.createdAt) && left.issuedAt.isExactly(right.issuedAt)
            && left.blank == right.blank && left.unset == right.unset
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension LiveProduct {
    package init(id: MarketID, showing values: ProductValues) { self.init(id: id, values: values) }

    /// Why a product is not ``isManageable``, as the end of a sentence.
    package static func otherKind(on market: String) -> String {
        "of a kind that is read-only in the description of \(market)"
    }

    package var name: String? {
        get { values.name }
        set { values.name = newValue }
    }

    package var description: String? {
        get { values.description }
        set { values.description = newValue }
    }

    package var price: ExactDecimal? {
        get { values.price }
        set { values.price = newValue }
    }

    package var currency: Currency? {
        get { values.currency }
        set { values.currency = newValue }
    }

    package var sale: Sale? {
        get { values.sale }
        set { values.sale = newValue }
    }

    package var stock: Int64? {
        get { values.stock }
        set { values.stock = newValue }
    }
}

extension LiveProduct {
    /// The fields that the reply showed in readable form.
    var shownFields: ProductFieldSet {
        var fields = values.fields
        if images != nil { fields.insert(.images) }
        if thumbnailURL != nil { fields.insert(.thumbnail) }
        return fields
    }

    /// The row of a list, completed with all fields of the detail.
    ///
    /// Keeps fields that only the row shows, so that an unreadable field in the detail does not lose them.
    package func completed(by detail: LiveProduct) -> LiveProduct {
        var product = detail
        for field in ProductField.allCases where detail.values[field] == nil { product.values[field] = values[field] }
        product.values.normalizeSale()
        product.isManageable = isManageable && detail.isManageable
        product.key = detail.key ?? key
        product.vendorID = detail.vendorID ?? vendorID
        product.vendorName = detail.vendorName ?? vendorName
        product.thumbnailURL = detail.thumbnailURL ?? thumbnailURL
        product.images = detail.images ?? images
        product.createdAt = detail.createdAt ?? createdAt
        product.issuedAt = detail.issuedAt ?? issuedAt
        product.blank = detail.blank.subtracting(shownFields)
        product.unset = unset.union(detail.unset).subtracting(product.shownFields)
        return product
    }

    /// The fields that the market does not show although a value is wanted.
    ///
    /// Absence equals an empty text, but not a stock of 0: a product without a stock may sell without limit.
    func lackedFields(of wanted: ProductValues) -> ProductFieldSet {
        var none = unset
        if wanted.description?.isEmpty == true { none.remove(.description) }
        return blank.union(none)
    }
}

extension LiveProduct {
    /// The fields, and the paths of members without a field, that the product showed before a write and not after it.
    ///
    /// The write sets the fields in `written`. If it removes a value, members that follow from it may disappear too, so
    /// members are not compared.
    package func losses(to shown: LiveProduct, besides written: Set<ProductField>, takesAway: Bool) -> [String] {
        // Other pictures have another thumbnail.
        let written = written.contains(.images) ? written.union([.thumbnail]) : written
        let fields = ProductField.allCases.filter { !written.contains($0) && holds($0) && !shown.holds($0) }
        guard !takesAway, let members, let left = shown.members else { return fields.map(\.rawValue) }
        return fields.map(\.rawValue) + members.subtracting(left).sorted()
    }

    private func holds(_ field: ProductField) -> Bool {
        switch field {
        case .images: images?.isEmpty == false
        case .thumbnail: thumbnailURL?.isEmpty == false
        default:
            switch values[field] {
            // The last unit may have been sold.
            case .integer?: true
            case .number(let number)?: number != .zero
            case let value?: !value.isNothing
            case nil: false
            }
        }
    }
}

/// The live catalog from the market's replies.
package struct LiveCatalog: Sendable {
    /// Each ID once.
    package var products: LiveProducts = LiveProducts()
    /// Rows that could not be read; other rows are kept.
    package var problems: [RowProblem] = []
    /// Whether part of the list came from a cache.
    var isFromCache = false

    /// The highest ID, which every later product exceeds; `nil` if IDs are texts.
    package var highWater: MarketID? { products.keys.newest() }
}

/// A row from the market that could not be read, or only in part.
package struct RowProblem: Hashable, Sendable {
    /// `nil` if the ID could not be read.
    package var id: MarketID?
    /// The product's name, if the ID could not be read.
    var name: String?
    /// `product 12`, or the position `page 3, row 7`.
    package var place: String
    /// The fault: `price is null`.
    package var message: String

    package init(id: MarketID? = nil, name: String? = nil, place: String, message: String) {
        self.id = id
        self.name = name
        self.place = place
        self.message = message
    }
}
