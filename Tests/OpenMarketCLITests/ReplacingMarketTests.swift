import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// A market that makes more of a write than it was sent, by the program itself: what a change does not name is lost, or a
/// text is filtered.
@Suite(.timeLimit(.minutes(5)))
struct ReplacingMarketTests {
    private static func products(price: String = "9.50", description: String = "It turns.") -> String {
        ["fan", "lamp", "pot"].map { key in
            "  - {key: \(key), name: The \(key), price: \(price), description: '\(description)', stock: 3}"
        }.joined(separator: "\n")
    }

    private static func withShop(_ body: (inout BazaarDesk) async throws -> Void) async throws {
        try await BazaarDesk.open(products: products(), body)
    }

    // MARK: Changes that replace

    @Test(arguments: BazaarShop.Replacement.allCases, [true, false])
    func `the first change that takes away what it does not name is the last one`(
        way: BazaarShop.Replacement,
        listOmitsTexts: Bool
    ) async throws {
        try await Self.withShop { desk in
            if listOmitsTexts {
                try desk.describe {
                    $0.replacing("  complete: ranks\n", with: "  complete: ranks\n  omits: [description]\n")
                }
            }
            #expect(try await desk.apply().status == 0)
            desk.shop.quirks.replaces = way
            try desk.list(Self.products(price: "8.50"))
            let changed = try await desk.apply("--result", "result.json")
            #expect(changed.status == 3, "\(changed.text)\(changed.errorText)")
            #expect(
                changed.errorText.contains("the market removed values that the update does not name:"),
                "\(changed.errorText)"
            )
            #expect(desk.shop.writes.map(\.method) == ["POST", "POST", "POST", "PATCH"])
            let result = try JSONValue.parse(
                Array(Data(contentsOf: URL(fileURLWithPath: desk.folder + "/result.json")))
            )
            #expect(result["ended_by"]?.text == "fields_lost")
            #expect(result["operations"]?.elements?.map { $0["status"]?.text } == ["failed", "skipped", "skipped"])
            // Nothing is hidden from the next plan.
            let plan = try await desk.openmarket("plan", "--refresh", "full")
            #expect(plan.text.contains("description"), "\(plan.text)\(plan.errorText)")
        }
    }

    @Test(arguments: BazaarShop.Replacement.allCases)
    func `a probe says so after its first change, and leaves nothing`(way: BazaarShop.Replacement) async throws {
        try await Self.withShop { desk in
            desk.shop.quirks.replaces = way
            let probed = try await desk.probe.run()
            #expect(probed.status == 4, "\(probed.text)\(probed.errorText)")
            #expect(probed.errorText.contains("write 'send: whole' or 'send: merged'"), "\(probed.errorText)")
            #expect(desk.shop.products.isEmpty)
            #expect(desk.shop.writes.map(\.method).count { $0 == "PATCH" } == 1)
            #expect(desk.shop.writes.map(\.method).last == "DELETE")
        }
    }

    /// The first change names nothing that holds the probe's mark.
    private static func withoutNames(_ description: String) -> String {
        description.replacing("name: {at: /title}", with: "name: {at: /title, for: [create]}")
            .replacing("description: {at: /text}", with: "description: {at: /text, for: [create]}")
    }

    @Test(arguments: [BazaarShop.Replacement.absent, .null, .empty])
    func `a probe's product without a text is recognised by its id`(way: BazaarShop.Replacement) async throws {
        try await Self.withShop { desk in
            try desk.describe(Self.withoutNames)
            desk.shop.quirks.replaces = way
            let probed = try await desk.probe.run()
            #expect(probed.status == 4, "\(probed.text)\(probed.errorText)")
            #expect(desk.shop.products.isEmpty)
        }
    }

    @Test func `a probe's product that looks like another's stays, and is named`() async throws {
        try await Self.withShop { desk in
            try desk.describe(Self.withoutNames)
            desk.shop.quirks.replaces = .standard
            let probed = try await desk.probe.run()
            #expect(probed.status == 3, "\(probed.text)\(probed.errorText)")
            #expect(
                probed.text.contains("it no longer shows the probe's values; delete it there"),
                "\(probed.text)\(probed.errorText)"
            )
            #expect(desk.shop.products.count == 1 && !desk.shop.writes.map(\.method).contains("DELETE"))
        }
    }

    // MARK: A PUT that does not say what it replaces

    @Test func `a PUT without send is read through, and not written through`() async throws {
        try await Self.withShop { desk in
            try desk.describe { $0.replacing("method: PATCH", with: "method: PUT") }
            desk.shop.add(code: "own-1", title: "Fan", price: "9.00")
            let check = try await desk.openmarket("market", "check", "bazaar.market.yaml")
            let words = "'operations.update' is a PUT, and 'send' does not set whether it replaces the product"
            #expect(check.status == 4 && check.text.contains(words), "\(check.text)\(check.errorText)")
            let json = try await desk.openmarket("market", "check", "--json", "bazaar.market.yaml")
            #expect(json.status == 4)
            #expect(try JSONValue.parse(json.stdout)["valid"] == .bool(false))

            for arguments in [["plan"], ["export", "-o", "catalog.csv"], ["plan", "-o", "saved.json"]] {
                let run = try await desk.program(arguments).run()
                #expect(run.status == 0, "\(arguments)\n\(run.errorText)")
            }
            for arguments in [[], ["saved.json"]] {
                let applied = try await desk.program(["apply", "--yes"] + arguments).run()
                #expect(applied.status == 4, "\(applied.text)\(applied.errorText)")
                #expect(applied.errorText.contains("\(words); no change was sent"), "\(applied.errorText)")
            }
            #expect(desk.shop.writes.map(\.method) == [])
        }
    }

    @Test(arguments: [nil, BazaarShop.Replacement.absent])
    func `a probe tries what send has to be`(way: BazaarShop.Replacement?) async throws {
        try await Self.withShop { desk in
            try desk.describe { $0.replacing("method: PATCH", with: "method: PUT") }
            desk.shop.quirks.replaces = way
            let probed = try await desk.probe.run()
            #expect(probed.status == 4, "\(probed.text)\(probed.errorText)")
            let words = way == nil ? "write 'send: changed'" : "write 'send: whole' or 'send: merged'"
            #expect(probed.errorText.contains(words), "\(probed.errorText)")
            #expect(desk.shop.products.isEmpty)
            // With it, nothing is wrong.
            let send = way == nil ? "changed" : "merged"
            try desk.describe { $0.replacing("method: PATCH,", with: "method: PUT, send: \(send),") }
            let again = try await desk.probe.run()
            #expect(again.status == 0, "\(again.text)\(again.errorText)")
            #expect(desk.shop.products.isEmpty)
        }
    }

    // MARK: Texts that are filtered

    @Test func `what a market takes out of a text is counted, and stays in the history`() async throws {
        try await Self.withShop { desk in
            try desk.describe {
                $0.replacing("description: {at: /text}", with: "description: {at: /text, echo: html}")
            }
            desk.shop.quirks.filtersHTML = true
            // Only written otherwise.
            try desk.list(Self.products(description: "Tom & Jerry<br>turn."))
            let alike = try await desk.apply("--verify")
            #expect(alike.status == 0 && !alike.errorText.contains("altered"), "\(alike.errorText)")

            try desk.list(Self.products(description: "A<script>b</script>"))
            let words = "description: sent “A<script>b</script>”, the market shows “A”"
            let warning = "the market altered the values sent for 3 products, such as 'fan': \(words)"
            let filtered = try await desk.apply("--verify")
            #expect(filtered.status == 0, "\(filtered.text)\(filtered.errorText)")
            #expect(filtered.errorText.components(separatedBy: warning).count == 3, "\(filtered.errorText)")
            let plan = try await desk.openmarket("plan")
            #expect(plan.text.contains("No changes.") && plan.errorText.contains(warning), "\(plan.errorText)")
            let history = try await desk.openmarket("history", "fan", "--limit", "1")
            #expect(history.text.contains(words), "\(history.text)")
            let json = try await desk.openmarket("history", "fan", "--limit", "1", "--json")
            let operation = try JSONValue.parse(json.stdout)["runs"]?.elements?.first?["operations"]?.elements?.first
            #expect(operation?["note"]?.text == words && operation?["error"] == nil)
        }
    }
}
