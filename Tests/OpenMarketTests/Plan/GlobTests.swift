@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

struct GlobTests {
    @Test(arguments: [
        ("", ""), ("*", ""), ("*", "lamp"), ("**", "x"), ("lamp", "lamp"), ("lamp-*", "lamp-"), ("lamp-*", "lamp-1"),
        ("*lamp", "desk-lamp"), ("l?mp", "lamp"), ("?", "램"), ("?", "👩‍👩‍👧"), ("a*b*c", "a-b-b-c"), ("*a?", "aaab"),
        ("[x]", "[x]"), ("a.b", "a.b"),
    ])
    func `a pattern fits`(_ pattern: String, _ text: String) {
        #expect(Glob(pattern).matches(text))
    }

    @Test(arguments: [
        ("", "x"), ("?", ""), ("lamp", "Lamp"), ("lamp", "lamp2"), ("lamp-*", "lamp"), ("a*b", "abc"), ("??", "x"),
        ("a.b", "axb"), ("[x]", "x"),
    ])
    func `a pattern does not fit`(_ pattern: String, _ text: String) {
        #expect(!Glob(pattern).matches(text))
    }

    @Test func `patterns fit as the definition says`() {
        func naive(_ pattern: Substring, _ text: Substring) -> Bool {
            guard let first = pattern.first else { return text.isEmpty }
            if first == "*" {
                return naive(pattern.dropFirst(), text) || (!text.isEmpty && naive(pattern, text.dropFirst()))
            }
            guard let letter = text.first, first == "?" || first == letter else { return false }
            return naive(pattern.dropFirst(), text.dropFirst())
        }
        var random = SeededGenerator(seed: 6)
        var matches = 0
        for _ in 0..<20_000 {
            let pattern = String(
                (0..<Int.random(in: 0...6, using: &random)).compactMap { _ in "ab*?*".randomElement(using: &random) }
            )
            let text = String(
                (0..<Int.random(in: 0...8, using: &random)).compactMap { _ in "ab".randomElement(using: &random) }
            )
            let expected = naive(pattern[...], text[...])
            #expect(Glob(pattern).matches(text) == expected, "\(pattern) on \(text)")
            matches += expected ? 1 : 0
        }
        #expect(matches > 2000)
    }

    @Test(.timeLimit(.minutes(1)))
    func `many stars do not take exponential time`() {
        let text = String(repeating: "a", count: 2000)
        #expect(!Glob(String(repeating: "a*", count: 300) + "b").matches(text))
    }

    @Test func `a filter takes what a target names and no exclusion does`() {
        #expect(KeyFilter().takesAll && KeyFilter().takes("lamp"))
        let targets = ["lamp-*", "desk"]
        #expect(["lamp-1", "desk", "chair"].filter(KeyFilter(targets: targets).takes) == ["lamp-1", "desk"])
        let both = KeyFilter(targets: targets, exclusions: ["*-1"])
        #expect(["lamp-1", "lamp-2", "desk", "chair"].filter(both.takes) == ["lamp-2", "desk"])
        #expect(["lamp-1", "chair"].filter(KeyFilter(exclusions: ["*-1"]).takes) == ["chair"])
    }
}
