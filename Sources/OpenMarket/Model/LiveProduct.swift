/// A product as the market shows it now.
///
/// `nil` means that the reply did not show the field: a row of a list shows less than a detail. A field that this kind
/// of reply always shows and that is `nil` all the same is ``blank``: old rows are dirty, and the market drops what it
/// does not know (docs/profiles.md, "Dirty data").
package struct LiveProduct: Hashable, Sendable {
    /// A picture of a live product.
    package struct Image: Hashable, Sendable {
        /// What the market calls the picture (v2).
        package var id: MarketID?
        /// Where its bytes are.
        package var url: String
        /// Where its small version is.
        package var thumbnailURL: String?

        /// A picture of a live product.
        package init(id: MarketID? = nil, url: String, thumbnailURL: String? = nil) {
            self.id = id
            self.url = url
            self.thumbnailURL = thumbnailURL
        }

        /// What distinguishes this picture from others: its id, or else its URL.
        var reference: String { id?.description ?? url }

        /// Compares URLs by their bytes.
        package static func == (left: Image, right: Image) -> Bool {
            left.id == right.id && left.url.isExactly(right.url) && left.thumbnailURL.isExactly(right.thumbnailURL)
        }
    }

    /// What the market calls the product.
    package var id: MarketID
    /// Our key, where the market carries one and shows it.
    package var key: String?
    /// Whose product it is, by number (v2).
    package var vendorID: Int64?
    /// Whose product it is, by name (v2b lists, v2 details).
    package var vendorName: String?
    /// The fields that the reply shows, but for the pictures: those are in ``images`` and ``thumbnailURL``.
    ///
    /// A sale at the full price is read as none.
    package var values: ProductValues
    /// Whether the market holds a sale price equal to the price (v1): no sale now, and one again once only the price
    /// moves.
    var hasEndedSale = false
    /// Whether the market's description counts it among the products that are written: others, such as the second variant of
    /// one, are only exported.
    var isManageable = true
    /// The URL of the small picture in lists; the first where there are several (v1).
    package var thumbnailURL: String?
    /// The pictures in order; `nil` in rows of lists.
    package var images: [Image]?
    /// When it was registered, as the market writes it; epoch seconds on v1.
    package var createdAt: String?
    /// When it was registered or edited, as the market writes it (v2).
    package var issuedAt: String?
    /// The fields that replies of this kind always show and that this one did not: `null`, missing, or unreadable.
    package var blank: ProductFieldSet
    /// The fields that say that they have no value, in the words of the market's description: as right as a value, and not what
    /// a manifest wants that has one.
    var unset: ProductFieldSet = []

    /// A live product.
    package init(
        id: MarketID,
        key: String? = nil,
        vendorID: Int64? = nil,
        vendorName: String? = nil,
        values: ProductValues,
        thumbnailURL: String? = nil,
        images: [Image]? = nil,
        createdAt: String? = nil,
        issuedAt: String? = nil,
        blank: ProductFieldSet = []
    ) {
        self.id = id
        self.key = key
        self.vendorID = vendorID
        self.vendorName = vendorName
        self.values = values
        self.thumbnailURL = thumbnailURL
        self.images = images
        self.createdAt = createdAt
        self.issuedAt = issuedAt
        self.blank = blank
    }

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
}

extension LiveProduct {
    /// The name.
    package var name: String? {
        get { values.name }
        set { values.name = newValue }
    }

    /// The long text.
    package var description: String? {
        get { values.description }
        set { values.description = newValue }
    }

    /// The price before any reduction.
    package var price: ExactDecimal? {
        get { values.price }
        set { values.price = newValue }
    }

    /// The currency.
    package var currency: Currency? {
        get { values.currency }
        set { values.currency = newValue }
    }

    /// Whether there is a sale.
    package var sale: Sale? {
        get { values.sale }
        set { values.sale = newValue }
    }

    /// Units for sale.
    package var stock: Int64? {
        get { values.stock }
        set { values.stock = newValue }
    }
}

extension LiveProduct {
    /// The fields that the reply showed, in a form that could be read.
    var shownFields: ProductFieldSet {
        var fields = values.fields
        if images != nil { fields.insert(.images) }
        if thumbnailURL != nil { fields.insert(.thumbnail) }
        return fields
    }

    /// The row of a list with everything that the detail shows.
    ///
    /// What the row shows and the detail does not stays, so that a detail with a field that could not be read does not
    /// lose it.
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

    /// The fields in which the market shows nothing where a value is wanted.
    ///
    /// Nothing is as good as an empty text. It is not a stock of 0: what has no stock may be sold without limit.
    func lackedFields(of wanted: ProductValues) -> ProductFieldSet {
        var none = unset
        if wanted.description?.isEmpty == true { none.remove(.description) }
        return blank.union(none)
    }
}

/// The live catalog: what the market answered.
package struct LiveCatalog: Sendable {
    /// The rows, each id once.
    package var products: LiveProducts
    /// Rows that could not be read; they are reported, and the other rows are kept.
    package var problems: [RowProblem]

    /// A catalog.
    init(products: LiveProducts = LiveProducts(), problems: [RowProblem] = []) {
        self.products = products
        self.problems = problems
    }

    /// The highest number seen: everything created from now on is newer; `nil` where ids are texts.
    package var highWater: MarketID? { products.keys.newest() }
}

/// A row of the market's that could not be read, or not in whole.
package struct RowProblem: Hashable, Sendable {
    /// The product, where its number could be read.
    package var id: MarketID?
    /// The product's name, where its number could not be read.
    var name: String?
    /// Where it was: `page 3, row 7`.
    package var place: String
    /// What is wrong: `price is null`.
    package var message: String

    /// A problem of a row.
    package init(id: MarketID? = nil, name: String? = nil, place: String, message: String) {
        self.id = id
        self.name = name
        self.place = place
        self.message = message
    }
}
