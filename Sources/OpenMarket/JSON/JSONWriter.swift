/// Writes JSON with exact bytes: members in the order in which they are written, numbers in plain spelling, no
/// escapes but the necessary ones, no slash escaped.
///
/// ```swift
/// var writer = JSONWriter()
/// writer.object { writer in
///     writer.member("name", "Desk lamp")
///     writer.member("price", price)
/// }
/// ```
package struct JSONWriter: Sendable {
    /// The text so far.
    package private(set) var bytes: [UInt8] = []

    private let isPretty: Bool
    private var depth = 0
    /// Whether a comma has to come before the next element.
    private var needsComma = false
    /// Whether a name was written whose value is due.
    private var isAfterName = false

    /// Starts a text.
    ///
    /// - Parameter pretty: whether each member and element is on a line of its own, indented by two spaces, for texts
    ///   that people read.
    package init(pretty: Bool = false) {
        self.isPretty = pretty
    }

    /// The text so far, as a string.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Takes out what was written since the last time, so that a long text need not be in memory as a whole.
    package mutating func take() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    // MARK: Structure

    /// Writes an object; `body` writes its members.
    ///
    /// - Throws: what `body` throws.
    package mutating func object<Failure: Error>(
        _ body: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        begin(UInt8(ascii: "{"))
        try body(&self)
        end(UInt8(ascii: "}"))
    }

    /// Writes an array; `body` writes its elements.
    ///
    /// - Throws: what `body` throws.
    package mutating func array<Failure: Error>(
        _ body: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        begin(UInt8(ascii: "["))
        try body(&self)
        end(UInt8(ascii: "]"))
    }

    /// Writes a member's name; its value has to follow.
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
        // With nothing in it, the two are side by side.
        if needsComma { newLine() }
        bytes.append(byte)
        needsComma = true
    }

    /// Writes what has to precede a value or a name.
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

    /// Writes a string.
    package mutating func string(_ value: String) {
        separate()
        quote(value)
    }

    /// Writes a string.
    mutating func string(utf8 value: Span<UInt8>) {
        separate()
        quote(value)
    }

    /// Writes a string of a beginning that needs no escapes and the hexadecimal digits of some bytes.
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

    /// Writes a whole number.
    package mutating func integer(_ value: some BinaryInteger) {
        separate()
        bytes.append(contentsOf: String(value).utf8)
    }

    /// Writes a decimal in plain spelling, such as `16.99` or `60000000`.
    package mutating func decimal(_ value: ExactDecimal) {
        separate()
        bytes.append(contentsOf: value.description.utf8)
    }

    /// Writes `true` or `false`.
    package mutating func bool(_ value: Bool) {
        separate()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// Writes `null`.
    package mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
    }

    /// Writes a tree.
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

    /// Writes a member with a string; `nil` writes nothing.
    package mutating func member(_ name: String, _ value: String?) {
        guard let value else { return }
        self.name(name)
        string(value)
    }

    /// Writes a member with a whole number; `nil` writes nothing.
    package mutating func member(_ name: String, _ value: (some BinaryInteger)?) {
        guard let value else { return }
        self.name(name)
        integer(value)
    }

    /// Writes a member with a decimal; `nil` writes nothing.
    mutating func member(_ name: String, _ value: ExactDecimal?) {
        guard let value else { return }
        self.name(name)
        decimal(value)
    }

    /// Writes a member with a truth value; `nil` writes nothing.
    package mutating func member(_ name: String, _ value: Bool?) {
        guard let value else { return }
        self.name(name)
        bool(value)
    }

    /// Writes a member with a tree.
    package mutating func member(_ name: String, _ value: JSONValue) {
        self.name(name)
        self.value(value)
    }

    /// Writes a string in quotes: `"`, `\`, control characters and the marks that turn the direction of text escaped,
    /// everything else as it is.
    ///
    /// A document may end up on a terminal, which interprets U+009B as it does ESC.
    private mutating func quote(_ text: String) {
        text.withUTF8Span { quote($0) }
    }

    private mutating func quote(_ text: Span<UInt8>) {
        bytes.append(UInt8(ascii: "\""))
        var index = 0
        while index < text.count {
            let run = Self.firstEscaped(text, from: index)
            bytes.append(text.extracting(index..<run))
            guard run < text.count else { break }
            index = run + escape(text.extracting(run...))
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Where the next character begins that is escaped.
    ///
    /// Hot: eight bytes at a time, and a closer look only at the bytes that such a character can begin with. The slow twin
    /// is in `JSONTextTests`.
    private static func firstEscaped(_ text: Span<UInt8>, from start: Int) -> Int {
        let end = text.count
        var index = start
        while index < end {
            if index + 8 <= end {
                let word = ByteWord(text, at: index)
                let hits =
                    word.below(0x20) | word.equal(to: UInt8(ascii: "\"")) | word.equal(to: UInt8(ascii: "\\"))
                    | word.equal(to: 0x7F) | word.equal(to: 0xC2) | word.equal(to: 0xE2)
                guard hits.isHit else {
                    index += 8
                    continue
                }
                index += hits.first
            }
            if isEscaped(text, at: index) { return index }
            index += 1
        }
        return end
    }

    /// Whether the character that begins here is escaped; `false` within a character.
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

    /// Writes the escape of the character that a text begins with; returns how many bytes the character has.
    private mutating func escape(_ text: Span<UInt8>) -> Int {
        switch text[0] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(text[0])
        case 0x0A: bytes.append(contentsOf: "\\n".utf8)
        case 0x0D: bytes.append(contentsOf: "\\r".utf8)
        case 0x09: bytes.append(contentsOf: "\\t".utf8)
        case 0xC2:
            escape(high: "00", low: text[1])
            return 2
        case 0xE2:
            escape(high: "20", low: (text[1] & 1) << 6 | text[2] & 0x3F)
            return 3
        default: escape(high: "00", low: text[0])
        }
        return 1
    }

    private mutating func escape(high: String, low: UInt8) {
        let digits = Array("0123456789abcdef".utf8)
        bytes.append(contentsOf: "\\u".utf8)
        bytes.append(contentsOf: high.utf8)
        bytes.append(digits[Int(low >> 4)])
        bytes.append(digits[Int(low & 15)])
    }
}
