@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// A described market is written to once its description was accepted, by every command that writes.
@Suite(.timeLimit(.minutes(2)))
struct AcceptMarketTests {
    private static let products = """
          - key: fan
            name: Fan
            price: 9
          - key: lamp
            name: Lamp
            price: 12.5
        """

    @Test(.enabled(if: Python.isAvailable))
    func `on a terminal it is asked, and only yes lets anything be sent`() async throws {
        try await BazaarDesk.open(products: Self.products) { desk in
            for answer in ["no", "y", ""] {
                let declined = try await desk.program(["apply", "--yes"], typing: answer + "\n").onTerminal().run()
                #expect(declined.status == 1, "'\(answer)'\n\(declined.text)")
                #expect(declined.text.contains("PATCH /products/{id}"), "\(declined.text)")
                #expect(declined.text.contains("sha256:\(BazaarShop.digest)"), "\(declined.text)")
                #expect(declined.text.contains("by this description? Type 'yes' to confirm: "), "\(declined.text)")
            }
            #expect(desk.shop.methods.allSatisfy { $0 == "GET" })
            #expect(try await desk.openmarket("apply", "--yes").status == 64)
            let accepted = try await desk.program(["apply", "--yes"], typing: "yes\n").onTerminal().run()
            #expect(accepted.status == 0, "\(accepted.text)")
            #expect(desk.shop.products.count == 2)
            // The answer is remembered.
            let again = try await desk.openmarket("apply", "--yes")
            #expect(again.status == 0, "\(again.errorText)")
        }
    }

    @Test func `apply of a manifest and of a saved plan ask, whatever else was said, and the answer is remembered`()
        async throws
    {
        try await BazaarDesk.open(products: Self.products) { desk in
            #expect(try await desk.openmarket("plan", "-o", "plan.json").status == 0)
            for arguments in [["apply", "--yes"], ["apply", "plan.json"], ["apply", "plan.json", "--yes"]] {
                let asked = try await desk.program(arguments).run()
                #expect(asked.status == 64, "\(arguments)\n\(asked.errorText)")
                #expect(asked.errorText.contains("PATCH /products/{id}"), "\(asked.errorText)")
                #expect(asked.errorText.contains("--accept-market sha256:\(BazaarShop.digest)"), "\(asked.errorText)")
            }
            let wrong = "sha256:" + String(repeating: "0", count: 64)
            for arguments in [["apply", "--yes"], ["apply", "plan.json"]] {
                let refused = try await desk.program(arguments + ["--accept-market", wrong]).run()
                #expect(refused.status == 5, "\(arguments)\n\(refused.errorText)")
                #expect(refused.errorText.contains("sha256:\(BazaarShop.digest)"), "\(refused.errorText)")
            }
            #expect(desk.shop.writes.isEmpty)
            let applied = try await desk.program(["apply", "plan.json"] + desk.accepting).run()
            #expect(applied.status == 0, "\(applied.errorText)")
            #expect(desk.shop.products.count == 2)
            let again = try await desk.openmarket("apply", "--yes", "--verify")
            #expect(again.status == 0, "\(again.errorText)")
            #expect(desk.shop.writes.count == 2)
            let history = try JSONValue.parse(try await desk.openmarket("history", "--json").stdout)
            #expect(history["runs"]?.elements?.first?["description_sha256"]?.text == BazaarShop.digest.hexadecimal)
        }
    }
}
