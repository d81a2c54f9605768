@testable import OpenMarket

extension LiveProduct {
    /// A live product, field by field.
    init(
        id: MarketID,
        vendorID: Int64? = nil,
        vendorName: String? = nil,
        name: String? = nil,
        description: String? = nil,
        price: ExactDecimal? = nil,
        currency: Currency? = nil,
        sale: Sale? = nil,
        stock: Int64? = nil,
        thumbnailURL: String? = nil,
        images: [Image]? = nil,
        createdAt: String? = nil,
        issuedAt: String? = nil,
        blank: ProductFieldSet = []
    ) {
        self.init(
            id: id,
            vendorID: vendorID,
            vendorName: vendorName,
            values: ProductValues(
                name: name,
                description: description,
                price: price,
                currency: currency,
                sale: sale,
                stock: stock
            ),
            thumbnailURL: thumbnailURL,
            images: images,
            createdAt: createdAt,
            issuedAt: issuedAt,
            blank: blank
        )
    }
}
