@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

struct ProductLimitsTests {
    /// Letters alone, in pairs and in threes that are one character, and what joins its neighbours.
    static let pieces = [
        "a", "Z", "~", " ", "é", "ß", "˿", "\u{301}", "e\u{301}", "한", "\u{1112}\u{1161}\u{11ab}", "\u{1161}", "가", "퀀",
        "中", "鿿",
        "ꙿ", "👨‍👩‍👧‍👦", "\u{200D}", "🇰🇷", "\r\n", "\n", "\u{AD}", "\u{600}", "नि",
        "꿿", "힣", "\u{A960}", "\u{D7B0}", "\u{11A8}",
    ]

    @Test func `lengths are those of the characters that people see`() {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...14, using: &generator))
                .map { _ in Self.pieces[Int.random(in: 0..<Self.pieces.count, using: &generator)] }.joined()
            let least = Int.random(in: 0...12, using: &generator)
            let range = least...least + Int.random(in: 0...12, using: &generator)
            #expect(
                ProductLimits.allows(text, length: range) == range.contains(text.count),
                "\(text.unicodeScalars) \(range)"
            )
        }
    }

    @Test(arguments: [
        ("12000.5", 0, "12001"), ("12000.4", 0, "12000"), ("16.995", 2, "17"), ("16.994", 2, "16.99"),
        ("-0.5", 0, "-1"),
        ("7", 0, "7"), ("0.000000000000000001", 2, "0"), ("9223372036854775807", 0, "9223372036854775807"),
    ])
    func `a price is rounded to the nearest`(text: String, scale: Int, expected: String) throws {
        let number = try #require(ExactDecimal(text))
        #expect(number.rounded(toScale: scale)?.description == expected)
    }
}
