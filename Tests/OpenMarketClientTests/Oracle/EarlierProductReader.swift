@testable import OpenMarket
@testable import OpenMarketClient

/// The reader of products before markets were described, as an oracle: reads one product object of any profile, tolerantly: either key case, missing fields, numbers in any spelling,
/// `null` on dirty rows.
///
/// What cannot be read is `nil` and is reported.
struct EarlierProductReader {
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
        var row = LiveRow()
        var result = Row()
        var order = JSONNameOrder()
        if try read(&reader, in: &order, into: &row, &result.faults) {
            result.product = LiveProduct(row)
        } else {
            result.unnumberedName = row.name?.string
        }
        return result
    }

    /// Reads the object that comes next.
    ///
    /// Hot: every row of the list passes here, and nothing is allocated for those that are as they should be.
    ///
    /// - Parameters:
    ///   - reader: at the beginning of the object.
    ///   - order: how the objects before named their members.
    ///   - row: a row that shows nothing yet; takes what is shown.
    ///   - faults: takes what is wrong.
    /// - Returns: whether the product's number could be read.
    /// - Throws: ``JSONError`` when the text itself is broken.
    func read(
        _ reader: inout JSONReader,
        in order: inout JSONNameOrder,
        into row: inout LiveRow,
        _ faults: inout [String]
    ) throws(JSONError) -> Bool {
        guard try reader.peek() == .object else {
            try reader.skipValue()
            faults.append("it is not an object")
            return false
        }
        var members = Members()
        let names = Self.names
        try reader.beginObject(in: &order)
        while let index = try reader.nextName(of: names, in: &order) {
            if let name = Name(rawValue: index) {
                try read(name, &reader, into: &row, &members, &faults)
            } else {
                try reader.skipValue()
            }
        }
        guard let id = members.id else {
            if !faults.contains(where: { $0.hasPrefix("id ") }) { faults.append("id is missing") }
            return false
        }
        row.id = MarketID(id)
        if let thumbnails = members.thumbnails { Self.attach(thumbnails, to: &row) }
        setSale(of: &row, members)
        row.blank = shows.subtracting(row.shownFields)
        return true
    }

    /// What an object shows that is of a row only beside its other members.
    private struct Members {
        var id: Int64?
        /// `discounted_price`, and whether it was there at all.
        var discount: ExactDecimal?
        var showsDiscount = false
        var bargain: ExactDecimal?
        var thumbnails: [JSONText]?
    }

    private func read(
        _ name: Name,
        _ reader: inout JSONReader,
        into row: inout LiveRow,
        _ members: inout Members,
        _ faults: inout [String]
    ) throws(JSONError) {
        switch name {
        case .id: members.id = try reader.whole(orNote: "id", &faults)
        case .title, .name: row.name = try reader.text(orNote: "name", &faults)
        case .descriptions, .description: row.description = try reader.text(orNote: "description", &faults)
        case .price: row.price = try reader.decimal(orNote: "price", &faults)
        case .currency: row.currencyCode = try reader.text(orNote: "currency", &faults)
        case .discountedPrice: try readDiscount(&reader, &members, &faults)
        case .bargainPrice:
            var ignored: [String] = []
            members.bargain = try reader.decimal(orNote: "bargain_price", &ignored)
        case .stock: row.stock = try reader.whole(orNote: "stock", &faults)
        case .thumbnail: row.thumbnailURL = try reader.text(orNote: "thumbnail", &faults)
        case .thumbnails: members.thumbnails = try reader.texts(orNote: "thumbnails", &faults)
        case .images: row.images = try images(&reader, &faults)
        case .registrationDate, .createdAt: row.createdAt = try reader.spelling()
        case .issuedAt: row.issuedAt = try reader.spelling()
        case .vendorID: row.vendorID = try reader.whole(orNote: "vendor_id", &faults)
        case .vendorName: row.vendorName = try reader.text(orNote: "vendorName", &faults)
        case .vendors: try vendor(&reader, &row, &faults)
        }
    }

    /// On v1 `null` means no discount, and is not a fault.
    private func readDiscount(
        _ reader: inout JSONReader,
        _ members: inout Members,
        _ faults: inout [String]
    ) throws(JSONError) {
        if discount == .salePrice, try reader.peek() == .null { return try reader.readNull() }
        members.showsDiscount = true
        members.discount = try reader.decimal(orNote: "discounted_price", &faults)
    }

    private func setSale(of row: inout LiveRow, _ members: Members) {
        let wire = members.discount
        switch discount {
        case .salePrice:
            row.sale = members.showsDiscount ? wire.map { Sale.at($0, insteadOf: row.price) } : Sale.fullPrice
            row.hasEndedSale = wire != nil && wire == row.price
        case .amountOff:
            if let wire {
                row.sale =
                    wire == .zero
                    ? Sale.fullPrice : row.price?.subtracting(wire).map { Sale.at($0, insteadOf: row.price) }
            } else if !members.showsDiscount, let bargain = members.bargain, row.price != nil {
                row.sale = Sale.at(bargain, insteadOf: row.price)
            }
        }
    }

    /// v1 lists thumbnails beside the images, one for each, in the same order.
    private static func attach(_ thumbnails: [JSONText], to row: inout LiveRow) {
        if row.thumbnailURL == nil { row.thumbnailURL = thumbnails.first }
        guard var images = row.images, images.count == thumbnails.count else { return }
        for index in images.indices {
            images[index].thumbnailURL = images[index].thumbnailURL ?? thumbnails[index].string
        }
        row.images = images
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
            faults.append("images is not an array")
            return nil
        }
        var images: [LiveProduct.Image] = []
        try reader.beginArray()
        while try reader.nextElement() {
            guard try reader.peek() == .object else {
                if let url = try reader.text(orNote: "images", &faults) {
                    images.append(LiveProduct.Image(url: url.string))
                }
                continue
            }
            var image = LiveProduct.Image(url: "")
            var hasAddress: Bool?
            try reader.beginObject()
            while let index = try reader.nextName(of: Self.imageNames) {
                switch ImageName(rawValue: index) {
                case .id: image.id = try reader.whole(orNote: "images.id", &faults).map { MarketID($0) }
                case .url:
                    let address = try reader.text(orNote: "images.url", &faults)
                    image.url = address?.string ?? ""
                    hasAddress = address != nil
                case .thumbnailURL:
                    image.thumbnailURL = try reader.text(orNote: "images.thumbnail_url", &faults)?.string
                case nil: try reader.skipValue()
                }
            }
            if hasAddress == nil { faults.append("images.url is missing") }
            if hasAddress == true { images.append(image) }
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
        _ row: inout LiveRow,
        _ faults: inout [String]
    ) throws(JSONError) {
        guard try reader.peek() == .object else { return try reader.skipValue() }
        try reader.beginObject()
        while let index = try reader.nextName(of: Self.vendorNames) {
            switch VendorKey(rawValue: index) {
            case .id:
                let id = try reader.whole(orNote: "vendors.id", &faults)
                row.vendorID = row.vendorID ?? id
            case .name: row.vendorName = try reader.text(orNote: "vendors.name", &faults)
            case nil: try reader.skipValue()
            }
        }
    }
}
