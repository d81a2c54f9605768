import FoundationEssentials
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarket

/// Strings of JSON beside what Foundation makes of them.
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

    /// What a string in quotes means; `nil` where it means nothing.
    private static func decoded(_ text: [UInt8]) -> [UInt8]? {
        (try? JSONDecoder().decode(String.self, from: Data(text))).map { Array($0.utf8) }
    }

    @Test func `a string is decoded as Foundation does it, and refused where that does`() {
        var refused = 0
        for seed in 0..<20_000 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let raw = Self.raw(&generator)
            let text = [UInt8(ascii: "\"")] + raw + [UInt8(ascii: "\"")]
            let expected = Self.decoded(text)
            let found = JSONReader.read(text + Array(" 7".utf8)) { reader -> ([UInt8]?, [UInt8]?, ExactDecimal?) in
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

    /// Whether a character needs an escape: those of JSON, and what a terminal would obey.
    private static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\"" || scalar == "\\" || scalar.properties.generalCategory == .control
            || ("\u{202A}"..."\u{202E}").contains(scalar) || ("\u{2066}"..."\u{2069}").contains(scalar)
    }

    @Test func `a string that is written is read back, and what needs an escape has one and nothing else`() {
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
            let written = writer.text
            #expect(Self.decoded(Array(written.utf8)) == Array(String(text).utf8), "seed \(seed)")
            let escapes = text.count(where: Self.isEscaped) + text.count { $0 == "\\" }
            #expect(written.utf8.count { $0 == UInt8(ascii: "\\") } == escapes, "seed \(seed)")
            let bare = written.unicodeScalars.dropFirst().dropLast().filter(Self.isEscaped)
            #expect(bare.allSatisfy { $0 == "\"" || $0 == "\\" }, "seed \(seed)")
        }
    }
}
