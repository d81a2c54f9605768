import YAML

extension MarketDescription {
    /// A request to a market.
    package enum Operation: String, ClosedList {
        case list
        /// The number of products, requested separately.
        case total
        case detail
        /// The products with a given vendor key.
        case find
        case health
        case create
        case update
        /// The key that a delete needs.
        case deleteKey = "delete_key"
        case delete
        /// The bytes of a picture, sent before the product that contains it.
        case upload
        /// The bytes of a picture, sent to an existing product.
        case attach

        var isRead: Bool {
            switch self {
            case .list, .total, .detail, .find, .health: true
            case .create, .update, .deleteKey, .delete, .upload, .attach: false
            }
        }
    }

    package enum Method: String, ClosedList {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    /// The name of a query and its values; if there are several values, the name is repeated.
    package typealias Query = NamedValue<String, [Template]>

    /// A value at a path of a body.
    package typealias PlacedValue = NamedValue<JSONPointer, Literal>
}

extension Shape where Value == [MarketDescription.Query] {
    static var query: Shape { .mapping(.query, .oneOrMore(.template(.value), most: 16)) }
}

extension Shape where Value == [NamedValue<String, Template>] {
    static var headers: Shape { .mapping(.header, .template(.headerValue)) }
}

extension Shape where Value == [MarketDescription.PlacedValue] {
    static var values: Shape { .mapping(.pointer, .literal) }
}
