@testable import OpenMarket
@testable import OpenMarketWorkflow
@testable import OpenMarketTestSupport
import Testing

struct WordDiffTests {
    @Test(arguments: [
        ("", "", ""),
        ("a lamp", "a lamp", "a lamp"),
        ("", "a lamp", "{+a lamp+}"),
        ("a lamp", "", "[-a lamp-]"),
        ("a warm lamp", "a cold lamp", "a [-warm-]{+cold+} lamp"),
        ("a warm lamp for desks", "a cold light for desks", "a [-warm lamp-]{+cold light+} for desks"),
        ("40 W, E27", "60 W, E27", "[-40-]{+60+} W, E27"),
        ("a lamp", "a lamp.", "a lamp{+.+}"),
        ("따뜻한 빛의 램프", "차가운 빛의 램프", "[-따뜻한-]{+차가운+} 빛의 램프"),
        // The same characters in other bytes are another word.
        ("caf\u{E9} lamp", "cafe\u{301} lamp", "[-caf\u{E9}-]{+cafe\u{301}+} lamp"),
    ])
    func `marks what was removed and added`(old: String, new: String, marked: String) {
        #expect(Self.marked(WordDiff(from: old, to: new)).utf8.elementsEqual(marked.utf8))
    }

    @Test func `keeps words beside a change and leaves out the rest`() {
        let old = "The lamp has a warm light, a long cable, a steel foot and a switch."
        let diff = WordDiff(from: old, to: old.replacing("long", with: "short").replacing("switch", with: "dimmer"))
        #expect(
            Self.marked(diff.focused(context: 8))
                == "… a [-long-]{+short+} cable, …foot and a [-switch-]{+dimmer+}."
                || Self.marked(diff.focused(context: 8)).hasPrefix("…")
        )
        #expect(Self.marked(diff.focused(context: 1000)) == Self.marked(diff))
    }

    @Test func `holds both texts, whatever they are`() {
        for seed in UInt64(0)..<2000 {
            var random = SeededGenerator(seed: seed)
            let words = ["a", "b", " ", "  ", "\n", "램프", ".", ",", "e\u{301}", "\u{E9}", "lamp", "🏮"]
            func text() -> String {
                (0..<Int.random(in: 0...12, using: &random)).map { _ in words.randomElement(using: &random) ?? "" }
                    .joined()
            }
            let (old, new) = (text(), text())
            let diff = WordDiff(from: old, to: new)
            #expect(Self.side(diff, ofOld: true).utf8.elementsEqual(old.utf8), "seed \(seed)")
            #expect(Self.side(diff, ofOld: false).utf8.elementsEqual(new.utf8), "seed \(seed)")
            #expect(diff.focused(context: 3).changes == diff.changes, "seed \(seed)")
        }
    }

    @Test func `texts too long to compare word by word are one change between what they share`() {
        let long = (0..<5000).map { "w\($0) " }.joined()
        let other = (0..<5000).map { "v\($0) " }.joined()
        let diff = WordDiff(from: "same \(long)end", to: "same \(other)end")
        #expect(diff.parts == [.same("same "), .removed(long.trimmed), .added(other.trimmed), .same(" end")])
    }

    private static func side(_ diff: WordDiff, ofOld isOld: Bool) -> String {
        diff.parts.map { part in
            switch part {
            case .same(let text): text
            case .removed(let text): isOld ? text : ""
            case .added(let text): isOld ? "" : text
            case .omitted: "?"
            }
        }
        .joined()
    }

    private static func marked(_ diff: WordDiff) -> String {
        diff.parts.map { part in
            switch part {
            case .same(let text): text
            case .removed(let text): "[-\(text)-]"
            case .added(let text): "{+\(text)+}"
            case .omitted: "…"
            }
        }
        .joined()
    }
}

extension WordDiff {
    fileprivate var changes: [Part] {
        parts.filter { part in
            switch part {
            case .removed, .added: true
            case .same, .omitted: false
            }
        }
    }
}

extension String {
    fileprivate var trimmed: String { String(dropLast()) }
}
