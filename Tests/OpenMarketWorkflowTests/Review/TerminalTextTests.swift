@testable import OpenMarket
import Testing
@testable import OpenMarketWorkflow

struct TerminalTextTests {
    /// What is escaped, by its code.
    private static let escaped: [ClosedRange<UInt32>] = [
        0...0x1F, 0x7F...0x9F, 0x61C...0x61C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069,
    ]

    @Test func `what a terminal obeys is escaped, and nothing else`() {
        for code in 0...0x10FFFF as ClosedRange<UInt32> {
            guard let scalar = Unicode.Scalar(code) else { continue }
            let text = String(scalar)
            let isEscaped = Self.escaped.contains { $0.contains(code) }
            if (text.terminalSafe != text) != isEscaped { Issue.record("U+\(String(code, radix: 16))") }
        }
    }

    /// Everything that makes a text for people out of a value.
    private static let ways: [(name: String, make: @Sendable (String) -> String)] = [
        ("excerpt", { $0.excerpt }), ("terminalSafe", { $0.terminalSafe }),
        ("terminalSafeLines", { $0.terminalSafeLines }), ("abbreviated", { $0.abbreviated(to: 60) }),
        ("a part, abbreviated", { $0.dropFirst(0).abbreviated(to: 40) }), ("markdownEscaped", { $0.markdownEscaped }),
        ("linkEscaped", { $0.linkEscaped }), ("TextExcerpt", { TextExcerpt.of($0) }),
        ("beside", { TextExcerpt.of($0, beside: String($0.dropLast(8)) + "!") }),
        ("old words", { "\(WordDiff(from: $0, to: "A lamp.").focused(context: 20).parts)" }),
        ("new words", { "\(WordDiff(from: "A lamp.", to: $0).focused(context: 20).parts)" }),
        ("diagnostic", { Diagnostic(.warning, .unreadableRow, $0, help: $0).message }),
        ("error", { MarketError(.refused, $0).message }), ("trouble", { WriteTrouble($0).message }),
        ("refusal", { WriteRefusal(.other, status: 400, message: $0).message }),
        (
            "failure",
            { text in
                let operation = PlannedOperation(key: "", reason: "", work: .forget(.number(1), name: nil))
                return OperationResult(0, operation, .failed, error: text).error ?? ""
            }
        ),
    ]

    private static let secret = "tok:en@1 #x9_k8-*w7"

    /// The secret in a text, so that it begins before, at and after every place where a way cuts.
    @Test(arguments: ways.indices)
    func `no text for people has a part of a known secret`(way: Int) {
        let (name, make) = Self.ways[way]
        let pieces = (0...Self.secret.count - 4).map { Self.secret.dropFirst($0).prefix(4) }
        let spelled = [Self.secret, Self.secret.uppercased(), Self.secret.replacing("@", with: "%40")]
        KnownSecrets.$current.withValue(KnownSecrets([Secret(Self.secret)])) {
            for (before, secret) in (0..<70).flatMap({ before in spelled.map { (before, $0) } }) {
                let shown = make(String(repeating: "l", count: before) + secret + " of oak")
                let plain = shown.replacing("&#8203;", with: "").replacing("\\", with: "").lowercased()
                if pieces.contains(where: { plain.contains($0) }) { Issue.record("\(name) at \(before): \(shown)") }
            }
        }
    }

    @Test func `columns are those of the scalars`() {
        let widths = [("", 0), ("desk lamp ~", 11), ("탁상등", 6), ("e\u{301}", 1), ("\u{7F}a", 2)]
        for (text, width) in widths { #expect(text.columns == width, "\(text)") }
    }
}
