import NIOCore
import OpenMarket

/// Writes JSON byte by byte: members in the given order, numbers as each market writes them, slashes not escaped.
struct ReplyJSONWriter {
    private var bytes: [UInt8] = []
    private var needsComma = false

    var buffer: ByteBuffer { ByteBuffer(bytes: bytes) }

    init() {
        // The usual size of a product in detail.
        bytes.reserveCapacity(1024)
    }

    // MARK: Values

    mutating func object(_ members: (inout ReplyJSONWriter) -> Void) {
        separate()
        append("{")
        needsComma = false
        members(&self)
        append("}")
        needsComma = true
    }

    mutating func string(_ value: String) {
        separate()
        quote(value)
        needsComma = true
    }

    /// Writes a number or another literal unchanged.
    mutating func literal(_ spelling: String) {
        separate()
        append(spelling)
        needsComma = true
    }

    // MARK: Members

    mutating func member(_ name: String, _ value: String?) {
        key(name)
        if let value { string(value) } else { literal("null") }
    }

    mutating func member(_ name: String, _ value: (some BinaryInteger & Sendable)?) {
        member(name, literal: value.map { String($0) })
    }

    mutating func member(_ name: String, _ value: Bool) {
        member(name, literal: String(value))
    }

    mutating func member(_ name: String, literal: String?) {
        key(name)
        self.literal(literal ?? "null")
    }

    mutating func member(_ name: String, _ members: (inout ReplyJSONWriter) -> Void) {
        key(name)
        object(members)
    }

    mutating func member<Element>(
        _ name: String,
        array elements: some Sequence<Element>,
        _ write: (inout ReplyJSONWriter, Element) -> Void
    ) {
        key(name)
        append("[")
        for element in elements { write(&self, element) }
        append("]")
        needsComma = true
    }

    private mutating func key(_ key: String) {
        separate()
        quote(key)
        append(":")
        needsComma = false
    }

    private mutating func separate() {
        if needsComma { append(",") }
    }

    private mutating func quote(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            // Characters without an escape are copied in one piece.
            var start = 0
            for index in utf8.indices {
                let byte = utf8[index]
                guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
                bytes.append(contentsOf: utf8[start..<index])
                escape(byte)
                start = index + 1
            }
            bytes.append(contentsOf: utf8[start...])
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case 0x0A: append("\\n")
        case 0x0D: append("\\r")
        case 0x09: append("\\t")
        default: append("\\u00" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16))
        }
    }

    private mutating func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }
}

extension ExactDecimal {
    /// The number as Java's `Double.toString` writes it: `1200.0`, `0.75`, and from ten million up `6.0E7`.
    ///
    /// All digits are kept; a real double would round after the 17th.
    var javaSpelling: String {
        guard significand != 0 else { return "0.0" }
        let digits = String(significand.magnitude)
        let exponent = digits.count - 1 - Int(scale)
        if (-3..<7).contains(exponent) {
            return scale == 0 ? description + ".0" : description
        }
        var fraction = digits.dropFirst()
        while fraction.last == "0" { fraction.removeLast() }
        return "\(isNegative ? "-" : "")\(digits.prefix(1)).\(fraction.isEmpty ? "0" : fraction)E\(exponent)"
    }
}
