extension StringProtocol {
    /// The text with everything that a terminal would obey escaped: control characters, escape sequences, and all marks
    /// that turn the direction of text.
    ///
    /// What the market or a manifest says is shown, never executed.
    var terminalSafe: String { escaping { unicodeScalars[$0].isObeyedByTerminals } }

    /// The same for a text of several lines, whose ends and tabs stay.
    var terminalSafeLines: String {
        escaping { index in
            switch unicodeScalars[index] {
            case "\n", "\t": false
            case "\r": unicodeScalars[unicodeScalars.index(after: index)...].first != "\n"
            case let other: other.isObeyedByTerminals
            }
        }
    }

    private func escaping(_ isEscaped: (Index) -> Bool) -> String {
        guard unicodeScalars.indices.contains(where: isEscaped) else { return String(self) }
        var result = ""
        for index in unicodeScalars.indices {
            switch unicodeScalars[index] {
            case let scalar where !isEscaped(index): result.unicodeScalars.append(scalar)
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case let scalar: result += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return result
    }

    /// The text cut to so many characters, with an ellipsis where something is missing.
    func abbreviated(to count: Int) -> String {
        guard self.count > count else { return String(self) }
        return prefix(Swift.max(count - 1, 0)) + "…"
    }
}

extension Unicode.Scalar {
    fileprivate var isObeyedByTerminals: Bool {
        // Unicode's Bidi_Control is U+061C, U+200E, U+200F, U+202A to U+202E and U+2066 to U+2069.
        value < 0x20 || (0x7F...0x9F).contains(value) || properties.isBidiControl || value == 0x2028
            || value == 0x2029
    }
}
