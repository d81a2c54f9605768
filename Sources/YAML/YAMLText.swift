/// A text as YAML can write it: in which styles it comes back exactly, and how it looks in them.
///
/// What is written so is read back as the same bytes by every reader of YAML 1.1 or 1.2, and as a text: what would be
/// taken for a number, a date, a boolean or null is never plain.
package struct YAMLText: Sendable {
    /// The text.
    let text: String

    /// Whether some of it can only be written as an escape: control characters but tab and line feed, and the characters
    /// that end lines or that YAML allows in no text.
    private var needsEscapes = false
    /// Whether it has more than one line, or a line that ends.
    package private(set) var hasLineFeed = false
    private var hasTab = false
    /// Whether there is anything but spaces, tabs and line feeds.
    private var hasContent = false
    /// Whether there is a `#` behind a blank, a `:` before one, or a `:` at the end.
    private var hasPlainEnd = false
    /// Whether there is a character that separates items of `[a, b]` and `{a: b}`.
    package private(set) var hasFlowIndicators = false

    /// Looks at a text once.
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

    /// How many bytes at the beginning are one character that is always escaped; 0 where there is none.
    ///
    /// U+0080 to U+009F, the line ends U+2028 and U+2029, the byte order mark U+FEFF, and U+FFFE and U+FFFF.
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

    /// Whether it can be without quotes, `inFlow` in `[…]` or `{…}`.
    package func isPlain(inFlow: Bool = false) -> Bool {
        guard hasContent, !needsEscapes, !hasLineFeed, !hasTab, !hasPlainEnd, !(inFlow && hasFlowIndicators),
            let first = text.unicodeScalars.first, let last = text.unicodeScalars.last,
            // Blanks beyond ASCII would come back; it would not be visible that they belong to it.
            !first.properties.isWhitespace, !last.properties.isWhitespace
        else { return false }
        return !Self.indicators.contains(first) && !isTakenForAnotherType
    }

    /// What cannot begin a plain text, or only before certain others, and `.` of the document's end.
    private static let indicators: Set<Unicode.Scalar> = [
        "-", "?", ":", ",", "[", "]", "{", "}", "#", "&", "*", "!", "|", ">", "'", "\"", "%", "@", "`", "=", "<", "~",
        ".",
        "+",
    ]

    /// Whether a reader would take the plain text for a number, a date, a boolean or null.
    private var isTakenForAnotherType: Bool {
        let bytes = text.utf8
        if bytes.count <= 5, Self.words.contains(text.lowercased()) { return true }
        // Numbers of every base, with exponents, separators or sexagesimal, and dates; some more do no harm in quotes.
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

    /// The text in single quotes, on one line; `nil` where that style cannot hold it.
    ///
    /// By bytes: an apostrophe with a mark that combines with it is one character, and two for YAML.
    package var singleQuoted: String? {
        guard !needsEscapes, !hasLineFeed, !hasTab else { return nil }
        let quote = UInt8(ascii: "'")
        var bytes = [quote]
        for byte in text.utf8 { bytes += repeatElement(byte, count: byte == quote ? 2 : 1) }
        return String(decoding: bytes + [quote], as: UTF8.self)
    }

    /// The text in double quotes, on one line; this style holds every text.
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
        let digits = String(value, radix: 16, uppercase: true)
        let width = value > 0xFF ? 4 : 2
        return (width == 4 ? "\\u" : "\\x") + String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    /// The text in quotes: double ones, unless single ones save escapes.
    package var quoted: String {
        let wantsSingle = text.utf8.contains { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }
        return (wantsSingle ? singleQuoted : nil) ?? doubleQuoted
    }

    /// The text on one line, `inFlow` in `[…]` or `{…}`: plain where that gives it back, else in quotes.
    package func inline(inFlow: Bool = false) -> String { isPlain(inFlow: inFlow) ? text : quoted }

    /// The text as a literal block.
    ///
    /// - Parameters:
    ///   - indent: how many spaces precede its lines.
    ///   - step: how many of them are more than its parent's, 1 to 9.
    /// - Returns: from the `|` to the last byte of the last line; `nil` where a block cannot hold the text, or only one
    ///   that takes the empty lines behind it for its own.
    package func literal(indent: Int, step: Int = 2) -> String? {
        guard hasContent, !needsEscapes else { return nil }
        var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
        var header = "|"
        // Readers learn the indentation from the first line, unless that begins with blanks of its own.
        if let first = lines.first?.first, first > 0x20 {} else { header += String(step) }
        if lines.last?.isEmpty == true { lines.removeLast() } else { header += "-" }
        guard lines.last?.contains(where: { $0 > 0x20 }) == true else { return nil }
        let margin = String(repeating: " ", count: indent)
        return lines.reduce(into: header) { block, line in
            block += line.isEmpty ? "\n" : "\n" + margin + String(Substring(line))
        }
    }
}
