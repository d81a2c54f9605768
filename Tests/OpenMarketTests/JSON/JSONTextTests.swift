@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarket

/// Strings of JSON beside a decoder that goes byte by byte, and a writer that does.
struct JSONTextTests {
    private static let pieces: [String] = [
        "a", "desk lamp", "책상", "😀", "/", "\u{7F}", "\u{E000}", #"\""#, #"\\"#, #"\/"#, #"\b"#, #"\f"#, #"\n"#, #"\r"#,
        #"\t"#, #"\u0041"#, #"\u00e9"#, #"\uD55C"#, #"\ud83d\ude00"#, #"\u0000"#,
    ]
    private static let faults: [String] = [
        #"\x"#, #"\u12"#, #"\u12g4"#, #"\ud800"#, #"\udc00"#, #"\ud800\u0041"#, #"\ud800\n"#, #"\U0041"#,
    ]

    private static func raw(_ generator: inout SeededGenerator) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 0...12, using: &generator) {
            bytes += pieces.randomElement(using: &generator)!.utf8
        }
        if Int.random(in: 0..<5, using: &generator) == 0 { bytes += faults.randomElement(using: &generator)!.utf8 }
        for _ in 0..<Int.random(in: 0...4, using: &generator) {
            bytes += pieces.randomElement(using: &generator)!.utf8
        }
        if Int.random(in: 0..<20, using: &generator) == 0 { bytes.append(0xC3) }
        return bytes
    }

    /// What a string means; `nil` where it means nothing.
    private static func decoded(_ raw: [UInt8]) -> [UInt8]? {
        guard String(validating: raw, as: UTF8.self) != nil else { return nil }
        var units: [UInt16] = []
        var rest = raw[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                var character = [byte]
                while let next = rest.first, next & 0xC0 == 0x80 {
                    character.append(next)
                    rest.removeFirst()
                }
                units += String(decoding: character, as: UTF8.self).utf16
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "\""): units.append(0x22)
            case UInt8(ascii: "\\"): units.append(0x5C)
            case UInt8(ascii: "/"): units.append(0x2F)
            case UInt8(ascii: "b"): units.append(0x08)
            case UInt8(ascii: "f"): units.append(0x0C)
            case UInt8(ascii: "n"): units.append(0x0A)
            case UInt8(ascii: "r"): units.append(0x0D)
            case UInt8(ascii: "t"): units.append(0x09)
            case UInt8(ascii: "u"):
                let digits = String(decoding: rest.prefix(4), as: UTF8.self)
                guard digits.utf8.count == 4, digits.allSatisfy({ $0.isHexDigit && $0.isASCII }),
                    let unit = UInt16(digits, radix: 16)
                else { return nil }
                units.append(unit)
                rest.removeFirst(4)
            default: return nil
            }
        }
        // Halves of pairs make no text.
        return String(validating: units, as: UTF16.self).map { Array($0.utf8) }
    }

    @Test func `a string is decoded as byte by byte, and refused where that is`() {
        var refused = 0
        for seed in 0..<20_000 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let raw = Self.raw(&generator)
            let expected = Self.decoded(raw)
            let text = [UInt8(ascii: "\"")] + raw + Array(#"" 7"#.utf8)
            let found = JSONReader.read(text) { reader -> ([UInt8]?, [UInt8]?, ExactDecimal?) in
                let text = try? reader.readText()
                let lent = text?.withUTF8Span { Array($0) }
                return (text.map { Array($0.string.utf8) }, lent, (try? reader.readDecimal()).flatMap(\.self))
            }
            if expected == nil { refused += 1 }
            #expect(found.0 == expected, "seed \(seed)")
            #expect(found.1 == expected, "seed \(seed)")
            // What is behind the string is read either way.
            #expect(found.2 == 7, "seed \(seed)")
        }
        #expect((2_000..<10_000).contains(refused))
    }

    /// A string in quotes, written character by character.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += #"\""#
            case "\\": result += #"\\"#
            case "\n": result += #"\n"#
            case "\r": result += #"\r"#
            case "\t": result += #"\t"#
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}":
                let digits = String(scalar.value, radix: 16)
                result += #"\u"# + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    @Test func `a string is written as character by character`() {
        let scalars: [Unicode.Scalar] = [
            "a", "b", " ", "\"", "\\", "\n", "\r", "\t", "\u{0}", "\u{1B}", "\u{1F}", "\u{7E}", "\u{7F}", "\u{80}",
            "\u{9B}", "\u{9F}", "\u{A0}", "\u{A9}", "\u{C2}", "é", "\u{2000}", "\u{2029}", "\u{202A}", "\u{202E}",
            "\u{202F}",
            "\u{2065}", "\u{2066}", "\u{2069}", "\u{206A}", "\u{226A}", "한", "\u{FEFF}", "😀",
        ]
        for seed in 0..<10_000 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...30, using: &generator) {
                let isPlain = Bool.random(using: &generator)
                text.append(isPlain ? "x" : scalars.randomElement(using: &generator)!)
            }
            var writer = JSONWriter()
            writer.string(String(text))
            #expect(Array(writer.text.utf8) == Array(Self.quoted(String(text)).utf8), "seed \(seed)")
        }
    }
}
