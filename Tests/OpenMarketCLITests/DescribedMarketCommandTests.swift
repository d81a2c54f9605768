import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// Commands on markets that a file describes, as far as they ask no market.
@Suite(.timeLimit(.minutes(1)))
struct DescribedMarketCommandTests {
    private static let description = """
        market: 1
        name: tickets
        parameters: {event: {as: slug}}
        identity:
          id: {at: /id, as: text}
        fields:
          name: {at: /name}
          price: {at: /price, as: number}
        list:
          path: "/{event}/items"
          page: {by: none}
          rows: ""
          complete: whole
        """

    private static let market =
        "market: {url: 'http://127.0.0.1:1', api: ./tickets.market.yaml, parameters: {event: tour}}\n"

    private static func openmarket(
        _ line: String,
        manifest: String = market,
        environment: [String: String] = [:]
    ) async throws -> Program.Output {
        let folder = try TemporaryDirectory()
        try folder.write("tickets.market.yaml", description)
        try folder.write("openmarket.yaml", manifest + "products: []\n")
        return try await Program.openmarket(line, in: folder.path, environment: environment).run()
    }

    private static func text(_ output: Program.Output) -> String {
        String(decoding: output.stdout + output.stderr, as: UTF8.self)
    }

    @Test(arguments: ["plan", "apply --yes", "pull --adopt -o shop.yaml"])
    func `what would be written to a market is refused with the reason, before it is asked`(line: String) async throws {
        let folder = try TemporaryDirectory()
        try folder.write("tickets.market.yaml", Self.description)
        try folder.write("openmarket.yaml", Self.market + "products: []\n")
        let refused = try await Program.openmarket(line, in: folder.path).run()
        #expect(refused.status == 5)
        #expect(
            refused.errorText.hasSuffix(
                """
                error: tickets is read-only: its description lacks the operations 'create', 'update' and \
                'delete'; no change was sent
                  help: `openmarket export` and `openmarket ping` read it

                """
            ),
            "\(refused.errorText)"
        )
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(names) == ["tickets.market.yaml", "openmarket.yaml"])
    }

    @Test func `every run says that a description was not probed`() async throws {
        for line in ["export --timeout 1s", "export --timeout 1s -q"] {
            let folder = try TemporaryDirectory()
            try folder.write("tickets.market.yaml", Self.description)
            try folder.write("openmarket.yaml", Self.market)
            let export = try await Program.openmarket(line, in: folder.path).run()
            #expect(export.status == 9)
            #expect(
                export.errorText.hasPrefix("tickets is described from documentation, not probed\n"),
                "\(export.errorText)"
            )
        }
    }

    @Test(arguments: [
        (
            "--details",
            "tickets describes no request for one product ('operations.detail')\n"
                + "  help: describe it; or export the list's fields, without --details\n"
        ),
        (
            "--images=pictures",
            "tickets does not describe how products show their pictures ('pictures.read')\n"
                + "  help: describe it; or export without --images\n"
        ),
    ])
    func `what no request shows is refused with the reason, before the market is asked`(option: String, words: String)
        async throws
    {
        let refused = try await Self.openmarket("export -o catalog.csv \(option)")
        #expect(refused.status == 5)
        #expect(refused.errorText.hasSuffix("error: " + words), "\(refused.errorText)")
    }

    @Test func `a list that nothing proves whole is exported with exit 10, and what follows a success does not run`()
        async throws
    {
        let folder = try TemporaryDirectory()
        let description = ListingMarket.Style.number.description
        for (proof, status, ran) in [("never", 10, "failed"), ("ranks", 0, "done")] as [(String, Int32, String)] {
            try folder.write(
                "listing.market.yaml",
                description.replacing("complete: ranks", with: "complete: \(proof)")
            )
            try await ListingMarket.run(.number) { _, market in
                func openmarket(_ arguments: [String]) async throws -> Program.Output {
                    try await Program(
                        Openmarket.path,
                        arguments + ["--url", market.url, "--api", "./listing.market.yaml"],
                        environment: ["OPENMARKET_SECRET": ReferenceServer.secret],
                        folder: folder.path
                    ).run()
                }
                let export = try await openmarket([
                    "export", "-o", "catalog.csv", "--on-success", "echo done >ran", "--on-failure", "echo failed >ran",
                ])
                #expect(export.status == status, "\(export.errorText)")
                #expect(String(decoding: try folder.read("ran"), as: UTF8.self) == ran + "\n")
                let certificate = try JSONValue.parse(folder.read("catalog.csv.certificate.json"))
                #expect(certificate["proof"]?.text == (proof == "never" ? "none" : "ranks"))
                #expect(certificate["rows"] == .integer(ListingMarket.count))
                if proof == "never" {
                    let words = "possibly incomplete: the market's description cannot prove that its list is complete"
                    #expect(export.errorText.contains(words), "\(export.errorText)")
                    let pull = try await openmarket(["pull", "--write-only", "-o", "shop.yaml"])
                    #expect(pull.status == 10 && pull.errorText.contains(words), "\(pull.errorText)")
                    let plan = try await openmarket(["plan", "-f", "shop.yaml"])
                    #expect(plan.status == 5, "\(plan.errorText)")
                }
            }
        }
    }

    @Test func `the market can be named without a manifest, by options and by variables`() async throws {
        let options = try await Self.openmarket(
            "validate --api ./tickets.market.yaml --market-parameter event=a/b",
            manifest: ""
        )
        #expect(options.status == 4)
        #expect(Self.text(options).contains("the parameter 'event' must be 1 to 128 letters"), "\(Self.text(options))")
        let variables = try await Self.openmarket(
            "validate",
            manifest: "",
            environment: ["OPENMARKET_API": "tickets.market.yaml", "OPENMARKET_MARKET_PARAMETER": "event=tour"]
        )
        #expect(variables.status == 0, "\(Self.text(variables))")
        let missing = try await Self.openmarket(
            "ping --api tickets.market.yaml --url http://127.0.0.1:1",
            manifest: ""
        )
        #expect(missing.status == 4)
        #expect(missing.errorText.contains("tickets needs the parameter 'event'"), "\(missing.errorText)")
        #expect(missing.errorText.contains("--market-parameter"))
    }

    @Test func `an address of another machine has to be encrypted`() async throws {
        let refused = try await Self.openmarket("export --url http://market.invalid")
        #expect(refused.status == 5)
        #expect(refused.errorText.contains("--insecure-http"), "\(refused.errorText)")
        let accepted = try await Self.openmarket("export --url http://market.invalid --insecure-http")
        #expect(accepted.status == 9, "\(accepted.errorText)")
    }

    @Test func `what is not a market is refused as usage`() async throws {
        let refused = try await Self.openmarket("validate --api v3")
        #expect(refused.status == 64)
        #expect(refused.errorText.contains("or the path of a description"), "\(refused.errorText)")
        let twice = try await Self.openmarket("validate --market-parameter a=1 --market-parameter a=2")
        #expect(twice.status == 64)
        #expect(twice.errorText.contains("more than once"), "\(twice.errorText)")
    }
}
