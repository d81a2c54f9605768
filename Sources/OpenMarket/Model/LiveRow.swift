/// A row of the list as just read: numbers as values, texts as slices of the page's bytes.
///
/// A ``LiveProduct`` without allocations, for readers that only inspect it or write it elsewhere. Valid only as long as
/// the page's bytes.
package struct LiveRow {
    package var id = MarketID(0)
    /// The manifest's key, if the market carries one.
    package var key: JSONText?
    /// The vendor's number (v2).
    package var vendorID: Int64?
    /// The vendor's name (v2b lists, v2 details).
    package var vendorName: JSONText?
    package var name: JSONText?
    package var description: JSONText?
    /// The price before any reduction.
    package var price: ExactDecimal?
    package var currencyCode: JSONText?
    package var sale: Sale?
    /// See ``LiveProduct/hasEndedSale`` (v1).
    package var hasEndedSale = false
    package var stock: Int64?
    package var thumbnailURL: JSONText?
    /// In order; `nil` in rows of lists, except from markets that show more than they should.
    package var images: [LiveProduct.Image]?
    /// The time of registration, as the market writes it.
    package var createdAt: JSONText?
    /// The time of registration or the last edit, as the market writes it (v2).
    package var issuedAt: JSONText?
    /// Fields that replies of this kind always show but this one did not.
    package var blank: ProductFieldSet = []
    /// See ``LiveProduct/unset``.
    package var unset: ProductFieldSet = []
    /// See ``LiveProduct/isManageable``.
    package var isManageable = true
    /// See ``LiveProduct/isWhole``.
    package var isWhole = false

    package init() {}

    /// The fields that the row showed in readable form.
    package var shownFields: ProductFieldSet {
        var fields: ProductFieldSet = []
        if name != nil { fields.insert(.name) }
        if description != nil { fields.insert(.description) }
        if price != nil { fields.insert(.price) }
        if currencyCode != nil { fields.insert(.currency) }
        if sale != nil { fields.insert(.salePrice) }
        if stock != nil { fields.insert(.stock) }
        if images != nil { fields.insert(.images) }
        if thumbnailURL != nil { fields.insert(.thumbnail) }
        return fields
    }
}

extension LiveProduct {
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
        isWhole = row.isWhole
    }
}
