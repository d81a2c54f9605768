@testable import OpenMarketTestSupport
import Testing
@testable import YAML

/// What is written is read back as the same bytes, in each style and at each place that a text can be.
struct YAMLTextTests {
    @Test(arguments: 0..<8)
    func `a text comes back exactly in every style that holds it`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2000 {
            let text = Self.text(&random)
            let yaml = YAMLText(text)
            var written = [
                yaml.inline(), "[\(yaml.inline(inFlow: true)), z]", "{a: \(yaml.inline(inFlow: true)), z: z}",
                yaml.doubleQuoted,
                yaml.quoted,
            ]
            if let single = yaml.singleQuoted { written.append(single) }
            for indent in [3, 6] {
                guard let literal = yaml.literal(indent: indent, step: indent - 2) else { continue }
                written.append(literal)
            }
            for value in written {
                // An empty line and another key follow it, as between two products.
                let document = "k:\n- v: \(value)\n\n- z: z\n"
                #expect(try Self.texts(in: document).contains(ExactBytes(text)), "\(document.debugDescription)")
                #expect(try Self.texts(in: document).last == ExactBytes("z"), "\(document.debugDescription)")
            }
        }
    }

    @Test(arguments: [
        "", "null", "~", "Null", "true", "FALSE", "yes", "No", "on", "OFF", "y", "N", "7", "007", "-1", "+1", "0x1F",
        "0o17",
        "1_000", "1e3", "1.5", ".5", "-.inf", ".nan", "1:30", "2024-01-01", "2024-01-01T10:00:00Z",
        "2024-01-01 10:00:00",
        "=", "<<", "-", "?", "---", "...", "# a", "a: b", "a #b", "a:", " a", "a ", "\u{A0}a", "a\tb", "a\u{85}b",
        "a\u{2028}b", "\u{FEFF}a", "a\u{7F}", "%a", "@a", "`a", "!a", "&a", "*a", "|", ">", "'a'", "\"a\"", "[a]",
        "{a}", ",a",
    ])
    func `what YAML reads otherwise is in quotes`(text: String) {
        #expect(!YAMLText(text).isPlain())
        #expect(!YAMLText(text).isPlain(inFlow: true))
    }

    @Test(arguments: [
        "Lamp", "a-b", "Lamp#5", "a:b", "it's", "say \"hi\"", "한지등", "👨‍👩‍👧", "1 lamp", "100% wool", "images/a.jpg",
        "a\u{A0}b",
        "yesterday", "nothing", "e5", "https://example.org/x",
    ])
    func `what YAML reads as the same text is as it is`(text: String) {
        #expect(YAMLText(text).inline() == text)
    }

    @Test(arguments: [
        ("a, b", #""a, b""#), ("Lamp: \"big\"", #"'Lamp: "big"'"#), ("- it's", #""- it's""#), ("C:\\x:", #"'C:\x:'"#),
        ("a\n\"b\"", #""a\n\"b\"""#), ("\u{7}\u{85}\u{2028}\u{FEFF}", #""\x07\x85\u2028\uFEFF""#),
    ])
    func `quotes are double ones unless single ones save escapes`(text: String, quoted: String) {
        #expect(YAMLText(text).quoted == quoted)
    }

    @Test func `a literal block says how it is indented only where the text does not show it`() {
        #expect(YAMLText("a\n b\n\nc\n").literal(indent: 4) == "|\n    a\n     b\n\n    c")
        #expect(YAMLText("a\nb").literal(indent: 2) == "|-\n  a\n  b")
        #expect(YAMLText("  a\nb").literal(indent: 2) == "|2-\n    a\n  b")
        #expect(YAMLText("a\n\n").literal(indent: 2) == nil)
        #expect(YAMLText("a\r\nb").literal(indent: 2) == nil)
        #expect(YAMLText(" \n").literal(indent: 2) == nil)
    }

    /// A text of what is special to YAML, to Unicode, or to neither.
    private static func text(_ random: inout SeededGenerator) -> String {
        let pieces = [
            " ", "  ", "\n", "\n\n", "\t", "\r", "\r\n", ":", "#", "-", "'", "\"", "\\", ",", "[", "]", "{", "}", "?",
            "|", ">",
            "%", "&", "*", "!", "@", "`", "~", "=", ".", "...", "---", "0", "1e3", "null", "a", "b", "word", "\u{0}",
            "\u{7}",
            "\u{1B}", "\u{7F}", "\u{85}", "\u{9F}", "\u{A0}", "\u{2028}", "\u{2029}", "\u{3000}", "\u{FEFF}",
            "\u{FFFD}",
            "\u{FFFE}", "\u{FFFF}", "\u{1FFFE}", "\u{10FFFF}", "é", "e\u{301}", "한", "\u{1112}\u{1161}\u{11AB}", "👨‍👩‍👧",
            "🇰🇷",
        ]
        let count = Int.random(in: 0...12, using: &random)
        return (0..<count).map { _ in pieces[Int.random(in: pieces.indices, using: &random)] }.joined()
    }

    /// The scalars of a document.
    private static func texts(in document: String) throws -> [ExactBytes] {
        var reader = YAMLEventReader(Array(document.utf8))
        var texts: [ExactBytes] = []
        while try reader.next() != .streamEnd {
            if reader.kind == .scalar { texts.append(ExactBytes(reader.text)) }
        }
        return texts
    }
}

/// A text that equals only the same bytes.
private struct ExactBytes: Equatable {
    var bytes: [UInt8]

    init(_ text: String) { bytes = Array(text.utf8) }
}
