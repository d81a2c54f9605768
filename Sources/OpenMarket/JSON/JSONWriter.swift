/// Writes JSON with exact bytes.
///
/// Members keep the written order, numbers have plain spelling, and only the necessary escapes are used; a slash is
/// never escaped.
///
/// ```swift
/// var writer = JSONWriter()
/// writer.object { writer in
///     writer.member("name", "Desk lamp")
///     writer.member("price", price)
/// }
/// ```
package struct JSONWriter: Sendable {
    package private(set) var bytes: [UInt8] = []

    private let isPretty: Bool
    private var depth = 0
    private var needsComma = false
    /// Whether a name still lacks its value.
    private var isAfterName = false

    /// A pretty text has each member and element on its own line, indented by two spaces.
    package init(pretty: Bool = false) {
        self.isPretty = pretty
    }

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Returns the bytes since the last call, so that a long text need not be in memory as a whole.
    package mutating func take() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    // MARK: Structure

    package mutating func object<Failure: Error>(
        _ body: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        begin(UInt8(ascii: "{"))
        try body(&self)
        end(UInt8(ascii: "}"))
    }

    package mutating func array<Failure: Error>(
        _ body: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        begin(UInt8(ascii: "["))
        try body(&self)
        end(UInt8(ascii: "]"))
    }

    /// Writes a member's name; its value must follow.
    package mutating func name(_ name: String) {
        separate()
        quote(name)
        bytes.append(UInt8(ascii: ":"))
        if isPretty { bytes.append(UInt8(ascii: " ")) }
        isAfterName = true
    }

    private mutating func begin(_ byte: UInt8) {
        separate()
        bytes.append(byte)
        depth += 1
        needsComma = false
    }

    private mutating func end(_ byte: UInt8) {
        depth -= 1
        // The brackets of an empty container are adjacent.
        if needsComma { newLine() }
        bytes.append(byte)
        needsComma = true
    }

    private mutating func separate() {
        if isAfterName {
            isAfterName = false
        } else {
            if needsComma { bytes.append(UInt8(ascii: ",")) }
            if depth > 0 { newLine() }
        }
        needsComma = true
    }

    private mutating func newLine() {
        guard isPretty else { return }
        bytes.append(0x0A)
        for _ in 0..<depth { bytes.append(contentsOf: [0x20, 0x20]) }
    }

    /// Ends a line, so that another text can follow on the next one.
    package mutating func endLine() {
        bytes.append(0x0A)
        needsComma = false
    }

    // MARK: Values

    package mutating func string(_ value: String) {
        separate()
        quote(value)
    }

    mutating func string(utf8 value: Span<UInt8>) {
        separate()
        quote(value)
    }

    /// Writes a string: a prefix without escapes, then the hexadecimal digits of some bytes.
    mutating func string(_ beginning: String, hexadecimal value: Span<UInt8>) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: beginning.utf8)
        for index in value.indices {
            for digit in [value[index] >> 4, value[index] & 15] {
                bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    package mutating func integer(_ value: some BinaryInteger) {
        separate()
        bytes.append(contentsOf: String(value).utf8)
    }

    /// Plain spelling, such as `16.99` or `60000000`.
    package mutating func decimal(_ value: ExactDecimal) {
        separate()
        bytes.append(contentsOf: value.description.utf8)
    }

    package mutating func bool(_ value: Bool) {
        separate()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    package mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
    }

    package mutating func value(_ value: JSONValue) {
        switch value {
        case .object(let members):
            object { writer in
                for member in members { writer.member(member.name, member.value) }
            }
        case .array(let elements):
            array { writer in
                for element in elements { writer.value(element) }
            }
        case .string(let text): string(text)
        case .number(let number): decimal(number)
        case .unrepresentableNumber(let text):
            separate()
            bytes.append(contentsOf: text.utf8)
        case .bool(let truth): bool(truth)
        case .null: null()
        }
    }

    // MARK: Members

    /// `nil` is not written.
    package mutating func member(_ name: String, _ value: (some DocumentCodable)?) {
        guard let value else { return }
        self.name(name)
        self.value(value.document)
    }

    /// Writes a string in quotes, and escapes `"`, `\`, control characters and marks that change the direction of text.
    ///
    /// A terminal may show the document, and interprets U+009B as ESC.
    private mutating func quote(_ text: String) {
        text.withUTF8Span { quote($0) }
    }

    private mutating func quote(_ text: Span<UInt8>) {
        bytes.append(UInt8(ascii: "\""))
        var index = 0
        while index < text.count {
            var run = index
            while run < text.count, !Self.isEscaped(text, at: run) { run += 1 }
            bytes.append(text.extracting(index..<run))
            guard run < text.count else { break }
            index = run + escape(text.extracting(run...))
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Whether the character that begins here is escaped; `false` inside a character.
    private static func isEscaped(_ text: Span<UInt8>, at index: Int) -> Bool {
        let count = text.count - index
        return switch text[index] {
        case 0x00..<0x20, UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x7F: true
        // U+0080…009F.
        case 0xC2: count > 1 && text[index + 1] < 0xA0
        // U+202A…202E and U+2066…2069.
        case 0xE2 where count > 2 && text[index + 1] == 0x80: (0xAA...0xAE).contains(text[index + 2])
        case 0xE2 where count > 2 && text[index + 1] == 0x81: (0xA6...0xA9).contains(text[index + 2])
        default: false
        }
    }

    /// Writes the escape of a text's first character; returns the character's length in bytes.
    private mutating func escape(_ text: Span<UInt8>) -> Int {
        switch text[0] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(text[0])
        case 0x0A: bytes.append(contentsOf: "\\n".utf8)
        case 0x0D: bytes.append(contentsOf: "\\r".utf8)
        case 0x09: bytes.append(contentsOf: "\\t".utf8)
        case 0xC2:
            escape(UInt16(text[1]))
            return 2
        case 0xE2:
            escape(0x2000 | UInt16(text[1] & 1) << 6 | UInt16(text[2] & 0x3F))
            return 3
        default: escape(UInt16(text[0]))
        }
        return 1
    }

    private mutating func escape(_ scalar: UInt16) {
        bytes.append(contentsOf: ("\\u" + String(scalar, radix: 16, width: 4)).utf8)
    }
}
