/// What can be filled into a ``Template``.
package enum Placeholder: Hashable, Sendable, CustomStringConvertible {
    /// The product's id.
    case id
    /// The key that we gave the product.
    case key
    /// The value of the last row of the page before.
    case last
    /// How many rows precede the page.
    case offset
    /// The number of the page.
    case page
    /// The rows that a page is asked for.
    case size
    /// What the page before gave to ask for the next one.
    case cursor
    /// What the market gave to delete a product.
    case deleteKey
    /// A parameter that the description declares.
    case parameter(String)

    /// The placeholders that every description has.
    static let builtIn: [Placeholder] = [.id, .key, .last, .offset, .page, .size, .cursor, .deleteKey]

    /// The placeholder of this name: a parameter, where it is not one of those that every description has.
    init(name: String) {
        self = Self.builtIn.first { $0.name == name } ?? .parameter(name)
    }

    /// The name, without braces.
    package var name: String {
        switch self {
        case .id: "id"
        case .key: "key"
        case .last: "last"
        case .offset: "offset"
        case .page: "page"
        case .size: "size"
        case .cursor: "cursor"
        case .deleteKey: "delete_key"
        case .parameter(let name): name
        }
    }

    /// The name in braces: `{id}`.
    package var description: String { "{\(name)}" }
}
