import OpenMarket

/// Reads one product object of any deployment, tolerantly: either key case, missing fields, numbers in any spelling,
/// `null` on dirty rows.
///
/// What cannot be read is `nil` and is reported.
struct ProductReader {
    /// What `discounted_price` means here.
    let discount: Dialect.DiscountMeaning
    /// The fields that this kind of reply always shows; one that is not there is ``LiveProduct/blank``.
    var shows: ProductFieldSet = []

    /// A product, or what was wrong with it.
    struct Row {
        /// The product; `nil` when its number could not be read.
        var product: LiveProduct?
        /// The name of a product whose number could not be read.
        var unnumberedName: String?
        /// What is wrong, for messages: `price is null`.
        var faults: [String] = []
    }

    private enum Name: Int, CaseIterable {
        case id, title, name, descriptions, description, price, currency, discountedPrice, bargainPrice, stock
        case thumbnail, thumbnails, images, registrationDate, createdAt, issuedAt, vendorID, vendorName, vendors
    }

    private static let names = JSONNames(Name.allCases.map { "\($0)" })

    /// Reads the object that comes next.
    ///
    /// - Throws: ``JSONError`` when the text itself is broken.
    func read(_ reader: inout JSONReader) throws(JSONError) -> Row {
        guard try reader.peek() == .object else {
            try reader.skipValue()
            return Row(faults: ["it is no object"])
        }
        var row = Row()
        var product = LiveProduct(id: ProductID(0), values: ProductValues())
        var id: Int64?
        var wire: ExactDecimal?
        var showsDiscount = false
        var bargain: ExactDecimal?
        var thumbnails: [String]?
        try reader.beginObject()
        while let index = try reader.nextName(of: Self.names) {
            guard let name = Name(rawValue: index) else {
                try reader.skipValue()
                continue
            }
            switch name {
            case .id: id = try reader.whole(orNote: "id", &row.faults)
            case .title, .name: product.name = try reader.text(orNote: "name", &row.faults)
            case .descriptions, .description: product.description = try reader.text(orNote: "description", &row.faults)
            case .price: product.price = try reader.decimal(orNote: "price", &row.faults)
            case .currency:
                product.currency = try reader.text(orNote: "currency", &row.faults).map(Currency.init(rawValue:))
            case .discountedPrice:
                if discount == .salePrice, try reader.peek() == .null {
                    try reader.readNull()
                } else {
                    showsDiscount = true
                    wire = try reader.decimal(orNote: "discounted_price", &row.faults)
                }
            case .bargainPrice:
                var ignored: [String] = []
                bargain = try reader.decimal(orNote: "bargain_price", &ignored)
            case .stock: product.stock = try reader.whole(orNote: "stock", &row.faults)
            case .thumbnail: product.thumbnailURL = try reader.text(orNote: "thumbnail", &row.faults)
            case .thumbnails: thumbnails = try reader.texts(orNote: "thumbnails", &row.faults)
            case .images: product.images = try images(&reader, &row.faults)
            case .registrationDate, .createdAt: product.createdAt = try reader.spelling()
            case .issuedAt: product.issuedAt = try reader.spelling()
            case .vendorID: product.vendorID = try reader.whole(orNote: "vendor_id", &row.faults)
            case .vendorName: product.vendorName = try reader.text(orNote: "vendorName", &row.faults)
            case .vendors: try vendor(&reader, &product, &row.faults)
            }
        }
        guard let id else {
            if !row.faults.contains(where: { $0.hasPrefix("id ") }) { row.faults.append("id is missing") }
            row.unnumberedName = product.name
            return row
        }
        product.id = ProductID(id)
        if let thumbnails { Self.attach(thumbnails, to: &product) }

        switch discount {
        case .salePrice:
            product.sale = showsDiscount ? wire.map { Sale.at($0, insteadOf: product.price) } : Sale.fullPrice
            product.hasEndedSale = wire != nil && wire == product.price
        case .amountOff:
            if let wire {
                product.sale =
                    wire == .zero
                    ? Sale.fullPrice : product.price?.subtracting(wire).map { Sale.at($0, insteadOf: product.price) }
            } else if !showsDiscount, let bargain, product.price != nil {
                product.sale = Sale.at(bargain, insteadOf: product.price)
            }
        }
        product.blank = shows.subtracting(product.shownFields)
        row.product = product
        return row
    }

    /// v1 lists thumbnails beside the images, one for each, in the same order.
    private static func attach(_ thumbnails: [String], to product: inout LiveProduct) {
        if product.thumbnailURL == nil { product.thumbnailURL = thumbnails.first }
        guard var images = product.images, images.count == thumbnails.count else { return }
        for index in images.indices { images[index].thumbnailURL = images[index].thumbnailURL ?? thumbnails[index] }
        product.images = images
    }

    private enum ImageName: Int, CaseIterable {
        case id, url, thumbnailURL
    }

    private static let imageNames = JSONNames(ImageName.allCases.map { "\($0)" })

    /// Pictures: URLs (v1) or objects (v2).
    private func images(
        _ reader: inout JSONReader,
        _ faults: inout [String]
    ) throws(JSONError) -> [LiveProduct.Image]? {
        guard try reader.peek() == .array else {
            try reader.skipValue()
            faults.append("images is no array")
            return nil
        }
        var images: [LiveProduct.Image] = []
        try reader.beginArray()
        while try reader.nextElement() {
            guard try reader.peek() == .object else {
                if let url = try reader.text(orNote: "images", &faults) { images.append(LiveProduct.Image(url: url)) }
                continue
            }
            var image = LiveProduct.Image(url: "")
            try reader.beginObject()
            while let index = try reader.nextName(of: Self.imageNames) {
                switch ImageName(rawValue: index) {
                case .id: image.id = try reader.whole(orNote: "images.id", &faults)
                case .url: image.url = try reader.text(orNote: "images.url", &faults) ?? ""
                case .thumbnailURL: image.thumbnailURL = try reader.text(orNote: "images.thumbnail_url", &faults)
                case nil: try reader.skipValue()
                }
            }
            images.append(image)
        }
        return images
    }

    private enum VendorKey: Int, CaseIterable {
        case id, name
    }

    private static let vendorNames = JSONNames(VendorKey.allCases.map { "\($0)" })

    /// The object `vendors` of a detail: despite its name it is one vendor.
    private func vendor(
        _ reader: inout JSONReader,
        _ product: inout LiveProduct,
        _ faults: inout [String]
    ) throws(JSONError) {
        guard try reader.peek() == .object else { return try reader.skipValue() }
        try reader.beginObject()
        while let index = try reader.nextName(of: Self.vendorNames) {
            switch VendorKey(rawValue: index) {
            case .id:
                let id = try reader.whole(orNote: "vendors.id", &faults)
                product.vendorID = product.vendorID ?? id
            case .name: product.vendorName = try reader.text(orNote: "vendors.name", &faults)
            case nil: try reader.skipValue()
            }
        }
    }
}
