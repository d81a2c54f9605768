@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketManifest

struct TextCheckTests {
    /// What is on either side of each of the borders, and what has like bytes.
    static let scalars: [Unicode.Scalar] = [
        "\u{0}", "\t", "\n", "\u{B}", "\r", "\u{1F}", " ", "!", "~", "\u{7F}", "\u{80}", "\u{85}", "\u{9F}", "\u{A0}",
        "°", "\u{C2}", "\u{AD}", "한", "\u{B000}", "\u{CFFF}", "\u{3000}", "\u{200B}", "\u{2028}", "\u{2800}", "😀", "a",
    ]

    @Test func `a look at the bytes of a text finds what its scalars say`() {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<20_000 {
            let scalars: [Unicode.Scalar] = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                // Mostly what is right, so that half of the texts are.
                Int.random(in: 0..<40, using: &generator) == 0
                    ? Self.scalars[Int.random(in: 0..<Self.scalars.count, using: &generator)]
                    : ["a", "°", "한", "\n"].randomElement(using: &generator) ?? "a"
            }
            var text = String(String.UnicodeScalarView(scalars))
            let (isPrintable, isVisible) = text.withUTF8 { ($0.isPrintable, $0.span.isKnownVisible) }
            let hasControls = scalars.contains { $0.isControl && $0 != "\n" && $0 != "\r" && $0 != "\t" }
            #expect(isPrintable == !hasControls, "\(scalars)")
            if isVisible {
                #expect(!scalars.contains { $0.isControlOrLineBreak }, "\(scalars)")
                #expect(scalars.contains { $0.isVisible }, "\(scalars)")
            }
        }
    }
}
