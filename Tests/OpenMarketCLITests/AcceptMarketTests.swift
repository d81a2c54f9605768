import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// A described market is written to once its description was accepted, by every command that writes.
@Suite(.timeLimit(.minutes(2)))
struct AcceptMarketTests {
    private static let products = """
        products:
          - key: fan
            name: Fan
            price: 9
          - key: lamp
            name: Lamp
            price: 12.5

        """

    private static func withShop(
        _ body: (_ shop: BazaarShop, _ folder: String, _ run: ([String]) async throws -> Program.Output) async throws ->
            Void
    ) async throws {
        let shop = BazaarShop()
        try await HTTPMarket.run({ shop.answer($0) }) { server in
            let folder = try TemporaryDirectory()
            try folder.write("bazaar.market.yaml", BazaarShop.description)
            let market = """
                market:
                  url: \(server.url)
                  api: ./bazaar.market.yaml
                  parameters: {currency: EUR}
                  secret: !env BAZAAR_TOKEN

                """
            try folder.write("openmarket.yaml", market + products)
            let path = folder.path
            try await body(shop, path) { arguments in
                try await Program(
                    Openmarket.path,
                    arguments,
                    environment: ["BAZAAR_TOKEN": BazaarShop.secret],
                    folder: path
                ).run()
            }
        }
    }

    /// `apply --yes` on a terminal, where a person types this.
    private static func apply(typing answer: String, in folder: String) async throws -> Program.Output {
        let typed = folder + "/typed"
        try Data((answer + "\n").utf8).write(to: URL(fileURLWithPath: typed))
        return try await Program(
            Openmarket.path,
            ["apply", "--yes"],
            environment: ["BAZAAR_TOKEN": BazaarShop.secret],
            folder: folder,
            input: typed
        ).onTerminal().run()
    }

    @Test(.enabled(if: Python.isAvailable))
    func `on a terminal it is asked, and only yes lets anything be sent`() async throws {
        try await Self.withShop { shop, folder, openmarket in
            for answer in ["no", "y", ""] {
                let declined = try await Self.apply(typing: answer, in: folder)
                #expect(declined.status == 1, "'\(answer)'\n\(declined.text)")
                #expect(declined.text.contains("PATCH /products/{id}"), "\(declined.text)")
                #expect(declined.text.contains("sha256:\(BazaarShop.digest)"), "\(declined.text)")
                #expect(declined.text.contains("by this description? Type 'yes' to confirm: "), "\(declined.text)")
            }
            #expect(shop.methods.allSatisfy { $0 == "GET" })
            #expect(try await openmarket(["apply", "--yes"]).status == 64)
            let accepted = try await Self.apply(typing: "yes", in: folder)
            #expect(accepted.status == 0, "\(accepted.text)")
            #expect(shop.products.count == 2)
            // The answer is remembered.
            let again = try await openmarket(["apply", "--yes"])
            #expect(again.status == 0, "\(again.errorText)")
        }
    }

    private static let accepted = ["--accept-market", "sha256:\(BazaarShop.digest)"]

    @Test func `apply of a manifest and of a saved plan ask, whatever else was said, and the answer is remembered`()
        async throws
    {
        try await Self.withShop { shop, folder, openmarket in
            #expect(try await openmarket(["plan", "-o", "plan.json"]).status == 0)
            for arguments in [["apply", "--yes"], ["apply", "plan.json"], ["apply", "plan.json", "--yes"]] {
                let asked = try await openmarket(arguments)
                #expect(asked.status == 64, "\(arguments)\n\(asked.errorText)")
                #expect(asked.errorText.contains("PATCH /products/{id}"), "\(asked.errorText)")
                #expect(asked.errorText.contains("--accept-market sha256:\(BazaarShop.digest)"), "\(asked.errorText)")
            }
            let wrong = "sha256:" + String(repeating: "0", count: 64)
            for arguments in [["apply", "--yes"], ["apply", "plan.json"]] {
                let refused = try await openmarket(arguments + ["--accept-market", wrong])
                #expect(refused.status == 5, "\(arguments)\n\(refused.errorText)")
                #expect(refused.errorText.contains("sha256:\(BazaarShop.digest)"), "\(refused.errorText)")
            }
            #expect(shop.writes.isEmpty)
            let applied = try await openmarket(["apply", "plan.json"] + Self.accepted)
            #expect(applied.status == 0, "\(applied.errorText)")
            #expect(shop.products.count == 2)
            let again = try await openmarket(["apply", "--yes", "--verify"])
            #expect(again.status == 0, "\(again.errorText)")
            #expect(shop.writes.count == 2)
            let history = try JSONValue.parse(try await openmarket(["history", "--json"]).stdout)
            #expect(history["runs"]?.elements?.first?["description_sha256"]?.text == BazaarShop.digest.hexadecimal)
        }
    }
}
