/// Reads JSON text piece by piece directly into the wanted types, without a tree.
///
/// It is strict in grammar, safe on any bytes, and never goes deeper than ``maximumDepth``. Skipped values are checked
/// for grammar, but not for UTF-8. A reader exists only inside ``read(_:_:)``, because it holds a pointer to the
/// caller's bytes.
///
/// ```swift
/// try JSONReader.read(bytes) { reader throws(JSONError) in
///     try reader.beginObject()
///     while let name = try reader.nextName() {
///         switch name {
///         case "id": id = try reader.readDecimal()?.wholeValue
///         case "price": price = try reader.readDecimal()
///         default: try reader.skipValue()
///         }
///     }
/// }
/// ```
@safe
package struct JSONReader: ~Copyable {
    static let maximumDepth = 64

    package enum Kind: Hashable, Sendable {
        case object
        case array
        case string
        /// A digit or a minus sign.
        case number
        case bool
        case null
    }

    private let base: UnsafePointer<UInt8>
    let count: Int
    var position = 0
    private var depth = 0
    /// Whether the innermost container had no element yet.
    private var isFirst = false

    private init(_ bytes: UnsafeBufferPointer<UInt8>) {
        // Empty input is never read, so any address will do. Every slice would test an optional pointer.
        unsafe base = bytes.baseAddress ?? UnsafePointer(bitPattern: 1).unsafelyUnwrapped
        count = bytes.count
    }

    /// Lends a reader at the start of some bytes.
    package static func read<Result, Failure: Error>(
        _ bytes: [UInt8],
        _ body: (inout JSONReader) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try read(bytes.span, body)
    }

    /// Lends a reader at the start of some bytes.
    package static func read<Result, Failure: Error>(
        _ bytes: Span<UInt8>,
        _ body: (inout JSONReader) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe bytes.withUnsafeBufferPointer { bytes throws(Failure) in
            var reader = unsafe JSONReader(bytes)
            return try body(&reader)
        }
    }

    package var offset: Int { position }

    /// The index must be within the bytes.
    @inline(__always)
    func byte(at index: Int) -> UInt8 {
        assert(index >= 0 && index < count, "a place within the bytes")
        return unsafe base[index]
    }

    /// Valid as long as the caller keeps the bytes.
    @inline(__always)
    func slice(_ start: Int, _ end: Int) -> UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(start: base + start, count: end - start)
    }

    // MARK: Structure

    /// The kind of the next value; throws if none follows.
    package mutating func peek() throws(JSONError) -> Kind {
        skipSpace()
        guard position < count else { throw truncated("a value") }
        switch byte(at: position) {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): return .number
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
        case UInt8(ascii: "n"): return .null
        default: throw unexpected("a value")
        }
    }

    /// Enters an object; call ``nextName()`` until it returns `nil`.
    package mutating func beginObject() throws(JSONError) {
        try begin(.object, "an object")
    }

    /// Enters an array; call ``nextElement()`` until it returns `false`.
    package mutating func beginArray() throws(JSONError) {
        try begin(.array, "an array")
    }

    private mutating func begin(_ kind: Kind, _ words: String) throws(JSONError) {
        guard try peek() == kind else { throw JSONError(.typeMismatch, at: position, "expected \(words)") }
        guard depth < Self.maximumDepth else { throw JSONError(.tooDeep, at: position, "nested too deep") }
        position += 1
        depth += 1
        isFirst = true
    }

    /// Whether another element follows; `false` leaves the array.
    package mutating func nextElement() throws(JSONError) -> Bool {
        skipSpace()
        guard position < count else { throw truncated("an element or ']'") }
        if byte(at: position) == UInt8(ascii: "]") {
            leave()
            return false
        }
        if !isFirst {
            guard byte(at: position) == UInt8(ascii: ",") else { throw unexpected("',' or ']'") }
            position += 1
        }
        isFirst = false
        return true
    }

    /// The name of the next member; `nil` leaves the object.
    package mutating func nextName() throws(JSONError) -> String? {
        guard try nextMember() else { return nil }
        let name = try readString()
        try expectColon()
        return name
    }

    /// Enters an object; call ``nextName(of:in:)`` until it returns `nil`.
    package mutating func beginObject(in order: inout JSONNameOrder) throws(JSONError) {
        order.restart()
        try beginObject()
    }

    /// The index of the next member's name, faster for names in the previous object's order.
    ///
    /// Only the set at index `set` counts, and it is consulted only if the order of names differs from the previous
    /// object's. The result is -1 for an unknown name; `nil` leaves the object.
    package mutating func nextName(
        of names: [MemberNames],
        _ set: Int,
        in order: inout JSONNameOrder
    ) throws(JSONError) -> Int? {
        guard try nextMember() else { return nil }
        if let (index, end) = unsafe order.expected(slice(0, count), at: position + 1) {
            position = end
            try expectColon()
            return index
        }
        let (start, end, hasEscapes) = try scanString()
        try expectColon()
        let name = unsafe JSONText(raw: slice(start, end), hasEscapes: hasEscapes)
        let index = name.withUTF8Span { names[set].index(of: $0) } ?? -1
        order.note(index, from: start, to: end + 1)
        return index
    }

    private mutating func nextMember() throws(JSONError) -> Bool {
        skipSpace()
        guard position < count else { throw truncated("a name or '}'") }
        if byte(at: position) == UInt8(ascii: "}") {
            leave()
            return false
        }
        if !isFirst {
            guard byte(at: position) == UInt8(ascii: ",") else { throw unexpected("',' or '}'") }
            position += 1
            skipSpace()
            guard position < count else { throw truncated("a name") }
        }
        isFirst = false
        guard byte(at: position) == UInt8(ascii: "\"") else { throw unexpected("a name in quotes") }
        return true
    }

    private mutating func leave() {
        position += 1
        depth -= 1
        isFirst = false
    }

    private mutating func expectColon() throws(JSONError) {
        skipSpace()
        guard position < count else { throw truncated("':'") }
        guard byte(at: position) == UInt8(ascii: ":") else { throw unexpected("':'") }
        position += 1
    }

    /// Checks that only white space follows.
    package mutating func finish() throws(JSONError) {
        skipSpace()
        guard position == count else { throw unexpected("the end") }
    }

    package mutating func skipValue() throws(JSONError) {
        // One bit per level distinguishes objects from arrays.
        var objects: UInt64 = 0
        let floor = depth
        while true {
            switch try peek() {
            case .object:
                try beginObject()
                objects = objects << 1 | 1
            case .array:
                try beginArray()
                objects = objects << 1
            case .string: _ = try scanString()
            case .number: _ = try scanNumber()
            case .bool: _ = try readBool()
            case .null: try readNull()
            }
            // Leaves the containers that end here, and stops before the next value of one that does not.
            while depth > floor {
                if objects & 1 == 1 {
                    if try nextMember() {
                        _ = try scanString()
                        try expectColon()
                        break
                    }
                } else if try nextElement() {
                    break
                }
                objects >>= 1
            }
            if depth == floor { return }
        }
    }

    // MARK: Values

    package mutating func readBool() throws(JSONError) -> Bool {
        guard try peek() == .bool else { throw JSONError(.typeMismatch, at: position, "expected true or false") }
        let value = byte(at: position) == UInt8(ascii: "t")
        try expectWord(value ? "true" : "false")
        return value
    }

    package mutating func readNull() throws(JSONError) {
        guard try peek() == .null else { throw JSONError(.typeMismatch, at: position, "expected null") }
        try expectWord("null")
    }

    private mutating func expectWord(_ word: StaticString) throws(JSONError) {
        for index in 0..<word.utf8CodeUnitCount {
            guard position + index < count else { throw truncated("\(word)") }
            guard unsafe byte(at: position + index) == word.utf8Start[index] else { throw unexpected("\(word)") }
        }
        position += word.utf8CodeUnitCount
    }

    /// `nil` if the number does not fit ``ExactDecimal``.
    package mutating func readDecimal() throws(JSONError) -> ExactDecimal? {
        try scanNumber().value
    }

    /// Reads the number that ``peek()`` has just found: its spelling, and its value, which is `nil` if it does not fit.
    package mutating func readPeekedNumber() throws(JSONError) -> (spelling: JSONText, value: ExactDecimal?) {
        let (start, value) = try scanPeekedNumber()
        return (text(from: start), value)
    }

    /// The raw bytes between an offset and the next one to read.
    package func text(from start: Int) -> JSONText {
        unsafe JSONText(raw: slice(start, position), hasEscapes: false)
    }

    private mutating func scanNumber() throws(JSONError) -> (start: Int, value: ExactDecimal?) {
        guard try peek() == .number else { throw JSONError(.typeMismatch, at: position, "expected a number") }
        return try scanPeekedNumber()
    }

    private mutating func scanPeekedNumber() throws(JSONError) -> (start: Int, value: ExactDecimal?) {
        let start = position
        if byte(at: position) == UInt8(ascii: "-") { position += 1 }
        let leading = position
        try scanDigits()
        if byte(at: leading) == UInt8(ascii: "0"), position - leading > 1 {
            position = leading
            throw JSONError(.unexpected, at: leading, "a number that starts with 0")
        }
        if position < count, byte(at: position) == UInt8(ascii: ".") {
            position += 1
            try scanDigits()
        }
        if position < count, byte(at: position) | 0x20 == UInt8(ascii: "e") {
            position += 1
            if position < count, byte(at: position) == UInt8(ascii: "-") || byte(at: position) == UInt8(ascii: "+") {
                position += 1
            }
            try scanDigits()
        }
        return (start, unsafe ExactDecimal(ascii: slice(start, position)))
    }

    /// Skips at least one digit.
    private mutating func scanDigits() throws(JSONError) {
        let start = position
        while position < count, byte(at: position) &- UInt8(ascii: "0") < 10 { position += 1 }
        guard position > start else { throw position < count ? unexpected("a digit") : truncated("a digit") }
    }

    // MARK: Faults

    func truncated(_ expected: String) -> JSONError {
        JSONError(.truncated, at: count, "the text ends; expected \(expected)")
    }

    func unexpected(_ expected: String) -> JSONError {
        JSONError(.unexpected, at: position, "expected \(expected)")
    }

    mutating func skipSpace() {
        while position < count {
            switch byte(at: position) {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }
}
