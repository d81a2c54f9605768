import Testing
@testable import OpenMarket

/// Which keys are probably meant to be one.
struct NormalisedKeyTests {
    @Test(
        arguments: [
            // Letter case.
            ("C-3", "c-3"), ("Straße", "STRASSE"), ("İzmir", "izmir"), ("ΣΟΦΟΣ", "σοφος"),
            // Blanks and what cannot be seen, wherever they are.
            ("c-3 ", "c-3"), (" c-3", "c-3"), ("c-3\u{A0}", "c-3"), ("c\u{200B}-3", "c-3"), ("\u{FEFF}c-3", "c-3"),
            ("c-\u{AD}3", "c-3"), ("desk lamp", "desklamp"), ("desk\u{3000}lamp", "desk lamp"), ("c-3\t", "c-3"),
            ("c-3\u{2060}", "c-3"), ("c-3\u{FE0F}", "c-3"),
            // Width.
            ("ｃ－３", "c-3"), ("００７", "007"), ("ﾗﾝﾌﾟ", "ランプ"), ("ￎ", "ￎ"), ("ﾤ", "ㄴ"),
            // Normal and compatibility forms.
            ("cafe\u{301}", "caf\u{E9}"), ("\u{1112}\u{1161}\u{11AB}", "\u{D55C}"), ("ﬁg", "fig"), ("m²", "m2"),
            ("①", "1"),
            ("№ 5", "no 5"), ("ª", "a"),
            // What office programs make of dashes, quotes and dots.
            ("c–3", "c-3"), ("c\u{2011}3", "c-3"), ("c−3", "c-3"), ("12”", "12\""), ("d’or", "d'or"), ("d`or", "d'or"),
            ("a…", "a..."),
            // What makes a spreadsheet take a key for a text.
            ("'c-3", "c-3"), ("\"c-3\"", "c-3"), ("=\"0123\"", "123"), ("“c-3”", "c-3"), ("'007", "7"), ("＇７", "7"),
            // Numbers.
            ("7", "007"), ("0", "000"), ("101.0", "101"), ("0101.0", "101"), ("٧", "7"), ("7 ", "007"),
            ("a-07", "a-7"), ("c-1.0", "c-1"), ("lamp007x", "lamp7x"), ("=c-3", "c-3"), ("=c-03", "c-3"),
            ("c-0", "c-00"),
        ]
    )
    func `are one but for what hands and spreadsheets change`(left: String, right: String) {
        #expect(NormalisedKey(left) == NormalisedKey(right))
        #expect(NormalisedKey(left).hashValue == NormalisedKey(right).hashValue)
    }

    @Test(
        arguments: [
            ("c-3", "c-4"), ("c-3", "c3"), ("10", "100"), ("1", "11"), ("café", "cafe"), ("0", ""),
            ("ハ", "バ"), ("a.0", "a"), ("7.1", "7"), ("x_1", "x-1"), ("1.10", "1.1"), ("a+b", "a-b"),
            ("12\"", "12"), ("'", ""), ("=", ""), ("1.05", "1.5"), ("a-1.05", "a-1.5"), ("c-10", "c-1"), ("c-0", "c"),
        ]
    )
    func `are two where a person would read two`(left: String, right: String) {
        #expect(NormalisedKey(left) != NormalisedKey(right))
    }

    @Test func `every printable character of ASCII folds alike, byte by byte and as Unicode`() {
        for byte in UInt8(0x20)...0x7E {
            let text = "k\(Character(Unicode.Scalar(byte)))k"
            // A character beyond ASCII that is dropped sends the rest the long way.
            #expect(NormalisedKey(text) == NormalisedKey(text + "\u{200B}"), "\(text)")
        }
        for digits in ["0", "00", "007", "7", "700", "0 7", "7.0", "00.0", ".0", "0.0.0"] {
            #expect(NormalisedKey(digits) == NormalisedKey(digits + "\u{200B}"), "\(digits)")
        }
    }
}
