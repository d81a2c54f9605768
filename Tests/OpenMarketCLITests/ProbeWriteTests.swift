import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// `market probe --write`, by the program itself, on a small shop that a file describes.
@Suite(.timeLimit(.minutes(5)))
struct ProbeWriteTests {
    /// A folder with a description and a manifest, and the shop that they are about.
    private struct Sandbox {
        let folder: String
        let shop: BazaarShop

        func program(_ arguments: [String]) -> Program {
            Program(
                Openmarket.path,
                arguments,
                environment: [
                    "BAZAAR_TOKEN": BazaarShop.secret, "OPENMARKET_SETTLE_DELAY": "0s", "OPENMARKET_PARALLELISM": "1",
                ],
                folder: folder
            )
        }

        func openmarket(_ arguments: String...) async throws -> Program.Output { try await program(arguments).run() }

        /// A probe that accepts the description.
        var probe: Program {
            program(["market", "probe", "--write", "--accept-market", "sha256:\(BazaarShop.digest)"])
        }
    }

    private static func withShop(_ body: (Sandbox) async throws -> Void) async throws {
        let shop = BazaarShop()
        try await HTTPMarket.run({ shop.answer($0) }) { server in
            let folder = try TemporaryDirectory()
            try folder.write("bazaar.market.yaml", BazaarShop.description)
            try folder.write(
                "openmarket.yaml",
                """
                market:
                  url: \(server.url)
                  api: ./bazaar.market.yaml
                  parameters: {currency: EUR}
                  secret: !env BAZAAR_TOKEN
                products: []

                """
            )
            shop.add(code: "own-1", title: "Fan", price: "9.00")
            shop.add(code: "own-2", title: "Lamp", price: "12.50")
            try await body(Sandbox(folder: folder.path, shop: shop))
        }
    }

    @Test func `a hidden product is made, twice where that makes one, changed and removed again`() async throws {
        try await Self.withShop { sandbox in
            let before = sandbox.shop.products
            let run = try await sandbox.probe.run()
            #expect(run.status == 0, "\(run.text)\(run.errorText)")
            // As the manual shows it.
            let shown = try Recipes.blocks("console", of: "docs/markets.md", after: "### Trying to write").first ?? ""
            #expect(shown.contains("✓ written as described"))
            for line in shown.split(separator: "\n") where !line.hasPrefix("$") && line != "…" {
                #expect(run.text.contains("\(line)\n"), "\(line)\n\(run.text)")
            }
            #expect(sandbox.shop.products == before)
            let creates = sandbox.shop.writes.filter { $0.method == "POST" }
            #expect(creates.count == 2)
            #expect(creates.allSatisfy { $0.json?["public"] == .bool(false) })
            #expect(Set(creates.map(\.body)).count == 1)
            let changes = sandbox.shop.writes.filter { $0.method == "PATCH" }.map { $0.json?.members?.map(\.name) }
            #expect(changes.contains(["title"]) && changes.contains(["price"]) && changes.contains(["stock"]))
            #expect(sandbox.shop.writes.last?.method == "DELETE")
            // Nothing of it is managed, and its run is in the journal.
            let state = try await sandbox.openmarket("state", "list", "--json")
            #expect(try JSONValue.parse(state.stdout)["products"]?.elements == [])
            let history = try JSONValue.parse(try await sandbox.openmarket("history", "--json").stdout)
            let runs = history["runs"]?.elements ?? []
            #expect(runs.count == 2)
            #expect(runs.allSatisfy { $0["description_sha256"]?.text == BazaarShop.digest.hexadecimal })
        }
    }

    @Test func `nothing is sent but reads before the description was accepted`() async throws {
        try await Self.withShop { sandbox in
            let asked = try await sandbox.openmarket("market", "probe", "--write")
            #expect(asked.status == 64)
            #expect(asked.errorText.contains("sha256:\(BazaarShop.digest)"), "\(asked.errorText)")
            #expect(asked.errorText.contains("POST /products"), "\(asked.errorText)")
            #expect(asked.errorText.contains("/public: false"), "\(asked.errorText)")
            let wrong = "sha256:" + String(repeating: "0", count: 64)
            let refused = try await sandbox.openmarket("market", "probe", "--write", "--accept-market", wrong)
            #expect(refused.status == 5)
            #expect(refused.errorText.contains("sha256:\(BazaarShop.digest)"), "\(refused.errorText)")
            #expect(sandbox.shop.writes.isEmpty)
        }
    }

    @Test func `killed at any request, it leaves nothing that the next run does not remove`() async throws {
        try await Self.withShop { sandbox in
            let before = sandbox.shop.products
            sandbox.shop.meet(nil)
            #expect(try await sandbox.probe.run().status == 0)
            let methods = sandbox.shop.methods
            #expect(methods.count > 20)
            for (number, method) in methods.enumerated() {
                // On the way there; and on the way back, where the shop has done something by then.
                for fate in method == "GET" ? [BazaarShop.Meeting.holdBefore] : [.holdBefore, .holdAfter] {
                    let (reached, reach) = AsyncStream<Void>.makeStream()
                    sandbox.shop.meet { index, _ in
                        guard index == number else { return .answer }
                        reach.yield()
                        return fate
                    }
                    let killed = try await sandbox.probe.run { process in
                        for await _ in reached { break }
                        process.send(.kill)
                    }.output
                    #expect(killed.status == 128 + 9, "request \(number), \(fate)")
                    sandbox.shop.meet(nil)
                    // Whoever comes next removes it: another probe, or an apply.
                    let next =
                        number.isMultiple(of: 2)
                        ? try await sandbox.probe.run() : try await sandbox.openmarket("apply", "--yes")
                    #expect(next.status == 0, "request \(number), \(fate)\n\(next.text)\(next.errorText)")
                    #expect(sandbox.shop.products == before, "request \(number), \(fate)")
                }
            }
        }
    }

    @Test func `a line of the description that is wrong is named`() async throws {
        try await Self.withShop { sandbox in
            let before = sandbox.shop.products
            sandbox.shop.quirks.roundsPrices = true
            let output = try await sandbox.probe.run()
            #expect(output.status == 4, "\(output.text)\(output.errorText)")
            #expect(sandbox.shop.products == before)
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
        try await Self.withShop { sandbox in
            let before = sandbox.shop.products
            sandbox.shop.quirks.refusesDeletes = true
            let stuck = try await sandbox.probe.run()
            #expect(stuck.status == 3, "\(stuck.text)\(stuck.errorText)")
            #expect(stuck.text.contains("left on the market: product 3"), "\(stuck.text)")
            #expect(sandbox.shop.products.count == before.count + 1)
            sandbox.shop.quirks.refusesDeletes = false
            let applied = try await sandbox.openmarket("apply", "--yes")
            #expect(applied.status == 0, "\(applied.errorText)")
            #expect(sandbox.shop.products == before)
        }
    }
}
