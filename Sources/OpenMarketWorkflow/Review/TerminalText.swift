import OpenMarket

extension StringProtocol {
    /// The text with all characters escaped that a terminal interprets.
    ///
    /// These are control characters, escape sequences, and all marks that change the direction of text. Text of a
    /// market or a manifest is shown, never executed. Secrets are masked.
    package var terminalSafe: String { masked.escaping { $0[$1].isObeyedByTerminals } }

    /// The same for a text of several lines, which keeps its line ends and tabs.
    package var terminalSafeLines: String {
        masked.escaping { scalars, index in
            switch scalars[index] {
            case "\n", "\t": false
            case "\r": scalars[scalars.index(after: index)...].first != "\n"
            case let other: other.isObeyedByTerminals
            }
        }
    }

    private func escaping(_ isEscaped: (UnicodeScalarView, Index) -> Bool) -> String {
        // Most texts are plain, and a plan of 100 000 creates shows half a million of them.
        let scalars = unicodeScalars
        guard utf8.contains(where: \.mayBeginWhatTerminalsObey),
            scalars.indices.contains(where: { isEscaped(scalars, $0) })
        else {
            return String(self)
        }
        var result = ""
        for index in scalars.indices {
            switch scalars[index] {
            case let scalar where !isEscaped(scalars, index): result.unicodeScalars.append(scalar)
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case let scalar: result += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return result
    }

    /// The text without secrets, cut to a number of characters, with an ellipsis if something is missing.
    ///
    /// A character may be a letter with any number of marks. So a text is also cut if its first characters have far
    /// more bytes than characters of any script usually do.
    package func abbreviated(to count: Int) -> String {
        let text = masked
        // A text has at most as many characters as bytes. Only the beginning of a long text is counted.
        guard text.utf8.count > count else { return text }
        let most = count * 32
        let cut = text.index(text.startIndex, offsetBy: count, limitedBy: text.endIndex) ?? text.endIndex
        guard text.utf8.count <= most || text.utf8.distance(from: text.startIndex, to: cut) <= most else {
            return String(String.UnicodeScalarView(text.unicodeScalars.prefix(count))) + "…"
        }
        return cut < text.endIndex ? text.prefix(Swift.max(count - 1, 0)) + "…" : text
    }
}

extension UInt8 {
    /// Whether a scalar that a terminal interprets may begin with the byte.
    fileprivate var mayBeginWhatTerminalsObey: Bool {
        switch self {
        case 0..<0x20, 0x7F, 0xC2, 0xD8, 0xE2: true
        default: false
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isObeyedByTerminals: Bool {
        // Unicode's Bidi_Control, listed because querying the property costs a table search.
        switch value {
        case 0..<0x20, 0x7F...0x9F: true
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        case 0x2028, 0x2029: true
        default: false
        }
    }
}
