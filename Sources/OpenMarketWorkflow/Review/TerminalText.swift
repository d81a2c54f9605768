extension StringProtocol {
    /// The text with everything escaped that a terminal would obey: control characters, escape sequences, and all marks
    /// that change the direction of text.
    ///
    /// Text of a market or a manifest is shown, never executed.
    package var terminalSafe: String { escaping { unicodeScalars[$0].isObeyedByTerminals } }

    /// The same for a text of several lines, which keeps its line ends and tabs.
    package var terminalSafeLines: String {
        escaping { index in
            switch unicodeScalars[index] {
            case "\n", "\t": false
            case "\r": unicodeScalars[unicodeScalars.index(after: index)...].first != "\n"
            case let other: other.isObeyedByTerminals
            }
        }
    }

    private func escaping(_ isEscaped: (Index) -> Bool) -> String {
        // Most texts are plain, and a plan of 100 000 creates shows half a million of them.
        guard utf8.contains(where: \.mayBeginWhatTerminalsObey), unicodeScalars.indices.contains(where: isEscaped)
        else {
            return String(self)
        }
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

    /// The text cut to a number of characters, with an ellipsis if something is missing.
    ///
    /// A character may be a letter with any number of marks. So a text is also cut if its first characters have far
    /// more bytes than characters of any script usually do.
    package func abbreviated(to count: Int) -> String {
        // A text has no more characters than bytes; and of a long text only the beginning is counted.
        guard utf8.count > count else { return String(self) }
        let most = count * 32
        let cut = index(startIndex, offsetBy: count, limitedBy: endIndex) ?? endIndex
        guard utf8.count <= most || utf8.distance(from: startIndex, to: cut) <= most else {
            return String(String.UnicodeScalarView(unicodeScalars.prefix(count))) + "…"
        }
        return cut < endIndex ? prefix(Swift.max(count - 1, 0)) + "…" : String(self)
    }
}

extension UInt8 {
    /// Whether a scalar that a terminal obeys may begin with the byte.
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
