import OpenMarket

/// A text for YAML output: the styles that preserve it exactly, and its form in each.
///
/// Every reader of YAML 1.1 or 1.2 reads the output back as the same bytes, and as a text. A text that could be read as
/// a number, a date, a boolean or null is never plain.
package struct YAMLText: Sendable {
    let text: String

    /// Whether some of it can only be written as an escape.
    ///
    /// This applies to control characters except tab and line feed, to characters that end lines, and to characters
    /// that YAML forbids.
    private var needsEscapes = false
    package private(set) var hasLineFeed = false
    private var hasTab = false
    /// Whether there is anything except spaces, tabs and line feeds.
    private var hasContent = false
    /// Whether there is a `#` after a blank, a `:` before one, or a `:` at the end.
    private var hasPlainEnd = false
    /// Whether there is a character that separates items of `[a, b]` and `{a: b}`.
    package private(set) var hasFlowIndicators = false

    package init(_ text: String) {
        self.text = text
        var copy = text
        copy.withUTF8 { look(at: $0) }
    }

    private mutating func look(at bytes: UnsafeBufferPointer<UInt8>) {
        var last = UInt8(ascii: " ")
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: " "): if last == UInt8(ascii: ":") { hasPlainEnd = true }
            case UInt8(ascii: "\t"): hasTab = true
            case UInt8(ascii: "\n"): hasLineFeed = true
            case 0..<0x20, 0x7F: needsEscapes = true
            case UInt8(ascii: "#"): if last == UInt8(ascii: " ") { hasPlainEnd = true }
            case UInt8(ascii: ":"), UInt8(ascii: "?"), UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "]"),
                UInt8(ascii: "{"), UInt8(ascii: "}"):
                hasFlowIndicators = true
            case 0xC2, 0xE2, 0xEF: if Self.escapedLength(bytes[index...]) > 0 { needsEscapes = true }
            default: break
            }
            if byte > 0x20 { hasContent = true }
            last = byte
        }
        if last == UInt8(ascii: ":") { hasPlainEnd = true }
    }

    /// The length in bytes of a leading character that is always escaped; 0 if there is none.
    ///
    /// These are U+0080 to U+009F, the line ends U+2028 and U+2029, the byte order mark U+FEFF, and U+FFFE and U+FFFF.
    private static func escapedLength(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
        guard let first = bytes.first else { return 0 }
        if first < 0x20 || first == 0x7F { return 1 }
        let second = bytes.dropFirst().first ?? 0
        let third = bytes.dropFirst(2).first ?? 0
        switch (first, second, third) {
        case (0xC2, 0x80...0x9F, _): return 2
        case (0xE2, 0x80, 0xA8...0xA9), (0xEF, 0xBB, 0xBF), (0xEF, 0xBF, 0xBE...0xBF): return 3
        default: return 0
        }
    }

    // MARK: Styles

    /// Whether it may be without quotes; `inFlow` means within `[…]` or `{…}`.
    package func isPlain(inFlow: Bool = false) -> Bool {
        guard hasContent, !needsEscapes, !hasLineFeed, !hasTab, !hasPlainEnd, !(inFlow && hasFlowIndicators),
            let first = text.unicodeScalars.first, let last = text.unicodeScalars.last,
            // Blanks beyond ASCII would be preserved, but readers could not see that they belong to the text.
            !first.properties.isWhitespace, !last.properties.isWhitespace
        else { return false }
        return !Self.indicators.contains(first) && !isTakenForAnotherType
    }

    /// Characters that cannot begin a plain text, or only before certain others, and the `.` of the document end
    /// marker.
    private static let indicators: Set<Unicode.Scalar> = [
        "-", "?", ":", ",", "[", "]", "{", "}", "#", "&", "*", "!", "|", ">", "'", "\"", "%", "@", "`", "=", "<", "~",
        ".",
        "+",
    ]

    /// Whether a reader would read the plain text as a number, a date, a boolean or null.
    private var isTakenForAnotherType: Bool {
        let bytes = text.utf8
        if bytes.count <= 5, Self.words.contains(text.lowercased()) { return true }
        // Numbers of every base, with exponents, separators or sexagesimal, and dates. Needless quotes do no harm.
        guard let first = bytes.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return false }
        return bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
                UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: "x"), UInt8(ascii: "X"), UInt8(ascii: "o"),
                UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: ":"),
                UInt8(ascii: ","), UInt8(ascii: " "), UInt8(ascii: "t"), UInt8(ascii: "T"), UInt8(ascii: "z"),
                UInt8(ascii: "Z"):
                true
            default: false
            }
        }
    }

    /// Booleans and null of YAML 1.1 and 1.2.
    private static let words: Set<String> = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"]

    /// The text in single quotes, on one line; `nil` if that style cannot express it.
    ///
    /// It works on bytes: an apostrophe with a combining mark is one character in Swift, but two in YAML.
    package var singleQuoted: String? {
        guard !needsEscapes, !hasLineFeed, !hasTab else { return nil }
        let quote = UInt8(ascii: "'")
        var bytes = [quote]
        for byte in text.utf8 { bytes += repeatElement(byte, count: byte == quote ? 2 : 1) }
        return String(decoding: bytes + [quote], as: UTF8.self)
    }

    /// The text in double quotes, on one line; this style can express every text.
    package var doubleQuoted: String {
        var copy = text
        var result: [UInt8] = [UInt8(ascii: "\"")]
        copy.withUTF8 { bytes in
            var rest = bytes[...]
            while let byte = rest.first {
                let length = Self.escapedLength(rest)
                switch byte {
                case UInt8(ascii: "\""): result += "\\\"".utf8
                case UInt8(ascii: "\\"): result += "\\\\".utf8
                case UInt8(ascii: "\n"): result += "\\n".utf8
                case UInt8(ascii: "\r"): result += "\\r".utf8
                case UInt8(ascii: "\t"): result += "\\t".utf8
                default:
                    if length == 0 { result.append(byte) } else { result += Self.escape(rest.prefix(length)).utf8 }
                }
                rest = rest.dropFirst(max(length, 1))
            }
        }
        result.append(UInt8(ascii: "\""))
        return String(decoding: result, as: UTF8.self)
    }

    private static func escape(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        let value = String(decoding: bytes, as: UTF8.self).unicodeScalars.first?.value ?? 0
        let width = value > 0xFF ? 4 : 2
        return (width == 4 ? "\\u" : "\\x") + String(value, radix: 16, uppercase: true, width: width)
    }

    /// The text in quotes: double ones, unless single ones save escapes.
    package var quoted: String {
        let wantsSingle = text.utf8.contains { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }
        return (wantsSingle ? singleQuoted : nil) ?? doubleQuoted
    }

    /// The text on one line: plain if that preserves it, else in quotes; `inFlow` means within `[…]` or `{…}`.
    package func inline(inFlow: Bool = false) -> String { isPlain(inFlow: inFlow) ? text : quoted }

    /// The text as a literal block, from the `|` to the last byte of the last line.
    ///
    /// `indent` is the number of spaces before its lines. `step`, from 1 to 9, is how far they are indented from the
    /// parent.
    ///
    /// Returns `nil` if a block cannot express the text, or only with the empty lines after it.
    package func literal(indent: Int, step: Int = 2) -> String? {
        guard hasContent, !needsEscapes else { return nil }
        var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
        var header = "|"
        // Readers derive the indentation from the first line, unless that begins with blanks of the text.
        if let first = lines.first?.first, first > 0x20 {} else { header += String(step) }
        if lines.last?.isEmpty == true { lines.removeLast() } else { header += "-" }
        guard lines.last?.contains(where: { $0 > 0x20 }) == true else { return nil }
        let margin = String(repeating: " ", count: indent)
        return lines.reduce(into: header) { block, line in
            block += line.isEmpty ? "\n" : "\n" + margin + String(Substring(line))
        }
    }
}
