@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// What is changed on the market by hand does not spoil what the next apply sends.
@Suite(.timeLimit(.minutes(5)))
struct HandEditTests {
    /// A v2b market with one applied product at 10 000, and its manifest's lines but for the price.
    private static func open(
        _ lines: String = "",
        _ body: (ReliabilitySandbox, MarketView) async throws -> Void
    ) async throws {
        try await ReliabilitySandbox.open("v2b", .plain(1)) { sandbox in
            try sandbox.want(price: 10_000, lines)
            try await sandbox.applyUntilDone()
            try await body(sandbox, MarketView(sandbox.server, "v2b"))
        }
    }

    @Test func `a price below the market's own discount is refused`() async throws {
        try await Self.open { sandbox, view in
            try sandbox.patch(#""discounted_price":3000"#)
            let before = try view.raw(1)
            try sandbox.want(price: 2_000)
            let output = try await sandbox.openmarket("apply", "--yes")
            #expect(output.status == 4, "\(output.errorText)")
            #expect(output.errorText.contains("'lamp' would have the sale price 7000, above its price of 2000"))
            #expect(try view.raw(1) == before)
        }
    }

    @Test func `a price that is put back leaves what buyers pay, where the sale is not managed`() async throws {
        try await Self.open { sandbox, view in
            var view = view
            // Buyers pay 9 000; a reduction that stayed as it is would make that -1 000.
            try sandbox.patch(#""price":20000,"discounted_price":11000"#)
            try await sandbox.applyUntilDone()
            let shown = try view.shown(1)
            #expect(shown?.price == 10_000)
            #expect(shown?.finalPrice == 9_000)
            let plan = try await sandbox.openmarket("plan", "--refresh", "full", "--detailed-exitcode")
            #expect(plan.status == 0, "\(plan.text)")
        }
    }

    @Test func `a price that is null on the market is drift, and put back`() async throws {
        try await Self.open { sandbox, view in
            var view = view
            try sandbox.patch(#""price":"""#)
            for mode in ["changed", "full"] {
                let plan = try await sandbox.openmarket("plan", "--refresh", mode, "--detailed-exitcode")
                #expect(plan.status == 2, "\(plan.text)")
                #expect(plan.text.contains("~   lamp (1)"), "\(plan.text)")
                #expect(plan.text.contains("price        – → 10000  (drift: changed on the market)"), "\(plan.text)")
            }
            try await sandbox.applyUntilDone(["--verify"])
            #expect(try view.shown(1)?.price == 10_000)
        }
    }

    @Test func `a price that changes beside a sale that is ignored is done, and the sale stays`() async throws {
        try await Self.open("    ignore_changes: [sale_price]\n") { sandbox, view in
            var view = view
            try sandbox.patch(#""discounted_price":3000"#)
            try sandbox.want(price: 12_000, "    ignore_changes: [sale_price]\n")
            let output = try await sandbox.openmarket("apply", "--yes")
            #expect(output.status == 0, "\(output.text)\(output.errorText)")
            let shown = try view.shown(1)
            #expect(shown?.price == 12_000)
            #expect(shown?.finalPrice == 7_000)
        }
    }
}

extension ReliabilitySandbox {
    /// Wants one product at a price.
    fileprivate func want(price: Int, _ lines: String = "") throws {
        let manifest = """
            market: {identifier: !env OPENMARKET_IDENTIFIER, secret: !env OPENMARKET_SECRET}
            products:
              - key: lamp
                name: Lamp
                description: Warm light for the desk.
                currency: KRW
                stock: 3
                images: [images/1.png]
                price: \(price)

            """
        try write("openmarket.yaml", Array((manifest + lines).utf8))
    }

    /// Changes fields of product 1 as its seller does in a browser.
    fileprivate func patch(_ fields: String) throws {
        let reply = try HTTPExchange.send(
            "PATCH",
            server.url + "/api/products/1",
            headers: ["Content-Type: application/json", "identifier: \(ReferenceServer.identifier)"],
            body: Array("{\(fields),\"secret\":\"\(ReferenceServer.secret)\"}".utf8)
        )
        #expect(reply.status == 200)
    }
}
