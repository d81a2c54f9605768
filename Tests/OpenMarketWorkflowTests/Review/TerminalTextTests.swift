@testable import OpenMarketWorkflow
import Testing

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

    @Test func `columns are those of the scalars`() {
        let widths = [("", 0), ("desk lamp ~", 11), ("탁상등", 6), ("e\u{301}", 1), ("\u{7F}a", 2)]
        for (text, width) in widths { #expect(text.columns == width, "\(text)") }
    }
}
