extension JSONReader {
    /// Reads a string.
    ///
    /// If only its characters are invalid, the ``JSONError`` is of the kind `invalidString` and the reader is after the
    /// string.
    package mutating func readString() throws(JSONError) -> String {
        try readText().string
    }

    /// Reads a string without copying it; throws what ``readString()`` throws.
    mutating func readText() throws(JSONError) -> JSONText {
        guard try peek() == .string else { throw JSONError(.typeMismatch, at: position, "expected a string") }
        return try readPeekedText()
    }

    /// Reads the string that ``peek()`` has just found; throws what ``readText()`` throws.
    package mutating func readPeekedText() throws(JSONError) -> JSONText {
        let (start, end, hasEscapes) = try scanString()
        // Escapes are ASCII, so the raw bytes are UTF-8 exactly if the string is.
        let raw = unsafe slice(start, end)
        guard unsafe isUTF8(raw) else { throw JSONError(.invalidString, at: start, "a string that is not UTF-8") }
        if hasEscapes { try unsafe Self.checkEscapes(raw, start: start) }
        return unsafe JSONText(raw: raw, hasEscapes: hasEscapes)
    }

    /// Reads a number, `true` or `false` in its original spelling.
    package mutating func readSpelling() throws(JSONError) -> JSONText {
        let kind = try peek()
        let start = position
        if kind == .bool { _ = try readBool() } else { _ = try readDecimal() }
        return text(from: start)
    }

    /// Skips a string from its opening quote; returns the range of its content and whether it has a backslash.
    mutating func scanString() throws(JSONError) -> (start: Int, end: Int, hasEscapes: Bool) {
        let start = position + 1
        var index = start
        var hasEscapes = false
        while true {
            index = unsafe Self.firstSpecial(slice(0, count), from: index)
            guard index < count else { throw truncated("the end of a string") }
            switch byte(at: index) {
            case UInt8(ascii: "\""):
                position = index + 1
                return (start, index, hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                index += 2
            default:
                throw JSONError(.unexpected, at: index, "a control character in a string")
            }
        }
    }

    /// The position of the next quote, backslash or control character.
    static func firstSpecial(_ text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        guard let base = text.baseAddress else { return start }
        let end = text.count
        var index = start
        while index + 8 <= end {
            let word = unsafe ByteWord(base + index)
            let hits = word.equal(to: 0x22) | word.equal(to: 0x5C) | word.below(0x20)
            if hits.isHit { return index + hits.first }
            index += 8
        }
        while index < end {
            let byte = unsafe base[index]
            if byte == 0x22 || byte == 0x5C || byte < 0x20 { return index }
            index += 1
        }
        return min(index, max(start, end))
    }

    private static func checkEscapes(_ raw: UnsafeBufferPointer<UInt8>, start: Int) throws(JSONError) {
        var index = unsafe firstSpecial(raw, from: 0)
        while index < raw.count {
            let isUnicode = unsafe raw[index + 1] == UInt8(ascii: "u")
            let escape = index
            guard unsafe escapedScalar(raw.span, &index) != nil else {
                throw isUnicode
                    ? JSONError(.invalidString, at: start + index, "a \\u escape that means no character")
                    : JSONError(.invalidString, at: start + escape + 1, "an unknown escape")
            }
            index = unsafe firstSpecial(raw, from: index)
        }
    }

    /// The character of the escape whose backslash is at `index`; moves `index` after the escape.
    ///
    /// A byte follows every backslash, because the scan of the string stopped at a quote without one.
    static func escapedScalar(_ raw: Span<UInt8>, _ index: inout Int) -> Unicode.Scalar? {
        let escape = raw[index + 1]
        index += 2
        switch escape {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(escape)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return scalar(raw, &index)
        default: return nil
        }
    }

    /// The character of a `\u` escape or of a surrogate pair; `index` is after the `u`.
    private static func scalar(_ raw: Span<UInt8>, _ index: inout Int) -> Unicode.Scalar? {
        guard let first = hexadecimal(raw, &index) else { return nil }
        guard first & 0xF800 == 0xD800 else { return Unicode.Scalar(first) }
        guard first < 0xDC00, index + 2 <= raw.count, raw[index] == UInt8(ascii: "\\"),
            raw[index + 1] == UInt8(ascii: "u")
        else { return nil }
        index += 2
        guard let second = hexadecimal(raw, &index), second & 0xFC00 == 0xDC00 else { return nil }
        return Unicode.Scalar(0x10000 + (first & 0x3FF) << 10 + (second & 0x3FF))
    }

    private static func hexadecimal(_ raw: Span<UInt8>, _ index: inout Int) -> UInt32? {
        guard index + 4 <= raw.count else { return nil }
        var value: UInt32 = 0
        for place in index..<index + 4 {
            let byte = raw[place]
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt32(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt32(byte - UInt8(ascii: "a") + 10)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): value = value << 4 | UInt32(byte - UInt8(ascii: "A") + 10)
            default: return nil
            }
        }
        index += 4
        return value
    }
}
