/// A key without the differences that typing and spreadsheets introduce: keys with equal forms probably mean one key.
///
/// Letter case, width, compatibility forms, dashes and quotes are folded; blanks and invisible characters are removed.
/// So are zeros before a number, which a spreadsheet drops, and `.0` after one, which programs add.
///
/// Wrappers that tell a spreadsheet to treat a key as text are also removed: `'0123`, `"0123"`, `="0123"`. A number may
/// be part of a key: `c-01` and `c-1.0` are `c-1`. Only for comparison, never shown or stored.
struct NormalisedKey: Hashable, Sendable {
    private let text: String

    init(_ key: String) {
        let folded = Self.ascii(key) ?? Self.scalars(key)
        text = Self.withoutZeros(Self.unwrapped(folded) ?? folded)
    }

    /// A folded key without its equals sign, text mark or quotes; `nil` if it has none of them.
    private static func unwrapped(_ text: String) -> String? {
        let inner = text.hasPrefix("=") ? text.dropFirst() : text[...]
        guard inner.utf8.count > 1 else { return nil }
        guard inner.hasPrefix("'") else { return inner.startIndex == text.startIndex ? nil : String(inner) }
        return String(inner.dropFirst().hasSuffix("'") ? inner.dropFirst().dropLast() : inner.dropFirst())
    }

    /// Fast path for ASCII keys, as nearly all are.
    private static func ascii(_ key: String) -> String? {
        guard key.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        return unsafe String(unsafeUninitializedCapacity: key.utf8.count) { target in
            var count = 0
            for byte in key.utf8 where byte > 0x20 && byte != 0x7F {
                let folded: UInt8 =
                    switch byte {
                    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
                    case UInt8(ascii: "\""), UInt8(ascii: "`"): UInt8(ascii: "'")
                    default: byte
                    }
                unsafe target[count] = folded
                count += 1
            }
            return count
        }
    }

    /// A folded key without zeros before its numbers and without a final `.0`.
    ///
    /// Zeros after a decimal point count: `1.05` is not `1.5`.
    private static func withoutZeros(_ text: String) -> String {
        text.withUTF8Span { bytes in
            var end = bytes.count
            if end > 2, bytes[end - 1] == UInt8(ascii: "0"), bytes[end - 2] == UInt8(ascii: "."), bytes[end - 3].isDigit
            {
                end -= 2
            }
            return unsafe String(unsafeUninitializedCapacity: end) { target in
                var count = 0
                for index in 0..<end {
                    let isLeading =
                        unsafe bytes[index] == UInt8(ascii: "0") && index + 1 < end && bytes[index + 1].isDigit
                        && (count == 0 || !target[count - 1].isDigit)
                        && !(count > 1 && target[count - 1].isPoint && target[count - 2].isDigit)
                    if isLeading { continue }
                    unsafe target[count] = bytes[index]
                    count += 1
                }
                return count
            }
        }
    }

    private static func scalars(_ key: String) -> String {
        var folded = ""
        for scalar in key.unicodeScalars { fold(scalar, into: &folded) }
        return folded.composed
    }

    private static func fold(_ scalar: Unicode.Scalar, into text: inout String) {
        let properties = scalar.properties
        if properties.isDefaultIgnorableCodePoint || properties.isWhitespace { return }
        switch properties.generalCategory {
        case .format, .control: return
        default: break
        }
        // Other digits: full-width, raised, lowered, circled, and those of other scripts.
        if let type = properties.numericType, type != .numeric, let value = properties.numericValue, value < 10,
            let digit = Unicode.Scalar(0x30 + UInt32(value))
        {
            text.unicodeScalars.append(digit)
            return
        }
        // Office programs insert these instead of the typed characters.
        if scalar == "…" {
            text += "..."
        } else if properties.isDash {
            text += "-"
        } else if scalar.value != 0x60, properties.isQuotationMark || scalar == "\u{2032}" {
            text += "'"
        } else {
            for part in compatible(scalar).uppercased().unicodeScalars {
                // The regular lower case of a dotted capital I is an i with a combining dot.
                text += part == "\u{130}" ? "i" : part.properties.lowercaseMapping
            }
        }
    }

    /// The usual form of a character of another width, a ligature or a letter-like sign.
    ///
    /// The standard library lacks NFKC; the change of case splits ligatures.
    private static func compatible(_ scalar: Unicode.Scalar) -> String {
        func shifted(to base: UInt32, from start: UInt32) -> String {
            Unicode.Scalar(base + scalar.value - start).map { String($0) } ?? String(scalar)
        }
        switch scalar.value {
        case 0x60: return "'"
        case 0xAA: return "a"
        case 0xBA: return "o"
        case 0x2122: return "tm"
        case 0x2116: return "no"
        case 0x24B6...0x24CF: return shifted(to: 0x61, from: 0x24B6)
        case 0x24D0...0x24E9: return shifted(to: 0x61, from: 0x24D0)
        // Full-width ASCII.
        case 0xFF01...0xFF5E:
            let plain = scalar.value - 0xFEE0
            return plain == 0x22 || plain == 0x60 ? "'" : shifted(to: 0x21, from: 0xFF01)
        // Half-width katakana and their marks.
        case 0xFF61...0xFF9F:
            return Unicode.Scalar(halfWidthKatakana[Int(scalar.value - 0xFF61)]).map { String($0) } ?? String(scalar)
        // Half-width Hangul letters.
        case 0xFFA1...0xFFBE: return shifted(to: 0x3131, from: 0xFFA1)
        case 0xFFC2...0xFFC7: return shifted(to: 0x314F, from: 0xFFC2)
        case 0xFFCA...0xFFCF: return shifted(to: 0x3155, from: 0xFFCA)
        case 0xFFD2...0xFFD7: return shifted(to: 0x315B, from: 0xFFD2)
        case 0xFFDA...0xFFDC: return shifted(to: 0x3161, from: 0xFFDA)
        case 0xFFE0: return "\u{A2}"
        case 0xFFE1: return "\u{A3}"
        case 0xFFE5: return "\u{A5}"
        case 0xFFE6: return "\u{20A9}"
        default: return String(scalar)
        }
    }

    /// The full-width forms of U+FF61 to U+FF9F.
    private static let halfWidthKatakana: [UInt32] = [
        0x3002, 0x300C, 0x300D, 0x3001, 0x30FB, 0x30F2, 0x30A1, 0x30A3, 0x30A5, 0x30A7, 0x30A9, 0x30E3, 0x30E5, 0x30E7,
        0x30C3, 0x30FC, 0x30A2, 0x30A4, 0x30A6, 0x30A8, 0x30AA, 0x30AB, 0x30AD, 0x30AF, 0x30B1, 0x30B3, 0x30B5, 0x30B7,
        0x30B9, 0x30BB, 0x30BD, 0x30BF, 0x30C1, 0x30C4, 0x30C6, 0x30C8, 0x30CA, 0x30CB, 0x30CC, 0x30CD, 0x30CE, 0x30CF,
        0x30D2, 0x30D5, 0x30D8, 0x30DB, 0x30DE, 0x30DF, 0x30E0, 0x30E1, 0x30E2, 0x30E4, 0x30E6, 0x30E8, 0x30E9, 0x30EA,
        0x30EB, 0x30EC, 0x30ED, 0x30EF, 0x30F3, 0x3099, 0x309A,
    ]
}

extension UInt8 {
    fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }

    fileprivate var isPoint: Bool { self == UInt8(ascii: ".") || self == UInt8(ascii: ",") }
}
