@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketWorkflow
@testable import OpenMarketTestSupport
import Testing

struct PlanTextRendererTests {
    private static let update = PlannedOperation(
        key: "lamp",
        reason: "changed in the manifest",
        source: SourceLocation(file: "shop.yaml", position: SourcePosition(line: 3, column: 1)),
        work: .update(
            PlannedOperation.Update(
                id: MarketID(7),
                changes: [
                    .of(.description, .text(Self.text("warm")), .text(Self.text("cold"))),
                    .of(.price, .number(80), .number(100)),
                    .of(.salePrice, kind: .drift, .sale(.fullPrice), .sale(.price(40))),
                ],
                desired: ProductValues(price: 100, sale: .price(40)),
                live: ProductValues(name: "Brass lamp", price: 80, sale: .fullPrice)
            )
        )
    )

    private static func text(_ light: String) -> String {
        "A lamp of brass with two arms, a steel foot and a long cable, which gives \(light) light to a whole desk."
    }

    @Test func `an update in full`() {
        var plan = Plan(operations: [Self.update], unchanged: 3, unselected: 2)
        #expect(
            PlanTextRenderer(style: .plain).render(ReviewedPlan(plan, of: .sample)) == """
                market:   https://market.example (v2b)
                manifest: openmarket.yaml
                content:  sha256:0707070707070707070707070707070707070707070707070707070707070707

                  ~   lamp (7) "Brass lamp"  # changed in the manifest, shop.yaml:3:1
                      description  … cable, which gives [-warm-]{+cold+} light to a whole desk.
                      price        80 → 100 (+25%)
                      sale_price   no sale → 40 (-50%)  (drift: changed on the market)

                Impact:
                  listings   1 changes
                  prices     1 moves, -50% (Brass lamp)
                  requests   1

                Plan: 0 to add, 1 to change, 0 to replace, 0 to delete, 3 unchanged. (2 not selected)

                """
        )
        plan.operations = []
        #expect(
            PlanTextRenderer(style: .plain).render(ReviewedPlan(plan, of: .sample))
                == "No changes. (2 not selected)\n"
        )
    }

    @Test func `on a terminal, a reason that has no room is on a line of its own`() {
        func head(_ operation: PlannedOperation, _ width: Int) -> String {
            let text = PlanTextRenderer(style: .plain, width: width)
                .render(ReviewedPlan(Plan(operations: [operation]), of: .sample))
            return text.split(separator: "\n\n")[1].split(separator: "\n      description")[0].description
        }
        let (subject, reason) = (#"  ~   lamp (7) "Brass lamp""#, "# changed in the manifest, shop.yaml:3:1")
        let width = subject.count + 2 + reason.count
        #expect(head(Self.update, width) == "\(subject)  \(reason)")
        #expect(head(Self.update, width - 1) == "\(subject)\n      \(reason)")
        // A syllable takes two columns.
        var korean = Self.update
        korean.key = "램프"
        #expect(head(korean, width) == "\(subject.replacing("lamp (7)", with: "램프 (7)"))  \(reason)")
        #expect(head(korean, width - 1).contains("\n"))
    }

    @Test func `what is unresolved is no plan without changes, in any format`() throws {
        func said(_ unresolved: Int) throws -> [String] {
            let reviewed = ReviewedPlan(Plan(unchanged: 3), of: .sample, unresolved: unresolved)
            return [
                PlanTextRenderer(style: .plain).render(reviewed), PlanMarkdownRenderer().render(reviewed),
                try PlanHTMLRenderer().render(reviewed),
            ]
        }
        let words = "No other changes; unresolved operations of earlier runs: 2."
        let (idle, open) = (try said(0), try said(2))
        #expect(idle[0] == "No changes.\n" && idle[1].hasPrefix("## No changes.\n"))
        #expect(open[0] == "\(words)\n" && open[1].hasPrefix("## \(words)\n"))
        #expect(idle[2].contains("<p data-t>No changes.</p>") && open[2].contains("<p data-t>\(words)</p>"))
    }

    @Test func `an update in a line`() {
        let reviewed = ReviewedPlan(Plan(operations: [Self.update]), of: .sample)
        #expect(
            PlanTextRenderer(style: .plain, isSummary: true).render(reviewed).split(separator: "\n").dropFirst(3).first
                == """
                  ~   lamp (7) "Brass lamp": description, price 80 → 100 (+25%), \
                sale_price no sale → 40 (-50%) (drift)
                """
        )
    }

    @Test func `a long plan begins with what it comes to, and ends with its counts`() throws {
        let counts = "Plan: 0 to add, 490 to change, 1 to replace, 10 to delete, 0 unchanged."
        for isSummary in [false, true] {
            let renderer = PlanTextRenderer(style: .plain, isSummary: isSummary)
            let text = renderer.render(.of(updates: 490, deletes: 10, replaces: 1))
            let head = try #require(text.firstRange(of: "\n  -   gone-0")).lowerBound
            #expect(text[..<head].contains("Impact:") && text[..<head].contains(counts))
            #expect(text[head...].matches(of: /Impact:/).isEmpty)
            #expect(text.hasSuffix("\n\n\(counts)\n"))
            // What goes has its line, however many they are.
            for number in 0..<10 { #expect(text.contains("  -   gone-\(number) ")) }
            // One change fewer is short enough to be read from its beginning.
            let short = renderer.render(.of(updates: 489, deletes: 10, replaces: 1))
            #expect(short.ranges(of: "Plan:").count == 1)
        }
    }

    @Test func `a product under a new key is a change`() {
        let plan = Plan(operations: [.renaming("chair-old", to: "chair", name: "Chair")], unchanged: 1)
        let text = PlanTextRenderer(style: .plain).render(ReviewedPlan(plan, of: .sample))
        #expect(text.contains("\n  →   chair (12) \"Chair\"  # renamed from 'chair-old'\n"))
        #expect(text.hasSuffix("Plan: 0 to add, 0 to change, 0 to replace, 0 to delete, 1 to rename, 1 unchanged.\n"))
    }

    @Test func `no terminal obeys a name`() {
        let text = PlanTextRenderer(style: .plain).render(ReviewedPlan.of("a\u{202E}b\u{1B}[2J"))
        #expect(text.contains(#""a\u{202e}b\u{1b}[2J""#), "\(text)")
        #expect(!text.unicodeScalars.contains { $0.value == 0x202E || $0.value == 0x1B })
    }

    @Test func `the time is that of the last run's rate`() {
        var totals = RunTotals()
        totals.done = 20
        let record = RunRecord(id: RunID(rawValue: "run"), manifest: nil, tool: "0")
        var last = RunSummary(
            record: record,
            startedAt: Timestamp(milliseconds: 0),
            finishedAt: Timestamp(milliseconds: 10_000),
            interrupted: false,
            totals: totals,
            operations: 20,
            unresolved: 0
        )
        let plan = Plan(operations: Array(repeating: Self.update, count: 150))
        let capabilities = MarketProfile.v2b.capabilities
        #expect(PlanEffort(plan, capabilities, lastRun: last).duration == .seconds(75))
        last.finishedAt = nil
        #expect(PlanEffort(plan, capabilities, lastRun: last).duration == nil)
        last.finishedAt = Timestamp(milliseconds: 10_000)
        last.totals.done = 9
        #expect(PlanEffort(plan, capabilities, lastRun: last).duration == nil)
    }
}
