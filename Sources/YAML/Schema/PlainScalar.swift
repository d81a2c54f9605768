package import OpenMarket

/// A scalar as JSON has it, so that a file means the same to its JSON Schema.
package enum PlainScalar: Equatable {
    case null
    case boolean(Bool)
    case number(ExactDecimal)
    case text

    /// `nil` for a node that is not a scalar or has a tag.
    package init?(_ node: YAMLNode) {
        guard node.kind == .scalar, !node.hasTag else { return nil }
        guard node.style == .plain, let text = node.text else {
            self = .text
            return
        }
        self.init(plain: text)
    }

    /// Classifies a text without quotes.
    package init(plain text: String) {
        switch text {
        case "", "~", "null", "Null", "NULL": self = .null
        case "true": self = .boolean(true)
        case "false": self = .boolean(false)
        default: self = (Self.isJSONNumber(text) ? ExactDecimal(text) : nil).map(PlainScalar.number) ?? .text
        }
    }

    /// Whether a text is a number in JSON's notation, without exponent.
    private static func isJSONNumber(_ text: String) -> Bool {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isDigit) }) else { return false }
        return parts[0] == "0" || !parts[0].hasPrefix("0")
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
