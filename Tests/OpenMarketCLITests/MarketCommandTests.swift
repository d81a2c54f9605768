import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing

/// The commands for descriptions of markets: what they print, and how they end.
@Suite(.timeLimit(.minutes(1)))
struct MarketCommandTests {
    private static let examples = ExamplesTests.root + "/examples/markets"

    private static func openmarket(_ line: String, folder: String = examples) async throws -> Program.Output {
        try await Program.openmarket(line, in: folder).run()
    }

    @Test(arguments: BuiltInMarket.allCases)
    func `show prints a built-in description byte by byte`(market: BuiltInMarket) async throws {
        let shown = try await Self.openmarket("market show \(market.rawValue)")
        #expect(shown.status == 0)
        #expect(shown.stdout == market.document)
    }

    @Test func `list names every built-in market, and what it is`() async throws {
        let listed = try await Self.openmarket("market list")
        #expect(listed.status == 0)
        #expect(
            String(decoding: listed.stdout, as: UTF8.self) == """
                v1a  Open Market, January and February 2021. Built in.
                v1b  Open Market, May to October 2021. Built in.
                v2a  Open Market, January to September 2022. Built in.
                v2b  Open Market, October 2022 to May 2023. Built in.

                """
        )
        let document = try JSONValue.parse(try await Self.openmarket("market list --json").stdout)
        let markets = try #require(document["markets"]?.elements)
        #expect(markets.map { $0["name"]?.text } == BuiltInMarket.allCases.map(\.rawValue))
        #expect(markets.map { $0["sha256"]?.text } == MarketProfile.builtIns.map(\.digest.hexadecimal))
    }

    @Test func `show takes the short names, a path, and says where a file is not there`() async throws {
        #expect(try await Self.openmarket("market show V2").stdout == BuiltInMarket.v2b.document)
        let file = try Data(contentsOf: URL(fileURLWithPath: Self.examples + "/pretix.market.yaml"))
        #expect(try await Self.openmarket("market show pretix.market.yaml").stdout == [UInt8](file))
        let missing = try await Self.openmarket("market show pretix.market.yml")
        #expect(missing.status == 4)
        #expect(missing.errorText.hasPrefix("error: pretix.market.yml does not exist\n"), "\(missing.errorText)")
        for (name, help) in [
            ("v3a", "did you mean 'v1a'?"), ("shop", "the built-in markets are v1a, v1b, v2a and v2b"),
        ] {
            let unknown = try await Self.openmarket("market show \(name)")
            #expect(unknown.errorText == "error: \(name) does not exist\n  help: \(help)\n")
        }
        let document = try JSONValue.parse(try await Self.openmarket("market show v1a --json").stdout)
        #expect(document["name"]?.text == "v1a")
        #expect(document["description"]?.text.map { [UInt8]($0.utf8) } == BuiltInMarket.v1a.document)
    }

    @Test func `the schema of descriptions is the language's`() async throws {
        let schema = try await Self.openmarket("schema --market")
        #expect(schema.status == 0)
        #expect(schema.stdout == MarketLanguage.jsonSchema.bytes(pretty: true) + Array("\n".utf8))
    }

    @Test(arguments: ["pretix", "json-files"])
    func `check says what follows from a description`(name: String) async throws {
        let checked = try await Self.openmarket("market check \(name).market.yaml")
        #expect(checked.status == 0)
        #expect(checked.errorText == "")
        expectGolden(checked.stdout, "market-check-\(name).txt")
        let document = try await Self.openmarket("market check \(name).market.yaml --json")
        #expect(document.status == 0)
        if name == "pretix" { return expectGolden(document.stdout, "market-check-pretix.json") }
        let capabilities = try JSONValue.parse(document.stdout)["description"]?["capabilities"]?.elements
        let details = capabilities?.first { $0["name"]?.text == "details" }
        #expect(details?["possible"] == .bool(false))
        #expect(details?["reasons"]?.elements == [.string("'operations.detail' is not described")])
    }

    @Test func `probe reads a market, compares it with its description, and writes nothing`() async throws {
        try await CommandSandbox.applied("v2b", .three) { shop in
            let files = try FileManager.default.subpathsOfDirectory(atPath: shop.folder).sorted()
            let probed = try await shop.openmarket("market", "probe", "--json")
            #expect(probed.status == 0, "\(probed.errorText)")
            let found = try JSONValue.parse(probed.stdout)
            #expect(found["products"]?.integer == 3)
            #expect(found["proof"]?.text == "ranks")
            #expect(found["row_faults"]?.integer == 0)
            let rows = try #require(found["rows"]?.integer)
            let name = try #require(found["fields"]?.elements?.first { $0["name"]?.text == "name" })
            #expect(name["seen"]?.integer == rows && name["filled"]?.integer == rows)
            #expect(name["kinds"] == .array([.string("text")]))
            #expect(name["values"]?.elements?.count == 3)
            let text = try await shop.openmarket("market", "probe", shop.server.url)
            #expect(text.text.hasPrefix("✓ complete  3 products, by the proof 'ranks'\n"), "\(text.text)")
            #expect(try shop.server.writes() == [])
            #expect(try FileManager.default.subpathsOfDirectory(atPath: shop.folder).sorted() == files)
            // A market that is not there, and one that does not answer to the description.
            #expect(try await shop.openmarket("market", "probe", "http://127.0.0.1:9", "--timeout", "1s").status == 9)
            let other = try await shop.openmarket("market", "probe", "--api", "v1b")
            #expect(other.status != 0)
            #expect(other.text.hasPrefix("✗ "), "\(other.text)")
        }
    }

    // MARK: Recorded conversations

    private static let conversations = ExamplesTests.root + "/Tests/OpenMarketCLITests/Conversations"

    @Test(
        arguments: [
            ("pretix", ["organizer=bazaar", "event=autumn", "language=en", "currency=KRW"]),
            (
                "oscar",
                ["partner=http://127.0.0.1:1/api/admin/partners/1/", "currency=KRW", "product_class=thing"]
            ),
        ]
    )
    func `a recorded market is read as it was`(name: String, parameters: [String]) async throws {
        let arguments =
            ["market", "check", "\(name).market.yaml", "--replay", "\(Self.conversations)/\(name).jsonl"]
            + parameters.flatMap { ["--market-parameter", $0] }
        let read = try await Program(Openmarket.path, arguments, folder: Self.examples).run()
        #expect(read.status == 0, "\(read.text)\(read.errorText)")
        if name == "pretix" { expectGolden(read.stdout, "market-replay-pretix.txt") }
        let document = try await Program(Openmarket.path, arguments + ["--json"], folder: Self.examples).run()
        let found = try JSONValue.parse(document.stdout)
        #expect(found["products"]?.integer == 12)
        let stocks = found["catalog"]?.elements?.map { $0["stock"]?.integer }
        // Rows of pretix show none; those of oscar show that of each partner.
        #expect(stocks == (1...12 as ClosedRange<Int64>).reversed().map { name == "oscar" ? $0 : nil })
        #expect(found["proof"]?.text == "ranks")
    }

    @Test func `a recording that lacks a page is not taken for the whole list`() async throws {
        let folder = try TemporaryDirectory()
        let lines = try String(contentsOfFile: Self.conversations + "/oscar.jsonl", encoding: .utf8)
        // The market says that it has one product more than the page shows.
        try folder.write("short.jsonl", lines.replacing(#""count": 12"#, with: #""count": 13"#))
        let read = try await Self.openmarket(
            "market check oscar.market.yaml --replay \(folder.path)/short.jsonl --market-parameter partner=x"
                + " --market-parameter currency=KRW --market-parameter product_class=thing"
        )
        #expect(read.status != 0)
        #expect(!read.text.contains("✓ complete"), "\(read.text)")
        let line = "market check oscar.market.yaml --replay x --market-parameter currency=KRW"
        let missing = try await Self.openmarket(line)
        #expect(missing.status == 64)
        #expect(missing.errorText.contains("partner"), "\(missing.errorText)")
    }

    @Test func `faults are at their lines with what was meant`() async throws {
        let folder = try TemporaryDirectory()
        let text = try String(contentsOfFile: Self.examples + "/json-files.market.yaml", encoding: .utf8)
        let spoilt = text.replacing("{by: none}", with: "{by: nome}").replacing("rows:", with: "row:")
        try folder.write("shop.market.yaml", Array(spoilt.utf8))
        let checked = try await Self.openmarket("market check shop.market.yaml", folder: folder.path)
        #expect(checked.status == 4)
        expectGolden(checked.stdout, "market-check-faults.txt")
        let document = try await Self.openmarket("market check shop.market.yaml --json", folder: folder.path)
        #expect(document.status == 4)
        let faults = try JSONValue.parse(document.stdout)["diagnostics"]?.elements ?? []
        #expect(faults.map { $0["code"]?.text } == ["description-shape", "description-shape"])
        let shown = try await Self.openmarket("market show shop.market.yaml", folder: folder.path)
        #expect(shown.status == 4 && shown.text == "")
        let input = folder.path + "/shop.market.yaml"
        let piped = try await Program.openmarket("market check -", in: folder.path, input: input).run()
        #expect(piped.text == checked.text.replacing("shop.market.yaml", with: "<stdin>"))
    }
}
