@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

struct FormulaGuardTests {
    @Test(
        arguments: [
            ("=1+1", "'=1+1"), ("+82 2 123", "'+82 2 123"), ("-5", "'-5"), ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "'\t=1"), ("\rx", "'\rx"), ("\r\n=1", "'\r\n=1"), ("'=1", "''=1"), ("''-", "'''-"),
            ("=\u{301}", "'=\u{301}"), ("", ""), ("'", "'"), ("'80s lamp", "'80s lamp"), (" =1", " =1"),
            ("\n=1", "'\n=1"), ("a=1", "a=1"), ("＝1+1", "'＝1+1"), ("＋1", "'＋1"), ("－1", "'－1"), ("＠SUM", "'＠SUM"),
            ("'＝", "''＝"), ("램프", "램프"), ("！", "！"), ("\u{FEFF}", "\u{FEFF}"),
        ]
    )
    func `a text that a spreadsheet would run gets one apostrophe, and loses it again`(text: String, cell: String) {
        #expect(Array(FormulaGuard.guarded(text).utf8) == Array(cell.utf8))
        #expect(Array(FormulaGuard.unguarded(cell).utf8) == Array(text.utf8))
    }

    @Test func `what no guard was put on stays`() {
        for cell in ["=1", "-5", "'", "'a", "''", "' =1"] { #expect(FormulaGuard.unguarded(cell) == cell) }
    }

    @Test(arguments: [1, 2] as [UInt64])
    func `any text comes back, and no guarded one begins a formula`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let letters: [Unicode.Scalar] = [
            "'", "'", "=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠", "！", "a", "\u{301}", "가",
        ]
        for _ in 0..<5000 {
            var scalars = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                scalars.append(try #require(letters.randomElement(using: &random)))
            }
            let text = String(scalars)
            let cell = FormulaGuard.guarded(text)
            #expect(Array(FormulaGuard.unguarded(cell).utf8) == Array(text.utf8), "seed \(seed)")
            let first = cell.unicodeScalars.first
            #expect(!["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"].contains(first), "seed \(seed)")
        }
    }
}
