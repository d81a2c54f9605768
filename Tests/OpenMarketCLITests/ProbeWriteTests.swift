import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// `market probe --write`, by the program itself, on a small shop that a file describes.
@Suite(.timeLimit(.minutes(5)))
struct ProbeWriteTests {
    private static func withShop(_ body: (BazaarDesk) async throws -> Void) async throws {
        try await BazaarDesk.open { desk in
            desk.shop.add(code: "own-1", title: "Fan", price: "9.00")
            desk.shop.add(code: "own-2", title: "Lamp", price: "12.50")
            try await body(desk)
        }
    }

    @Test func `a hidden product is made, twice where that makes one, changed and removed again`() async throws {
        try await Self.withShop { desk in
            let before = desk.shop.products
            let run = try await desk.probe.run()
            #expect(run.status == 0, "\(run.text)\(run.errorText)")
            // As the manual shows it.
            let shown = try Recipes.blocks("console", of: "docs/markets.md", after: "### Trying to write").first ?? ""
            #expect(shown.contains("✓ written as described"))
            for line in shown.split(separator: "\n") where !line.hasPrefix("$") && line != "…" {
                #expect(run.text.contains("\(line)\n"), "\(line)\n\(run.text)")
            }
            #expect(desk.shop.products == before)
            let creates = desk.shop.writes.filter { $0.method == "POST" }
            #expect(creates.count == 2)
            #expect(creates.allSatisfy { $0.json?["public"] == .bool(false) })
            #expect(Set(creates.map(\.body)).count == 1)
            let changes = desk.shop.writes.filter { $0.method == "PATCH" }.map { $0.json?.members?.map(\.name) }
            #expect(changes.contains(["title"]) && changes.contains(["price"]) && changes.contains(["stock"]))
            #expect(desk.shop.writes.last?.method == "DELETE")
            // Nothing of it is managed, and its run is in the journal.
            let state = try await desk.openmarket("state", "list", "--json")
            #expect(try JSONValue.parse(state.stdout)["products"]?.elements == [])
            let history = try JSONValue.parse(try await desk.openmarket("history", "--json").stdout)
            let runs = history["runs"]?.elements ?? []
            #expect(runs.count == 2)
            #expect(runs.allSatisfy { $0["description_sha256"]?.text == BazaarShop.digest.hexadecimal })
        }
    }

    @Test func `nothing is sent but reads before the description was accepted`() async throws {
        try await Self.withShop { desk in
            let asked = try await desk.openmarket("market", "probe", "--write")
            #expect(asked.status == 64)
            #expect(asked.errorText.contains("sha256:\(BazaarShop.digest)"), "\(asked.errorText)")
            #expect(asked.errorText.contains("POST /products"), "\(asked.errorText)")
            #expect(asked.errorText.contains("/public: false"), "\(asked.errorText)")
            let wrong = "sha256:" + String(repeating: "0", count: 64)
            let refused = try await desk.openmarket("market", "probe", "--write", "--accept-market", wrong)
            #expect(refused.status == 5)
            #expect(refused.errorText.contains("sha256:\(BazaarShop.digest)"), "\(refused.errorText)")
            #expect(desk.shop.writes.isEmpty)
        }
    }

    @Test func `killed at any request, it leaves nothing that the next run does not remove`() async throws {
        try await Self.withShop { desk in
            let before = desk.shop.products
            desk.shop.meet(nil)
            #expect(try await desk.probe.run().status == 0)
            let methods = desk.shop.methods
            #expect(methods.count > 20)
            for (number, method) in methods.enumerated() {
                // On the way there; and on the way back, where the shop has done something by then.
                for fate in method == "GET" ? [BazaarShop.Meeting.holdBefore] : [.holdBefore, .holdAfter] {
                    let (reached, reach) = AsyncStream<Void>.makeStream()
                    desk.shop.meet { index, _ in
                        guard index == number else { return .answer }
                        reach.yield()
                        return fate
                    }
                    let killed = try await desk.probe.run { process in
                        for await _ in reached { break }
                        process.send(.kill)
                    }.output
                    #expect(killed.status == 128 + 9, "request \(number), \(fate)")
                    desk.shop.meet(nil)
                    // Whoever comes next removes it: another probe, or an apply.
                    let next =
                        number.isMultiple(of: 2)
                        ? try await desk.probe.run() : try await desk.openmarket("apply", "--yes")
                    #expect(next.status == 0, "request \(number), \(fate)\n\(next.text)\(next.errorText)")
                    #expect(desk.shop.products == before, "request \(number), \(fate)")
                }
            }
        }
    }

    @Test func `a line of the description that is wrong is named`() async throws {
        try await Self.withShop { desk in
            let before = desk.shop.products
            desk.shop.quirks.roundsPrices = true
            let output = try await desk.probe.run()
            #expect(output.status == 4, "\(output.text)\(output.errorText)")
            #expect(desk.shop.products == before)
            // With the line as it is: it is no credential.
            let text = "price: {at: /price"
            #expect(output.errorText.contains(text), "\(output.errorText)")
            let lines = BazaarShop.description.components(separatedBy: "\n")
            let place = "bazaar.market.yaml:\(1 + (lines.firstIndex { $0.contains(text) } ?? -1)):"
            let found = output.errorText.split(separator: "\n").contains {
                $0.contains(place) && $0.contains("'price' is shown as")
            }
            #expect(found, "\(place)\n\(output.text)\(output.errorText)")
        }
    }

    @Test func `what cannot be removed is named, and removed by a later apply`() async throws {
        try await Self.withShop { desk in
            let before = desk.shop.products
            desk.shop.quirks.refusesDeletes = true
            let stuck = try await desk.probe.run()
            #expect(stuck.status == 3, "\(stuck.text)\(stuck.errorText)")
            #expect(stuck.text.contains("left on the market: product 3"), "\(stuck.text)")
            #expect(desk.shop.products.count == before.count + 1)
            desk.shop.quirks.refusesDeletes = false
            let applied = try await desk.openmarket("apply", "--yes")
            #expect(applied.status == 0, "\(applied.errorText)")
            #expect(desk.shop.products == before)
        }
    }
}
