import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// A first manifest, written, checked, applied.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct InitCommandTests {
    /// A shop whose folder has nothing yet.
    private func open(_ api: String = "v2b", _ body: (CommandSandbox) async throws -> Void) async throws {
        try await CommandSandbox.open(api) { shop in
            try FileManager.default.removeItem(atPath: shop.folder)
            try FileManager.default.createDirectory(atPath: shop.folder, withIntermediateDirectories: true)
            try await body(shop)
        }
    }

    private func files(_ shop: CommandSandbox) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: shop.folder).sorted()
    }

    @Test(arguments: TestScope.sweptProfiles)
    func `the manifest is valid as it is written, and goes to the market`(api: String) async throws {
        try await open(api) { shop in
            let made = try await shop.openmarket("init")
            #expect(made.status == 0, "\(made.errorText)")
            #expect(made.text == "")
            #expect(
                made.errorText == """
                    Wrote openmarket.yaml, with one product and its picture images/desk-lamp.png.
                    Next:
                      openmarket plan    shows what would change
                      openmarket apply   asks, then does it

                    """
            )
            #expect(try files(shop) == ["images", "images/desk-lamp.png", "openmarket.yaml"])
            // What it says is alone.
            let credentials = ["OPENMARKET_URL": "", "OPENMARKET_API": ""]
            let validated = try await shop.openmarket("validate", environment: credentials)
            #expect(validated.text.hasPrefix("✓ valid  openmarket.yaml: 1 product, 1 picture"), "\(validated.text)")
            let planned = try await shop.openmarket("plan", environment: credentials)
            #expect(planned.text.contains("Plan: 1 to add, "), "\(planned.text)")
            let applied = try await shop.openmarket("apply", "--yes", environment: credentials)
            #expect(applied.status == 0, "\(applied.errorText)")
            #expect(try await shop.openmarket("plan", environment: credentials).text == "No changes.\n")
            // The market has the picture byte for byte.
            let pulled = try await shop.sh("openmarket pull --adopt -o back/openmarket.yaml --state back.db")
            #expect(pulled.status == 0, "\(pulled.errorText)")
            let picture = try #require(try files(shop).first { $0.hasPrefix("back/") && $0.hasSuffix(".png") })
            #expect(try shop.read(picture) == shop.read("images/desk-lamp.png"))
        }
    }

    @Test func `without a market named it is for the server of one's own, as the README shows it`() async throws {
        try await open { shop in
            let unset = Dictionary(uniqueKeysWithValues: shop.environment.keys.map { ($0, "") })
            let made = try await shop.openmarket("init", environment: unset)
            #expect(made.status == 0, "\(made.errorText)")
            #expect(made.errorText.contains("\n  export OPENMARKET_IDENTIFIER=… OPENMARKET_SECRET=…   the vendor's"))
            let shown = try #require(try Recipes.blocks("yaml", of: "README.md", after: "## Your first shop").first)
            #expect(try shop.text("openmarket.yaml") == shown + "\n")
            let json = try await shop.openmarket("init", "--json", "-o", "other/shop.yaml", environment: unset)
            #expect(try JSONValue.parse(json.stdout)["manifest"]?.text == "other/shop.yaml")
            #expect(json.errorText == "")
        }
    }

    @Test func `nothing that exists is written over`() async throws {
        try await open { shop in
            try shop.write("images/desk-lamp.png", SmallPicture.png(1))
            let refused = try await shop.openmarket("init")
            #expect(refused.status == 5)
            #expect(refused.errorText.hasPrefix("error: images/desk-lamp.png exists; it was not changed"))
            #expect(try files(shop) == ["images", "images/desk-lamp.png"])
            for wrong in [
                ["-o", "table.csv"], ["-o", "-"], ["--api", "v3"], ["--currency", "EURO"], ["--url", "shop"],
            ] {
                #expect(try await shop.program(["init"] + wrong).run().status == 64, "\(wrong)")
            }
        }
    }

    @Test(.enabled(if: Python.isAvailable))
    func `on a terminal it asks what is not given, until the answer can be used`() async throws {
        try await open { shop in
            let unset = ["OPENMARKET_URL": "", "OPENMARKET_API": ""]
            let typed = "shop.example\nhttps://shop.example/\nv3\nv1b\n\n"
            let made = try await shop.onTerminal(["init"], typing: typed, environment: unset)
            #expect(made.status == 0, "\(made.text)")
            let shown = made.text.replacing("\r\n", with: "\n")
            #expect(shown.contains("The market's URL [http://127.0.0.1:8080]: "))
            #expect(shown.contains("the URL must begin with http:// or https://\n"))
            #expect(shown.contains("unknown API\n"))
            #expect(shown.contains("The currency of prices [KRW]: "))
            let manifest = try shop.text("openmarket.yaml")
            #expect(manifest.contains("  url: https://shop.example\n  api: v1b\n  secret: !env OPENMARKET_SECRET\n"))

            // What is given is not asked, and no answer writes nothing.
            let given = ["init", "--url", "http://127.0.0.1:1", "--currency", "USD", "-o", "b/shop.yaml"]
            let stopped = try await shop.onTerminal(given, typing: "\u{4}", environment: unset)
            #expect(stopped.status == 1, "\(stopped.text)")
            #expect(!stopped.text.contains("URL [") && !stopped.text.contains("currency"))
            #expect(stopped.text.contains("no file was written"))
            #expect(!shop.exists("b"))
        }
    }
}
