@testable import OpenMarketTestSupport
import Testing

/// Bad input by hand: one clear message each, its exit code, and nothing sent.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct BadInputTests {
    /// A manifest with a fault, and the golden file with what is said of it.
    struct Fault: Sendable, CustomTestStringConvertible {
        var name: String
        var manifest: String

        var testDescription: String { name }
    }

    static let market = "market:\n  identifier: !env OPENMARKET_IDENTIFIER\n  secret: !env OPENMARKET_SECRET\n"

    /// A manifest of one product, with lines of its own at the end.
    static func product(_ lines: String) -> String {
        market + """
            products:
              - key: mug
                name: Blue mug
                description: A blue mug, 300 ml.
                currency: KRW
                stock: 5
                images: [images/1.png]
            \(lines)

            """
    }

    static let faults: [Fault] = [
        Fault(
            name: "env-unset",
            manifest: product("    price: 12000").replacing(
                "!env OPENMARKET_SECRET",
                with: "!env OPENMARKET_SECRET_UNSET"
            )
        ),
        Fault(name: "not-utf8", manifest: ""),
        Fault(
            name: "everything-at-once",
            manifest: product("    price: -1\n    sale_price: 5\n    nmae: Mug\n    thumbnail: images/9.png")
                .replacing("stock: 5", with: "stock: some")
        ),
    ]

    @Test(arguments: faults)
    func `a faulty manifest is exit 4 with its fault, and nothing is sent`(fault: Fault) async throws {
        try await CommandSandbox.open { shop in
            // A market that would log a request.
            var manifest = Array(fault.manifest.utf8)
            if fault.name == "not-utf8" {
                manifest = Array(Self.product("    price: 12000").utf8) + [0xFF, 0xFE, 0x0A]
            }
            try shop.write("openmarket.yaml", manifest)

            let applied = try await shop.openmarket("apply", "--yes")
            #expect(applied.status == 4)
            #expect(applied.text == "")
            expectGolden(shop.normalized(applied.stderr), "bad-\(fault.name).txt")
            #expect(try shop.server.writes() == [])
            #expect(!shop.exists(".openmarket"))

            // Offline the same, as the result of the command; only secrets are not needed for that.
            guard fault.name != "env-unset" else { return }
            let validated = try await shop.openmarket("validate")
            #expect(validated.status == 4)
            #expect(validated.errorText == "")
            #expect(validated.text.hasPrefix(applied.errorText.prefix { $0 != "\n" }))
        }
    }

    @Test
    func `a manifest that is not there`() async throws {
        try await CommandSandbox.open { shop in
            let applied = try await shop.openmarket("apply", "--yes", "-f", "nowhere.yaml")
            #expect(applied.status == 4)
            expectGolden(shop.normalized(applied.stderr), "bad-no-manifest.txt")
        }
    }

    @Test(arguments: ["plan", "apply --yes", "export", "ping"])
    func `a market that is down`(command: String) async throws {
        try await CommandSandbox.open { shop in
            let port = try RefusingPort()
            let output = try await shop.sh("openmarket \(command)", environment: ["OPENMARKET_URL": port.url])
            #expect(output.status == 9)
            #expect(output.text == "")
            #expect(output.errorText == "error: the market at \(port.url) cannot be reached: connection refused\n")
        }
    }

    @Test(arguments: ["v2a", "v2b"])
    func `a wrong secret is exit 8, because every write was refused`(api: String) async throws {
        try await CommandSandbox.open(api, .plain(3)) { shop in
            let wrong = ["OPENMARKET_SECRET": "not-the-secret-at-all"]
            let output = try await shop.sh("openmarket apply --yes", environment: wrong)
            #expect(output.status == 8)
            expectGolden(shop.normalized(output.stderr), "wrong-secret.txt")
            #expect(try shop.server.writes().map(\.status) == [400, 400, 400])
            #expect(!output.errorText.contains("not-the-secret-at-all"))

            // Nothing was lost either: with the right one it goes on.
            #expect(try await shop.openmarket("apply", "--yes").status == 0)
            #expect(try await shop.rows().count == 3)
        }
    }

    @Test func `a wrong password of the only item is exit 8`() async throws {
        try await CommandSandbox.applied("v1b", .plain(1)) { shop in
            var manifest = ShopManifest.plain(1)
            manifest["thing-1"].price = "1100"
            try shop.change(to: manifest)
            let wrong = ["OPENMARKET_SECRET": "not-the-password"]
            let output = try await shop.sh("openmarket apply --yes", environment: wrong)
            expectGolden(
                shop.normalized(Array("exit \(output.status)\n".utf8) + output.stderr),
                "wrong-password.txt"
            )
            #expect(try await shop.openmarket("apply", "--yes").status == 0)
            #expect(try await shop.rows().map { $0["price"] } == ["1100"])
        }
    }

    @Test(arguments: TestScope.sweptProfiles)
    func `a market that answers HTML`(api: String) async throws {
        try await CommandSandbox.open(api, faults: "rules:\n  - method: GET\n    fault: {page: before}\n") { shop in
            let planned = try await shop.openmarket("plan")
            #expect(planned.status == 1)
            #expect(planned.text == "")
            expectGolden(shop.normalized(planned.stderr), "html-\(api).txt")
            let applied = try await shop.openmarket("apply", "--yes")
            #expect(applied.status == 1)
            #expect(applied.stderr == planned.stderr)
            let exported = try await shop.openmarket("export", "-o", "catalog.csv")
            #expect(exported.status == 1)
            #expect(!shop.exists("catalog.csv"))
        }
    }

    @Test
    func `no credentials at all`() async throws {
        var manifest = ShopManifest.plain(1)
        manifest.market = "  api: v2b"
        try await CommandSandbox.open("v2b", manifest) { shop in
            let output = try await shop.sh(
                "unset OPENMARKET_IDENTIFIER OPENMARKET_SECRET; openmarket apply --yes"
            )
            #expect(output.status == 4)
            expectGolden(shop.normalized(output.stderr), "no-credentials.txt")
            #expect(try shop.server.writes() == [])
        }
    }

    @Test
    func `no market at all`() async throws {
        try await CommandSandbox.open { shop in
            let output = try await shop.sh("unset OPENMARKET_URL; openmarket plan")
            #expect(output.status == 4)
            expectGolden(shop.normalized(output.stderr), "no-market.txt")
        }
    }
}
