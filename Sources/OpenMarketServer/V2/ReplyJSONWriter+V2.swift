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
        object { json in
            json.key(dialect.pageNumber)
            json.integer(number)
            json.key(dialect.itemsPerPage)
            json.integer(size)
            json.key(dialect.totalCount)
            json.integer(total)
            json.key("offset")
            json.integer(offset)
            // The index after the page's last row, not the size of a page.
            json.key("limit")
            json.integer(offset + size)
            json.key(dialect.lastPage)
            json.integer(last)
            json.key(dialect.hasNext)
            json.bool(number < last)
            json.key(dialect.hasPrevious)
            json.bool(number > 1)
            json.key("pages")
            json.array(products) { json, product in
                json.object { json in
                    json.head(of: product, inList: true, base: base, dialect)
                }
            }
        }
    }

    /// Writes a product in detail: the reply to a detail, a create, an edit and a delete.
    mutating func detail(_ product: StoredProduct, base: String, _ dialect: V2Dialect) {
        object { json in
            json.head(of: product, inList: false, base: base, dialect)
            json.key("images")
            json.array(product.pictures) { json, picture in
                json.object { json in
                    json.key("id")
                    json.integer(picture.id)
                    json.key("url")
                    json.string(dialect.imageURL(picture, vendor: product.vendor?.id, base: base))
                    json.key("thumbnail_url")
                    json.string(dialect.thumbnailURL(picture, vendor: product.vendor?.id, base: base))
                    if dialect.showsVendorDates {
                        json.key("succeed")
                        json.bool(true)
                    }
                    json.key("issued_at")
                    json.string(dialect.date(picture.createdAt))
                }
            }
            guard let vendor = product.vendor else { return }
            json.key("vendors")
            json.object { json in
                if dialect.showsVendorDates {
                    json.key("name")
                    json.string(vendor.name)
                    json.key("id")
                    json.integer(vendor.id)
                    for key in ["created_at", "issued_at"] {
                        json.key(key)
                        json.string(dialect.date(vendor.createdAt))
                    }
                } else {
                    json.key("id")
                    json.integer(vendor.id)
                    json.key("name")
                    json.string(vendor.name)
                }
            }
        }
    }

    private mutating func head(of product: StoredProduct, inList: Bool, base: String, _ dialect: V2Dialect) {
        let fields = product.fields
        key("id")
        integer(product.id)
        key("vendor_id")
        integer(product.vendor?.id ?? 0)
        if inList, dialect.showsDescriptionInLists {
            key("vendorName")
            string(product.vendor?.name ?? "")
        }
        key("name")
        string(fields.name)
        if !inList || dialect.showsDescriptionInLists {
            key("description")
            string(fields.description)
        }
        key("thumbnail")
        string(product.thumbnailPicture.map { dialect.thumbnailURL($0, vendor: product.vendor?.id, base: base) } ?? "")
        key("currency")
        if let currency = fields.currency { string(currency) } else { null() }
        key("price")
        number(fields.price)
        key("bargain_price")
        number(fields.price.flatMap { price in fields.discount.flatMap(price.subtracting) })
        key("discounted_price")
        number(fields.discount)
        key("stock")
        if let stock = fields.stock { integer(stock) } else { null() }
        key("created_at")
        string(dialect.date(product.createdAt))
        key("issued_at")
        string(dialect.date(product.issuedAt))
    }

    private mutating func number(_ value: ExactDecimal?) {
        if let value { literal(value.javaSpelling) } else { null() }
    }
}
