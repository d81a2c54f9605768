package import OpenMarket

/// A scalar as other YAML readers read it, so that a file has the same meaning for them and for its JSON Schema.
package enum PlainScalar: Equatable {
    case null
    case boolean(Bool)
    case number(ExactDecimal)
    case text
    /// A scalar that some of them read differently: `0x1F`, `yes`, `2026-08-01`, `12:30`.
    case other(String)

    package init?(_ node: YAMLNode) {
        guard node.kind == .scalar else { return nil }
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
        case "True", "TRUE", "False", "FALSE", "yes", "Yes", "YES", "no", "No", "NO", "on", "On", "ON", "off", "Off",
            "OFF":
            self = .other("a boolean")
        case "=", "<<": self = .other("a sign of YAML's own")
        default:
            if Self.isJSONNumber(text), let number = ExactDecimal(text) {
                self = .number(number)
            } else if Self.looksLikeNumber(text) {
                self = .other("a number")
            } else {
                self = Self.looksLikeDate(text) ? .other("a date") : .text
            }
        }
    }

    /// Whether a text is a number in JSON's notation, without exponent.
    private static func isJSONNumber(_ text: String) -> Bool {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isDigit) }) else { return false }
        return parts[0] == "0" || !parts[0].hasPrefix("0")
    }

    /// Whether YAML 1.1 or 1.2 reads a number: with `_`, in other bases, with exponents, in base 60.
    private static func looksLikeNumber(_ text: String) -> Bool {
        var rest = text.filter { $0 != "_" }[...]
        if rest.first == "-" || rest.first == "+" { rest = rest.dropFirst() }
        let lower = rest.lowercased()
        if [".inf", ".nan"].contains(lower) { return true }
        for prefix in ["0x", "0o", "0b"] where lower.hasPrefix(prefix) {
            return lower.utf8.count > 2 && lower.utf8.dropFirst(2).allSatisfy(\.isHexadecimalDigit)
        }
        guard let first = rest.utf8.first(where: { $0 != UInt8(ascii: ".") }), first.isDigit else { return false }
        let parts = lower.split(separator: "e", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2 {
            let exponent = parts[1].drop { $0 == "+" || $0 == "-" }
            guard !exponent.isEmpty, exponent.utf8.allSatisfy(\.isDigit) else { return false }
        }
        let pieces = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        return pieces.count <= 2 && pieces[0].utf8.allSatisfy { $0.isDigit || $0 == UInt8(ascii: ":") }
            && pieces.dropFirst().allSatisfy { $0.utf8.allSatisfy(\.isDigit) }
    }

    private static func looksLikeDate(_ text: String) -> Bool {
        let parts = text.split(separator: "-", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].utf8.count == 4, (1...2).contains(parts[1].utf8.count) else { return false }
        return parts[0].utf8.allSatisfy(\.isDigit) && parts[1].utf8.allSatisfy(\.isDigit)
            && parts[2].utf8.first?.isDigit == true
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
    fileprivate var isHexadecimalDigit: Bool { isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self) }
}
