import NIOCore
import OpenMarket

/// Writes JSON byte by byte: keys in the order given, numbers as each market writes them, no slash escaped.
struct ReplyJSONWriter {
    private(set) var buffer = ByteBuffer()
    private var needsComma = false

    /// Writes a value under a key.
    mutating func key(_ key: String) {
        separate()
        quote(key)
        buffer.writeStaticString(":")
        needsComma = false
    }

    mutating func object(_ members: (inout ReplyJSONWriter) throws -> Void) rethrows {
        separate()
        buffer.writeStaticString("{")
        needsComma = false
        try members(&self)
        buffer.writeStaticString("}")
        needsComma = true
    }

    mutating func array<Element>(
        _ elements: some Sequence<Element>,
        _ write: (inout ReplyJSONWriter, Element) throws -> Void
    ) rethrows {
        separate()
        buffer.writeStaticString("[")
        needsComma = false
        for element in elements { try write(&self, element) }
        buffer.writeStaticString("]")
        needsComma = true
    }

    mutating func string(_ value: String) {
        separate()
        quote(value)
        needsComma = true
    }

    mutating func integer(_ value: some BinaryInteger & Sendable) {
        literal(String(value))
    }

    mutating func bool(_ value: Bool) {
        literal(value ? "true" : "false")
    }

    mutating func null() {
        literal("null")
    }

    /// Writes a number, or another literal, as it is given.
    mutating func literal(_ spelling: String) {
        separate()
        buffer.writeString(spelling)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { buffer.writeStaticString(",") }
    }

    private mutating func quote(_ text: String) {
        buffer.writeStaticString("\"")
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
            buffer.writeString(text)
        } else {
            for byte in text.utf8 { escape(byte) }
        }
        buffer.writeStaticString("\"")
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): buffer.writeStaticString("\\\"")
        case UInt8(ascii: "\\"): buffer.writeStaticString("\\\\")
        case 0x0A: buffer.writeStaticString("\\n")
        case 0x0D: buffer.writeStaticString("\\r")
        case 0x09: buffer.writeStaticString("\\t")
        case 0..<0x20: buffer.writeString("\\u00" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16))
        default: buffer.writeInteger(byte)
        }
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
