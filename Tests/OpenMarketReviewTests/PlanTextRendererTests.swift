import OpenMarket
import OpenMarketReview
import Testing

struct PlanTextRendererTests {
    private static let update = PlannedOperation(
        key: "lamp",
        reason: "changed in the manifest",
        source: SourceLocation(file: "shop.yaml", position: SourcePosition(line: 3, column: 1)),
        work: .update(
            PlannedOperation.Update(
                id: ProductID(7),
                changes: [
                    FieldChange(
                        field: .description,
                        kind: .change,
                        base: nil,
                        live: .text(Self.text("warm")),
                        manifest: .text(Self.text("cold"))
                    ),
                    FieldChange(field: .price, kind: .change, base: nil, live: .number(80), manifest: .number(100)),
                    FieldChange(
                        field: .salePrice,
                        kind: .drift,
                        base: nil,
                        live: .sale(.fullPrice),
                        manifest: .sale(.price(40))
                    ),
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
        let capabilities = MarketProfile.v2b.capabilities
        #expect(
            PlanTextRenderer(style: .plain).render(ReviewedPlan(plan, capabilities)) == """
                  ~   lamp (7) "Brass lamp"  # changed in the manifest, shop.yaml:3:1
                      description  … cable, which gives [-warm-]{+cold+} light to a whole desk.
                      price        80 → 100 (+25%)
                      sale_price   no sale → 40 (-50%)  (drift: changed on the market)

                Impact:
                  listings   1 changes
                  prices     1 moves, -50% (Brass lamp)
                  requests   1

                Plan: 0 to add, 1 to change, 0 to replace, 0 to destroy, 3 unchanged. (2 not selected)

                """
        )
        plan.operations = []
        #expect(
            PlanTextRenderer(style: .plain).render(ReviewedPlan(plan, capabilities))
                == "No changes. (2 not selected)\n"
        )
    }

    @Test func `an update in a line`() {
        let reviewed = ReviewedPlan(Plan(operations: [Self.update]), MarketProfile.v2b.capabilities)
        #expect(
            PlanTextRenderer(style: .plain, detail: .lines).render(reviewed).split(separator: "\n").first
                == """
                  ~   lamp (7) "Brass lamp": description, price 80 → 100 (+25%), \
                sale_price no sale → 40 (-50%) (drift)
                """
        )
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
            unsettled: 0
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
