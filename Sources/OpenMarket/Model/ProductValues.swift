/// The values of a product's fields; a `nil` field is unknown or not managed.
///
/// One type for the three sides of a comparison: last applied, live, and wanted.
package struct ProductValues: Hashable, Sendable {
    package var name: String?
    package var description: String?
    /// The price before any reduction.
    package var price: ExactDecimal?
    package var currency: Currency?
    package var sale: Sale?
    /// Units for sale.
    package var stock: Int64?
    package var images: [PictureIdentity]?
    /// The picture that lists show.
    package var thumbnail: PictureIdentity?

    /// Compares texts by their bytes: another spelling of the same characters is another value.
    package static func == (left: ProductValues, right: ProductValues) -> Bool {
        left.name.isExactly(right.name) && left.description.isExactly(right.description)
            && left.price == right.price && left.currency == right.currency && left.sale == right.sale
            && left.stock == right.stock && left.images == right.images && left.thumbnail == right.thumbnail
    }

    /// Whether all fields that both have are equal; boxes no value.
    func agrees(with other: ProductValues) -> Bool {
        func agrees<Value: Equatable>(_ left: Value?, _ right: Value?) -> Bool {
            left == nil || right == nil || left == right
        }
        func agrees(_ left: String?, _ right: String?) -> Bool {
            left == nil || right == nil || left.isExactly(right)
        }
        return agrees(name, other.name) && agrees(description, other.description) && agrees(price, other.price)
            && agrees(currency, other.currency) && agrees(sale, other.sale) && agrees(stock, other.stock)
            && agrees(images, other.images) && agrees(thumbnail, other.thumbnail)
    }

    var fields: ProductFieldSet {
        var fields: ProductFieldSet = []
        if name != nil { fields.insert(.name) }
        if description != nil { fields.insert(.description) }
        if price != nil { fields.insert(.price) }
        if currency != nil { fields.insert(.currency) }
        if sale != nil { fields.insert(.salePrice) }
        if stock != nil { fields.insert(.stock) }
        if images != nil { fields.insert(.images) }
        if thumbnail != nil { fields.insert(.thumbnail) }
        return fields
    }

    /// The amount that a buyer pays.
    package var payable: ExactDecimal? { sale?.salePrice ?? price }

    package var isEmpty: Bool { fields.isEmpty }

    var withoutPictures: ProductValues {
        var values = self
        (values.images, values.thumbnail) = (nil, nil)
        return values
    }

    /// A sale at the full price counts as no sale.
    package mutating func normalizeSale() { sale = sale?.normalized(price: price) }

    /// A new value of another kind than the field's clears the field.
    package subscript(field: ProductField) -> FieldValue? {
        get {
            switch field {
            case .name: name.map(FieldValue.text)
            case .description: description.map(FieldValue.text)
            case .price: price.map(FieldValue.number)
            case .currency: currency.map { .text($0.rawValue) }
            case .salePrice: sale.map(FieldValue.sale)
            case .stock: stock.map(FieldValue.integer)
            case .images: images.map(FieldValue.images)
            case .thumbnail: thumbnail.map(FieldValue.image)
            }
        }
        set {
            switch field {
            case .name: name = newValue?.text
            case .description: description = newValue?.text
            case .price: price = newValue?.number
            case .currency: currency = newValue?.text.map(Currency.init(rawValue:))
            case .salePrice: sale = newValue?.sale
            case .stock: stock = newValue?.integer
            case .images: images = newValue?.images
            case .thumbnail: thumbnail = newValue?.image
            }
        }
    }
}

/// A value of any field, for uniform comparison and output.
package enum FieldValue: Hashable, Sendable {
    /// A name, a description or a currency code.
    case text(String)
    case number(ExactDecimal)
    case integer(Int64)
    case sale(Sale)
    case images([PictureIdentity])
    case image(PictureIdentity)

    /// Compares texts by their bytes.
    package static func == (left: FieldValue, right: FieldValue) -> Bool {
        switch (left, right) {
        case (.text(let left), .text(let right)): left.isExactly(right)
        case (.number(let left), .number(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.sale(let left), .sale(let right)): left == right
        case (.images(let left), .images(let right)): left == right
        case (.image(let left), .image(let right)): left == right
        default: false
        }
    }

    /// Whether the field is empty: an empty text, no sale, no units, no pictures.
    package var isNothing: Bool {
        switch self {
        case .text(let text): text.isEmpty
        case .integer(let number): number == 0
        case .images(let images): images.isEmpty
        case .sale(let sale): sale == .fullPrice
        case .number, .image: false
        }
    }

    /// The number; a sale's is what buyers pay.
    var amount: ExactDecimal? {
        switch self {
        case .number(let number), .sale(.price(let number)): number
        case .integer(let number): ExactDecimal(number)
        case .text, .sale(.fullPrice), .images, .image: nil
        }
    }

    var text: String? { if case .text(let value) = self { value } else { nil } }
    fileprivate var number: ExactDecimal? { if case .number(let value) = self { value } else { nil } }
    fileprivate var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    fileprivate var sale: Sale? { if case .sale(let value) = self { value } else { nil } }
    fileprivate var images: [PictureIdentity]? { if case .images(let value) = self { value } else { nil } }
    fileprivate var image: PictureIdentity? { if case .image(let value) = self { value } else { nil } }
}
