extension MarketDescription {
    /// What can be asked of a market.
    package enum Operation: String, ClosedList {
        /// A page of the list.
        case list
        /// How many products there are, asked for apart.
        case total
        /// One product.
        case detail
        /// The products of a key of ours.
        case find
        /// Whether the market is well.
        case health
        /// A new product.
        case create
        /// A change of a product.
        case update
        /// What has to be asked for before a product is deleted.
        case deleteKey = "delete_key"
        /// The end of a product.
        case delete
        /// The bytes of a picture, before the product that shows it.
        case upload
        /// The bytes of a picture of a product that exists.
        case attach

        /// Whether it changes nothing.
        var isRead: Bool {
            switch self {
            case .list, .total, .detail, .find, .health: true
            case .create, .update, .deleteKey, .delete, .upload, .attach: false
            }
        }
    }

    /// A method of HTTP.
    package enum Method: String, ClosedList {
        /// Reads.
        case get = "GET"
        /// Makes something.
        case post = "POST"
        /// Puts something in the place of another.
        case put = "PUT"
        /// Changes something.
        case patch = "PATCH"
        /// Deletes something.
        case delete = "DELETE"
    }

    /// The name of a query and what it says; where it says several things, the name is repeated.
    package typealias Query = NamedValue<String, [Template]>

    /// A value at a place of a body.
    package typealias PlacedValue = NamedValue<JSONPointer, Literal>
}

extension Shape where Value == [MarketDescription.Query] {
    static var query: Shape { .mapping(.text(.query), .oneOrMore(.template(.queryValue), most: 16)) }
}

extension Shape where Value == [NamedValue<String, Template>] {
    static var headers: Shape { .mapping(.text(.header), .template(.headerValue)) }
}

extension Shape where Value == [MarketDescription.PlacedValue] {
    static var values: Shape { .mapping(.pointer, .literal) }
}
