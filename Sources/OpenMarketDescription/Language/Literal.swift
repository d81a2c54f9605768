package import OpenMarket

/// A constant in a description: any JSON value except objects and arrays.
package enum Literal: Hashable, Sendable, CustomStringConvertible {
    /// A text that parameters and the product's id may be filled into.
    case text(Template)
    case number(ExactDecimal)
    case boolean(Bool)
    case null

    /// The literal in JSON.
    package var description: String {
        switch self {
        case .text(let template): "\"\(template)\""
        case .number(let number): number.description
        case .boolean(let truth): truth ? "true" : "false"
        case .null: "null"
        }
    }

    var placeholders: [Placeholder] { if case .text(let template) = self { template.placeholders } else { [] } }
}
