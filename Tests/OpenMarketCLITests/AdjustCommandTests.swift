@testable import OpenMarketTestSupport
import Testing

/// One catalog on another market, with the real program.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct AdjustCommandTests {
    private static let adjust = """
        adjust:
          - id: none
          - {prices: x1.1, ending: 900, where: currency=KRW}
          - {leave_out: true, where: key=lamp}

        """

    @Test func `a market gets adjusted prices, no ids, and not the products that are left out`() async throws {
        try await CommandSandbox.open { shop in
            var catalog = ShopManifest.three
            for (index, product) in catalog.products.enumerated() {
                catalog[product.key].more = "    id: \(901 + index)\n"
            }
            try shop.change(to: catalog)
            try shop.write("staging.yaml", Self.adjust)
            let applied = try await shop.openmarket("apply", "--yes", "openmarket.yaml", "staging.yaml")
            #expect(applied.status == 0, "\(applied.errorText)")
            let exported = try await shop.openmarket("export", "--format", "csv")
            let rows = try StrictCSV(exported.stdout).rows.map { [$0["name"], $0["price"]] }
            #expect(Set(rows) == [["Blue mug", "12900"], ["Round fan", "8900"]])
            let again = try await shop.openmarket("plan", "openmarket.yaml", "staging.yaml")
            #expect(again.text == "No changes.\n")
            let drift = try await shop.openmarket("pull", "--drift", "openmarket.yaml", "staging.yaml")
            #expect(drift.text == "No drift.\n")
            #expect(drift.status == 0, "\(drift.errorText)")
            let stays = try shop.text("openmarket.yaml")
            let pulled = try await shop.openmarket("pull", "--yes", "openmarket.yaml", "staging.yaml")
            #expect(pulled.status == 0 && pulled.text == "No edits.\n", "\(pulled.text)\(pulled.errorText)")
            #expect(try shop.text("openmarket.yaml") == stays)
            #expect(try shop.text("openmarket.yaml").contains("price: 12000"))

            try shop.write("staging.yaml", Self.adjust.replacing("key=lamp", with: "key=fan"))
            let moved = try await shop.openmarket("plan", "openmarket.yaml", "staging.yaml")
            #expect(moved.text.contains("# left out by 'adjust', staging.yaml:4:5"))

            try shop.write("staging.yaml", Self.adjust.replacing("ending: 900", with: "ending: 950"))
            let changed = try await shop.openmarket("plan", "-o", "plan.json", "openmarket.yaml", "staging.yaml")
            let line = #/price +12900 → 12950.*  adjusted by staging.yaml:3:14\n/#
            #expect(changed.text.contains(line), "\(changed.text)\(changed.errorText)")
            let shown = try await shop.openmarket("show", "plan.json")
            #expect(shown.text.contains(line), "\(shown.text)\(shown.errorText)")

            try shop.write("staging.yaml", Self.adjust.replacing("key=lamp", with: "key=fan"))
            try shop.change(to: .three)
            let created = try await shop.openmarket("plan", "openmarket.yaml", "staging.yaml")
            #expect(created.text.contains(#/price +\d+900  adjusted by staging.yaml:3:14\n/#), "\(created.text)")
        }
    }
}
