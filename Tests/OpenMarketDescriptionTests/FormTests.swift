@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing
@testable import YAML

/// The forms of texts: what the loader takes is what the patterns of the JSON Schema say.
struct FormTests {
    private struct Form: Sendable {
        var name: String
        var pattern: String
        var takes: @Sendable (String) -> Bool

        init(_ name: String, _ form: TextForm) {
            self.init(name, form.pattern) { form.takes($0) }
        }

        init(_ name: String, _ pattern: String, takes: @escaping @Sendable (String) -> Bool) {
            self.name = name
            self.pattern = pattern
            self.takes = takes
        }
    }

    private static let forms: [Form] = [
        Form("name", .name), Form("parameter", .parameter), Form("currency", .currency), Form("line", .line),
        Form("header", .header), Form("headerValue", .headerValue),
        Form("prefix", .prefix), Form("query", .query), Form("slug", .slug), Form("path", .path),
        Form("mediaType", .mediaType), Form("part", .part), Form("value", .value),
        Form("pointer", JSONPointer.pattern) { JSONPointer($0) != nil },
        Form("template", Template.pattern) { Template($0) != nil },
    ]

    @Test func `a form takes what its pattern takes`() throws {
        let letters = Array("aZ09_-./~{}[]|\\?#%& \"'`^<>=:;,@+*!$()é한\u{7F}\u{80}\u{2028}\n\t".unicodeScalars)
        for form in Self.forms {
            let regex = try Regex(form.pattern).matchingSemantics(.unicodeScalar)
            var taken = 0
            for seed in 0..<1000 {
                var generator = SeededGenerator(seed: UInt64(seed))
                let length = Int.random(in: 0...6, using: &generator)
                var text = seed % 3 == 0 ? "/" : seed % 3 == 1 ? "a" : ""
                for _ in 0..<length { text.unicodeScalars.append(letters.randomElement(using: &generator) ?? "a") }
                let isTaken = form.takes(text)
                taken += isTaken ? 1 : 0
                #expect(isTaken == (text.wholeMatch(of: regex) != nil), "\(form.name): \(text.debugDescription)")
            }
            // Three capitals hardly come by chance.
            #expect(taken > 0 || form.name == "currency", "nothing was a \(form.name)")
        }
    }

    @Test(arguments: [
        "", "/a", "/a/0/b", "/a~0b/~1", "/{channel}/price", "/ä", "/a b",
    ])
    func `a pointer prints as it was written`(_ text: String) throws {
        #expect(try #require(JSONPointer(text)).description == text)
    }

    @Test func `a pointer's escapes stand for the signs of pointers`() {
        #expect(JSONPointer("/a~1b~0c~01")?.tokens == [.member("a/b~c~1")])
        #expect(JSONPointer("/{x}")?.tokens == [.parameter("x")])
    }

    @Test(arguments: ["a", "/", "//a", "/a/", "/~", "/~2", "/{x", "/x}", "/{X}", "/a{x}", "/1/2/3/4/5/6/7/8/9"])
    func `what is not a pointer is not read as one`(_ text: String) {
        #expect(JSONPointer(text) == nil)
    }

    @Test func `a template is filled for its place`() throws {
        let template = try #require(Template("/p/{id}.json"))
        #expect(template.filled(for: .path) { _ in "a/b?c d%é" } == "/p/a%2Fb%3Fc%20d%25%C3%A9.json")
        #expect(template.filled(for: .verbatim) { _ in "a b" } == "/p/a b.json")
        #expect(template.filled(for: .path) { _ in "" } == nil)
        #expect(template.filled(for: .path) { _ in ".." } == nil)
        #expect(template.filled(for: .path) { _ in nil } == nil)
        #expect(try #require(Template("gt.{last}&")).filled(for: .query) { _ in "5;6" } == "gt.5%3B6%26")
    }

    @Test(arguments: [
        ("", PlainScalar.null), ("~", .null), ("null", .null), ("true", .boolean(true)), ("false", .boolean(false)),
        ("0", .number(0)), ("-12", .number(-12)), ("2026.8.0", .text), ("v2b", .text), ("/id", .text), ("1st", .text),
        ("-id", .text), (".", .text), ("-", .text), ("yes", .text), ("TRUE", .text), ("007", .text), ("1e5", .text),
        (".5", .text), ("2026-08-01", .text),
    ])
    func `a bare text is null, a boolean or a number where JSON has one`(_ text: String, _ expected: PlainScalar) {
        #expect(PlainScalar(plain: text) == expected)
    }
}
