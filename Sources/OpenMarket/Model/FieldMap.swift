/// A value for each field of a product, inline instead of in a dictionary.
struct FieldMap<Value: Sendable>: Sendable {
    private var name: Value
    private var description: Value
    private var price: Value
    private var currency: Value
    private var salePrice: Value
    private var stock: Value
    private var images: Value
    private var thumbnail: Value

    init(repeating value: Value) {
        (name, description, price, currency) = (value, value, value, value)
        (salePrice, stock, images, thumbnail) = (value, value, value, value)
    }

    subscript(field: ProductField) -> Value {
        get {
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
        }
        set {
            switch field {
            case .name: name = newValue
            case .description: description = newValue
            case .price: price = newValue
            case .currency: currency = newValue
            case .salePrice: salePrice = newValue
            case .stock: stock = newValue
            case .images: images = newValue
            case .thumbnail: thumbnail = newValue
            }
        }
    }
}

extension FieldMap: Equatable where Value: Equatable {}
extension FieldMap: Hashable where Value: Hashable {}
