@testable import OpenMarket
import Testing

struct PercentEncodingTests {
    @Test func `all but the unreserved characters are encoded, byte by byte`() {
        #expect("aZ09-._~".percentEncoded == "aZ09-._~")
        #expect("a b/c%?+\u{E9}".percentEncoded == "a%20b%2Fc%25%3F%2B%C3%A9")
        #expect("a/b~".percentEncoded { $0 != UInt8(ascii: "~") } == "a/b%7E")
    }

    @Test(
        arguments: [
            ("a%20b", "a b", true), ("%C3%a9", "\u{E9}", true), ("%2e%2E", "..", true), ("a+b", "a+b", true),
            ("100%", "100%", false), ("%4", "%4", false), ("%+f", "%+f", false), ("%zz%41", "%zzA", false),
        ] as [(String, String, Bool)]
    )
    func `a sign without two digits stays`(text: String, decoded: String, isWellFormed: Bool) {
        #expect(text.percentDecoded == decoded)
        #expect(text.percentDecodedBytes.isWellFormed == isWellFormed)
    }
}
