import OpenMarket

extension ReplyJSONWriter {
    mutating func page(
        _ products: [StoredProduct],
        number: Int,
        size: Int,
        total: Int,
        base: String,
        _ dialect: V2Dialect
    ) {
        let offset = (number - 1) * size
        let last = (total + size - 1) / size
        let isA = dialect == .a
        member(isA ? "page_no" : "pageNo", number)
        member(isA ? "items_per_page" : "itemsPerPage", size)
        member(isA ? "total_count" : "totalCount", total)
        member("offset", offset)
        // The index after the page's last row, not the size of a page.
        member("limit", offset + size)
        member(isA ? "last_page" : "lastPage", last)
        member(isA ? "has_next" : "hasNext", number < last)
        member(isA ? "has_prev" : "hasPrev", number > 1)
        member("pages", array: products) { json, product in
            json.object { $0.head(of: product, inList: true, base: base, dialect) }
        }
    }

    /// Writes the members of a product in detail: the reply to a detail, a create, an edit and a delete.
    mutating func detail(_ product: StoredProduct, base: String, _ dialect: V2Dialect) {
        head(of: product, inList: false, base: base, dialect)
        let vendor = product.vendor
        member("images", array: product.pictures) { json, picture in
            json.object { json in
                json.member("id", picture.id)
                json.member("url", dialect.imageURL(picture, vendor: vendor?.id, base: base))
                json.member("thumbnail_url", dialect.thumbnailURL(picture, vendor: vendor?.id, base: base))
                if dialect == .a { json.member("succeed", true) }
                json.member("issued_at", dialect.date(picture.createdAt))
            }
        }
        guard let vendor else { return }
        member("vendors") { json in
            if dialect == .a { json.member("name", vendor.name) }
            json.member("id", vendor.id)
            guard dialect == .a else { return json.member("name", vendor.name) }
            for key in ["created_at", "issued_at"] { json.member(key, dialect.date(vendor.createdAt)) }
        }
    }

    private mutating func head(of product: StoredProduct, inList: Bool, base: String, _ dialect: V2Dialect) {
        let fields = product.fields
        let vendor = product.vendor
        member("id", product.id)
        member("vendor_id", vendor?.id ?? 0)
        if inList, dialect == .b { member("vendorName", vendor?.name ?? "") }
        member("name", fields.name)
        if !inList || dialect == .b { member("description", fields.description) }
        let thumbnail = product.thumbnailPicture.map { dialect.thumbnailURL($0, vendor: vendor?.id, base: base) }
        member("thumbnail", thumbnail ?? "")
        member("currency", fields.currency)
        member("price", literal: fields.price?.javaSpelling)
        member("bargain_price", literal: fields.bargainPrice?.javaSpelling)
        member("discounted_price", literal: fields.discount?.javaSpelling)
        member("stock", fields.stock)
        member("created_at", dialect.date(product.createdAt))
        member("issued_at", dialect.date(product.issuedAt))
    }
}

extension ProductFields {
    /// The price that buyers pay on v2, whose discount is an amount off.
    var bargainPrice: ExactDecimal? {
        price.flatMap { price in discount.flatMap(price.subtracting) }
    }
}
