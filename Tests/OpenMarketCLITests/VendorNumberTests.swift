import FoundationEssentials
@testable import OpenMarketTestSupport
import Testing

/// A mistyped `market.vendor_id` lists nothing a second time.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct VendorNumberTests {
    private func say(_ number: String, in shop: CommandSandbox) throws {
        var manifest = ShopManifest.three
        manifest.market += "\n  vendor_id: \(number)"
        try shop.change(to: manifest)
    }

    @Test(arguments: ["v2a", "v2b"])
    func `a wrong vendor number is refused before anything is made`(api: String) async throws {
        try await CommandSandbox.applied(api) { shop in
            let before = try await shop.names()
            let rows = try await shop.rows()
            let ours = try #require(rows.first?["vendor_id"])
            try shop.server.setFaults()

            // The state shows who we are.
            try say("30", in: shop)
            for command in ["plan", "apply --yes"] {
                let output = try await shop.sh("openmarket \(command)")
                #expect(output.status == 5, "\(output.errorText)")
                #expect(output.errorText.contains("refused: the configured vendor number is 30, and your product "))
            }
            // Nothing does.
            try FileManager.default.removeItem(atPath: shop.folder + "/.openmarket")
            for command in ["plan", "apply --yes", "apply --yes --adopt", "apply --yes --refresh none"] {
                let output = try await shop.sh("openmarket \(command)")
                #expect([5, 6].contains(output.status), "\(command): \(output.errorText)")
            }
            #expect(try shop.server.writes() == [])
            #expect(try await shop.names() == before)
            try say(ours, in: shop)
            let adopted = try await shop.openmarket("apply", "--yes")
            #expect(adopted.status == 0, "\(adopted.errorText)")
            // The market is asked for proof, and for nothing else.
            #expect(try shop.server.writes().map(\.isQuestion) == [true])
            #expect(try await shop.names() == before)
        }
    }

    @Test(arguments: ["v2a", "v2b"])
    func `a new seller with a wrong number makes one product, which is taken back`(api: String) async throws {
        try await CommandSandbox.open(api) { shop in
            try say("30", in: shop)
            let output = try await shop.openmarket("apply", "--yes")
            #expect(output.status == 5, "\(output.errorText)")
            #expect(output.errorText.contains("the market's reply to a write shows 1"))
            #expect(try await shop.names() == [])
            #expect(try shop.server.writes().count { $0.method == "POST" && $0.path == "/api/products" } == 1)
            try say("1", in: shop)
            #expect(try await shop.openmarket("apply", "--yes").status == 0)
            #expect(try await shop.names().count == 3)
        }
    }
}
