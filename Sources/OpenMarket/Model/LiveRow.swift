/// A row of the list as it was just read: numbers as values, texts where they are in the page's bytes.
///
/// A ``LiveProduct`` that costs no memory, for those who only look at it or write it elsewhere. Valid only as long as the
/// page's bytes are.
package struct LiveRow {
    /// What the market calls the product.
    package var id = MarketID(0)
    /// Our key, where the market carries one.
    package var key: JSONText?
    /// Whose product it is, by number (v2).
    package var vendorID: Int64?
    /// Whose product it is, by name (v2b lists, v2 details).
    package var vendorName: JSONText?
    package var name: JSONText?
    /// The long text.
    package var description: JSONText?
    /// The price before any reduction.
    package var price: ExactDecimal?
    /// The currency code.
    package var currencyCode: JSONText?
    /// Whether there is a sale.
    package var sale: Sale?
    /// Whether the market holds a sale price equal to the price (v1); see ``LiveProduct/hasEndedSale``.
    package var hasEndedSale = false
    /// Units for sale.
    package var stock: Int64?
    /// The URL of the small picture.
    package var thumbnailURL: JSONText?
    /// The pictures in order; `nil` in rows of lists, but for markets that show more than they should.
    package var images: [LiveProduct.Image]?
    /// When it was registered, as the market writes it.
    package var createdAt: JSONText?
    /// When it was registered or edited, as the market writes it (v2).
    package var issuedAt: JSONText?
    /// The fields that replies of this kind always show and that this one did not.
    package var blank: ProductFieldSet = []
    /// The fields that say that they have no value; see ``LiveProduct/unset``.
    package var unset: ProductFieldSet = []
    /// Whether it is of the kind that is written; see ``LiveProduct/isManageable``.
    package var isManageable = true

    /// A row that shows nothing yet.
    package init() {}

    /// The fields that the row showed, in a form that could be read.
    package var shownFields: ProductFieldSet {
        ProductFieldSet(
            name: name != nil,
            description: description != nil,
            price: price != nil,
            currency: currencyCode != nil,
            salePrice: sale != nil,
            stock: stock != nil,
            images: images != nil,
            thumbnail: thumbnailURL != nil
        )
    }
}

extension LiveProduct {
    /// The product that a row shows.
    package init(_ row: LiveRow) {
        self.init(
            id: row.id,
            key: row.key?.string,
            vendorID: row.vendorID,
            vendorName: row.vendorName?.string,
            values: ProductValues(
                name: row.name?.string,
                description: row.description?.string,
                price: row.price,
                currency: row.currencyCode.map { Currency(rawValue: $0.string) },
                sale: row.sale,
                stock: row.stock
            ),
            thumbnailURL: row.thumbnailURL?.string,
            images: row.images,
            createdAt: row.createdAt?.string,
            issuedAt: row.issuedAt?.string,
            blank: row.blank
        )
        unset = row.unset
        hasEndedSale = row.hasEndedSale
        isManageable = row.isManageable
    }
}
