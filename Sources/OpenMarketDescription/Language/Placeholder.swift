/// A value that can be filled into a ``Template``.
package enum Placeholder: Hashable, Sendable, CustomStringConvertible {
    case id
    /// The vendor key of the product.
    case key
    /// The value in the previous page's last row.
    case last
    /// The number of rows before the page.
    case offset
    case page
    /// The requested number of rows of the page.
    case size
    /// The token from the previous page for the next one.
    case cursor
    /// The key from the market for deleting a product.
    case deleteKey
    case parameter(String)

    /// The placeholders that every description has.
    static let builtIn: [Placeholder] = [.id, .key, .last, .offset, .page, .size, .cursor, .deleteKey]

    /// Treats a name that is not built in as a parameter.
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

    package var description: String { "{\(name)}" }
}
