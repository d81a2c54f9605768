/// Where the fields of a product stand in the manifest.
///
/// Eight places side by side and no dictionary: a manifest has one of these for each product.
public struct FieldPositions: Hashable, Sendable {
    // Line 0 stands for no place: lines count from 1.
    private static let none = SourcePosition(line: 0, column: 0)

    private var name = none
    private var description = none
    private var price = none
    private var currency = none
    private var salePrice = none
    private var stock = none
    private var images = none
    private var thumbnail = none

    /// No places yet.
    public init() {}

    /// Where a field's value stands; `nil` when it is not known.
    public subscript(field: ProductField) -> SourcePosition? {
        get {
            let position =
                switch field {
                case .name: name
                case .description: description
                case .price: price
                case .currency: currency
                case .salePrice: salePrice
                case .stock: stock
                case .images: images
                case .thumbnail: thumbnail
                }
            return position.line == 0 ? nil : position
        }
        set {
            let position = newValue ?? Self.none
            switch field {
            case .name: name = position
            case .description: description = position
            case .price: price = position
            case .currency: currency = position
            case .salePrice: salePrice = position
            case .stock: stock = position
            case .images: images = position
            case .thumbnail: thumbnail = position
            }
        }
    }
}

extension FieldPositions: ExpressibleByDictionaryLiteral {
    /// Places by field; the last one counts where a field stands twice.
    public init(dictionaryLiteral elements: (ProductField, SourcePosition)...) {
        for (field, position) in elements { self[field] = position }
    }
}
