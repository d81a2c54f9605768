package import OpenMarket

/// A value that a description gives: what JSON has beside objects and arrays.
package enum Literal: Hashable, Sendable, CustomStringConvertible {
    /// A text, in which parameters and the product's id may be filled.
    case text(Template)
    /// A number.
    case number(ExactDecimal)
    /// True or false.
    case boolean(Bool)
    /// Null.
    case null

    /// As it is written in JSON.
    package var description: String {
        switch self {
        case .text(let template): "\"\(template)\""
        case .number(let number): number.description
        case .boolean(let truth): truth ? "true" : "false"
        case .null: "null"
        }
    }

    /// What is filled into it.
    var placeholders: [Placeholder] { if case .text(let template) = self { template.placeholders } else { [] } }
}
