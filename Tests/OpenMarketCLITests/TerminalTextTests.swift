@testable import OpenMarketTestSupport
import Testing

/// What a manifest or the market says is shown on a terminal, never obeyed by it.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct TerminalTextTests {
    /// All of Unicode's Bidi_Control.
    private static let marks: [UInt32] = [
        0x061C, 0x200E, 0x200F, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2066, 0x2067, 0x2068, 0x2069,
    ]

    @Test func `every mark that turns the direction of text is escaped`() async throws {
        var manifest = ShopManifest.three
        for (key, marks) in [("mug", Self.marks.prefix(6)), ("lamp", Self.marks.suffix(6))] {
            manifest[key].name = "\"\(marks.compactMap(Unicode.Scalar.init).map { "a\($0)" }.joined())\""
        }
        try await CommandSandbox.open("v2b", manifest) { shop in
            let planned = try await shop.openmarket("plan")
            #expect(planned.status == 0, "\(planned.errorText)")
            for marks in [Self.marks.prefix(6), Self.marks.suffix(6)] {
                let name = marks.map { "a\\u{\(String($0, radix: 16))}" }.joined()
                #expect(planned.text.contains("name         \"\(name)\"\n"))
            }
            let raw = planned.text.unicodeScalars.filter { Self.marks.contains($0.value) }
            #expect(raw.isEmpty)
        }
    }

    @Test func `a sign of Markdown is escaped although a mark that joins it follows`() async throws {
        var manifest = ShopManifest.three
        manifest["mug"].name = "'<\u{301}b>|\u{301}['"
        manifest["mug"].key = "'mug`\u{301}'"
        try await CommandSandbox.open("v2b", manifest) { shop in
            let planned = try await shop.openmarket("plan", "--write", "markdown=plan.md")
            #expect(planned.status == 0, "\(planned.errorText)")
            let text = try shop.read("plan.md")
            #expect(text.contains(Array("| &lt;\u{301}b&gt;\\|\u{301}\\[ | `mug'\u{301}` |".utf8)))
        }
    }
}
