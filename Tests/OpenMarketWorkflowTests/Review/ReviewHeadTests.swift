@testable import OpenMarket
@testable import OpenMarketWorkflow
import Testing

/// What every review says first, so that the plan of another shop is not approved.
struct ReviewHeadTests {
    private static func pages(_ reviewed: ReviewedPlan) throws -> [(format: String, text: String, first: String)] {
        [
            ("text", PlanTextRenderer(style: .plain).render(reviewed), "\n  ~ "),
            ("lines", PlanTextRenderer(style: .plain, isSummary: true).render(reviewed), "\n  ~ "),
            ("markdown", PlanMarkdownRenderer().render(reviewed), "### "),
            ("html", try PlanHTMLRenderer().render(reviewed), "<main>"),
        ]
    }

    @Test func `market, profile, manifest and content are at the head`() throws {
        for (format, text, first) in try Self.pages(.ofEverything) {
            let head = text[..<(try #require(text.firstRange(of: first), "\(format)")).lowerBound]
            let digest = String(repeating: "07", count: 32)
            for fact in ["https://market.example (v2b)", "openmarket.yaml", "sha256:\(digest)"] {
                #expect(head.ranges(of: fact).count == 1, "\(format): \(fact)")
            }
        }
    }

    @Test func `what changes nothing on the market is shown and counted`() throws {
        for (format, text, _) in try Self.pages(.ofEverything) {
            for fact in ["1 to adopt", "1 to forget", "1 to rename", "chair", "lost", "stool", "bar stool"] {
                #expect(text.replacing(/<\/?b>/, with: "").contains(fact), "\(format): \(fact)")
            }
        }
    }

    @Test(arguments: [
        (["a/b.yaml"], "a/b.yaml"), (["-"], "standard input"), (["a", "b", "c", "d"], "a, b, c, d"),
        (["a", "b", "c", "d", "e"], "a, b, c and 2 more"),
    ])
    func `many manifests are counted`(files: [String], names: String) {
        var reviewed = ReviewedPlan.ofEverything
        reviewed.subject.manifests = files
        #expect(PlanTextRenderer(style: .plain).render(reviewed).contains("\nmanifest: \(names)\n"))
    }

    @Test func `only addresses of the web become links`() throws {
        for (address, count) in [("https://market.example/item/", 5), ("javascript:alert(1)//", 0)] {
            var reviewed = ReviewedPlan.ofEverything
            reviewed.subject.productAddress = address
            #expect(try PlanHTMLRenderer().render(reviewed).matches(of: /on the market<\/span><\/a>/).count == count)
        }
    }
}
