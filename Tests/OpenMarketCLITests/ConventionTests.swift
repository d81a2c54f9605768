import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// What holds for all commands: streams, colours, JSON, where settings and manifests come from.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ConventionTests {
    // MARK: - Streams and colours

    @Test
    func `stdout carries the result alone, and -q silences the rest`() async throws {
        try await CommandSandbox.open("v2b", .plain(2)) { shop in
            let planned = try await shop.openmarket("plan", "-q", "-o", "plan.json")
            #expect(planned.errorText == "")
            let applied = try await shop.openmarket("apply", "-q", "--yes")
            #expect(applied.errorText == "")
            #expect(applied.text.hasSuffix("Apply complete: 2 added, 0 changed, 0 replaced, 0 deleted.\n"))
            let loud = try await shop.openmarket("export", "-o", "a.csv")
            let quiet = try await shop.openmarket("export", "-q", "-o", "b.csv")
            let piped = try await shop.openmarket("export")
            #expect(loud.text == "" && quiet.text == "")
            #expect(loud.errorText == "Exported 2 products to a.csv\n")
            #expect(quiet.errorText == "")
            #expect(piped.errorText == "")
            #expect(try shop.read("a.csv") == piped.stdout)
            #expect(try shop.read("b.csv") == piped.stdout)
            // Errors are said even so.
            let failed = try await shop.openmarket("plan", "-q", "-f", "none.yaml")
            #expect(failed.errorText.hasPrefix("error: none.yaml does not exist\n"))
        }
    }

    @Test
    func `no colours without a terminal`() async throws {
        try await CommandSandbox.open { shop in
            let environment = ["TERM": "xterm-256color", "CLICOLOR": "1"]
            for command in [
                "validate", "plan", "apply --yes", "plan", "state list", "ping", "export", "plan -f none.yaml",
            ] {
                let output = try await shop.sh("openmarket \(command)", environment: environment)
                #expect(!(output.stdout + output.stderr).contains(0x1B), "\(command)")
            }
        }
    }

    @Test(.enabled(if: Python.isAvailable))
    func `colours on a terminal, unless they are not wanted`() async throws {
        try await CommandSandbox.open { shop in
            let plain = try await shop.openmarket("plan")
            let coloured = try await shop.onTerminal(["plan"])
            #expect(coloured.text.contains("\u{1B}[32m+"))
            let wanted = plain.text.replacing("\n", with: "\r\n")
            for (arguments, environment) in [
                (["plan", "--no-color"], [:]), (["plan"], ["NO_COLOR": "1"]), (["plan"], ["TERM": "dumb"]),
                (["plan"], ["OPENMARKET_NO_COLOR": "1"]),
            ] {
                let output = try await shop.onTerminal(arguments, environment: environment)
                #expect(!output.text.contains("\u{1B}[32m"))
                #expect(output.text.hasSuffix(wanted), "\(arguments) \(environment)")
            }
        }
    }

    @Test(.enabled(if: Python.isAvailable))
    func `on a terminal apply asks, and takes only yes for yes`() async throws {
        try await CommandSandbox.open("v2b", .plain(1)) { shop in
            for typed in ["no\n", "y\n", "\n"] {
                let refused = try await shop.onTerminal(["apply"], typing: typed)
                #expect(refused.status == 1, "\(refused.text)")
                #expect(refused.text.contains("Apply these changes? Type 'yes' to confirm: "))
                #expect(refused.text.contains("not applied"))
            }
            #expect(try shop.server.writes() == [])
            let applied = try await shop.onTerminal(["apply"], typing: "yes\n")
            #expect(applied.status == 0, "\(applied.text)")
            #expect(try shop.server.writes().count == 1)
        }
    }

    @Test
    func `a reader that goes away is not an error`() async throws {
        try await CommandSandbox.open("v2b", .plain(2)) { shop in
            try shop.fillMarket(rows: 1500)
            let all = try await shop.openmarket("export")
            #expect(all.stdout.count > 1 << 17)
            for command in ["export", "export --format jsonl", "plan --json", "validate", "plan"] {
                let output = try await shop.sh("{ openmarket \(command); echo \"exit $?\" >&2; } | head -n 1")
                #expect(output.errorText.hasSuffix("exit 0\n"), "\(command): \(output.errorText)")
                #expect(output.text.filter { $0.isNewline }.count == 1, "\(command)")
            }
        }
    }

    @Test func `apply ends with the shop's address, where the market names one and something was done`() async throws {
        try await CommandSandbox.open("v2b", .plain(1)) { shop in
            let applied = try await shop.openmarket("apply", "--yes")
            #expect(applied.errorText == "The shop's page: \(shop.server.url)\n")
            #expect(try await shop.openmarket("apply", "--yes").errorText == "")
            for (price, flag) in [("5", "-q"), ("6", "--json"), ("7", "--dry-run")] {
                var manifest = ShopManifest.plain(1)
                manifest["thing-1"].price = price
                try shop.change(to: manifest)
                let other = try await shop.openmarket("apply", "--yes", flag)
                #expect(other.status == 0, "\(other.errorText)")
                #expect(!(other.text + other.errorText).contains("The shop's page"), "\(flag)")
            }
        }
    }

    // MARK: - JSON

    @Test
    func `JSON is one document per command, and NDJSON for apply and export`() async throws {
        try await CommandSandbox.open { shop in
            func json(_ arguments: String...) async throws -> JSONValue {
                let output = try await shop.program(arguments + ["--json"]).run()
                #expect(output.status == 0, "\(arguments): \(output.errorText)")
                return try JSONValue.parse(output.stdout)
            }
            let validated = try await json("validate")
            #expect(validated["valid"] == .bool(true))
            #expect(validated["products"]?.integer == 3)
            let planned = try await json("plan")
            #expect(planned["format_version"]?.integer == 1)
            #expect(planned["summary"]?["add"]?.integer == 3)
            #expect(planned["operations"]?.elements?.map { $0["action"]?.text } == ["create", "create", "create"])

            let applied = try await shop.openmarket("apply", "--yes", "--json")
            let lines = try applied.text.split(separator: "\n").map { try JSONValue.parse(Array($0.utf8)) }
            #expect(lines.first?["type"]?.text == "version")
            #expect(lines.first?["format_version"]?.integer == 1)
            let types = lines.map { $0["type"]?.text ?? "" }
            #expect(
                types == [
                    "version", "planned", "started", "finished", "started", "finished", "started", "finished",
                    "summary",
                ]
            )
            #expect(lines.last?["totals"]?["done"]?.integer == 3)

            let exported = try await shop.openmarket("export", "-o", "catalog.csv", "--json")
            let events = try exported.text.split(separator: "\n").map { try JSONValue.parse(Array($0.utf8)) }
            #expect(events.map { $0["type"]?.text } == ["version", "summary"])
            #expect(events.last?["rows"]?.integer == 3)
            try shop.fillMarket(rows: 1000)
            let longer = try await shop.openmarket("export", "-o", "catalog.csv", "--json").text.split(separator: "\n")
            #expect(
                longer.map { $0.prefix { $0 != "," } } == [
                    #"{"type":"version""#, #"{"type":"progress""#, #"{"type":"summary""#,
                ]
            )
            #expect(try await json("ping")["credentials"]?["status"]?.text == "accepted")
            #expect(try await json("state", "list")["products"]?.elements?.count == 3)
            #expect(try await json("state", "show", "lamp")["applied"]?["sale_price"]?.integer == 31500)
        }
    }

    @Test
    func `faults are data with JSON`() async throws {
        var manifest = ShopManifest.plain(1)
        manifest["thing-1"].price = "cheap"
        try await CommandSandbox.open("v2b", manifest) { shop in
            let output = try await shop.openmarket("validate", "--json")
            #expect(output.status == 4)
            let document = try JSONValue.parse(output.stdout)
            let fault = try #require(document["diagnostics"]?.elements?.first)
            #expect(document["valid"] == .bool(false))
            #expect([fault["severity"]?.text, fault["file"]?.text] == ["error", "openmarket.yaml"])
            #expect([fault["line"]?.integer, fault["column"]?.integer] == [10, 12])
            #expect(fault["path"]?.text == "products[0].price")
        }
    }

    @Test(arguments: ["csv", "tsv", "jsonl"])
    func `the export's format is the file's, or what the flag says`(format: String) async throws {
        try await CommandSandbox.applied { shop in
            let columns = ["--columns", "key,price,sale_price,name"]
            _ = try await shop.program(["export", "-o", "catalog.\(format)"] + columns).run()
            let piped = try await shop.program(["export", "--format", format] + columns).run()
            #expect(try shop.read("catalog.\(format)") == piped.stdout)
            expectGolden(piped.stdout, "export.\(format)")
        }
    }

    // MARK: - Where settings and manifests come from

    @Test
    func `a flag wins over its variable, a variable over the manifest`() async throws {
        var manifest = ShopManifest.plain(1)
        // No server listens on port 9.
        manifest.market += "\n  url: http://127.0.0.1:9\n  api: v1a"
        try await CommandSandbox.open("v2b", manifest) { shop in
            let url = shop.server.url
            let unset = try await shop.sh("unset OPENMARKET_URL; openmarket plan")
            #expect(unset.status == 9)
            #expect(try await shop.sh("openmarket plan").status == 0)
            #expect(try await shop.sh("openmarket plan --url http://127.0.0.1:9").status == 9)
            #expect(try await shop.sh("OPENMARKET_URL=http://127.0.0.1:9 openmarket plan --url \(url)").status == 0)
            // A switch; of every other option in `InvocationTests`.
            #expect(try await shop.sh("OPENMARKET_DETAILED_EXITCODE=1 openmarket plan").status == 2)
        }
    }

    @Test
    func `manifests are files, folders and standard input, and add up`() async throws {
        try await CommandSandbox.open("v2b", .plain(1)) { shop in
            var second = ShopManifest.plain(1)
            second["thing-1"].key = "second"
            let products = second.yaml.split(separator: "products:\n").last.map { "products:\n" + $0 } ?? ""
            try shop.write(
                "more/b.yml",
                products.replacing("images/", with: "../images/").replacing(
                    "    stock",
                    with: "    currency: KRW\n    stock"
                )
            )
            try shop.write(
                "more/a.yaml",
                products.replacing("second", with: "third").replacing("images/", with: "../images/").replacing(
                    "    stock",
                    with: "    currency: KRW\n    stock"
                )
            )
            try shop.write("more/notes.txt", "not a manifest")
            func keys(_ command: String) async throws -> [String] {
                let output = try await shop.sh(command + " --json --allow-outside")
                #expect(output.status == 0, "\(output.errorText)")
                return try (JSONValue.parse(output.stdout)["operations"]?.elements ?? []).compactMap { $0["key"]?.text }
            }
            #expect(try await keys("openmarket plan") == ["thing-1"])
            #expect(try await keys("openmarket plan openmarket.yaml") == ["thing-1"])
            #expect(try await keys("openmarket plan -f openmarket.yaml -f more") == ["thing-1", "third", "second"])
            #expect(try await keys("openmarket plan openmarket.yaml more/b.yml") == ["thing-1", "second"])
            #expect(
                try await keys("OPENMARKET_FILE=openmarket.yaml,more/a.yaml openmarket plan") == ["thing-1", "third"]
            )
            #expect(try await keys("openmarket plan -f - <openmarket.yaml") == ["thing-1"])
            #expect(try await keys("cat openmarket.yaml | openmarket plan -") == ["thing-1"])
        }
    }

    // MARK: - The program itself

    @Test
    func `version, help and completions`() async throws {
        let directory = try TemporaryDirectory()
        func output(_ arguments: String...) async throws -> Program.Output {
            try await Program(Openmarket.path, arguments, folder: directory.path).run()
        }
        let version = try await output("--version")
        #expect(version.status == 0)
        #expect(version.text.wholeMatch(of: /[0-9]+\.[0-9]+\.[0-9]+( \([0-9a-f]{12}\))?\n/) != nil)
        // Of every command in `InvocationTests`.
        let help = try await output("state", "copy", "--help")
        #expect(help.status == 0)
        #expect(help.text.hasPrefix("OVERVIEW: Moves a state"))
        for shell in ["bash", "zsh", "fish"] {
            let script = try await output("--generate-completion-script", shell)
            #expect(script.status == 0)
            #expect(script.text.contains("detailed-exitcode"))
            try directory.write("completion.\(shell)", script.text)
        }
        let checked = try await Program("/bin/sh", ["-c", "bash -n completion.bash"], folder: directory.path).run()
        #expect(checked.status == 0, "\(checked.errorText)")
    }

    @Test(arguments: MainJobTests.profiles)
    func `ping says which API it is, and whether the credentials work`(api: String) async throws {
        try await CommandSandbox.open(api) { shop in
            let fresh = try await shop.openmarket("ping")
            #expect(fresh.status == 0)
            _ = try await shop.openmarket("apply", "--yes")
            try shop.server.setFaults()
            let known = try await shop.openmarket("ping")
            #expect(known.status == 0)
            let said = (fresh.text + known.text).replacing(/in [0-9]+ ms/, with: "in N ms")
            expectGolden(shop.normalized(Array(said.utf8)), "ping-\(api).txt")
            // Whatever it asked, it changed nothing.
            #expect(try await shop.openmarket("plan").text == "No changes.\n")
            // Another profile than the one that is spoken is said so.
            let other = api.hasPrefix("v1") ? "v2b" : "v1b"
            let wrong = try await shop.openmarket("ping", "--api", other)
            #expect(wrong.status == 4)
            #expect(wrong.errorText.hasPrefix("error: the market's profile is v"))
            #expect(wrong.errorText.contains(", not \(other)\n"))
        }
    }

    @Test(arguments: TestScope.sweptProfiles)
    func `the demo shows every step`(api: String) async throws {
        let directory = try TemporaryDirectory()
        let demo = try await Program(Openmarket.path, ["demo", "--api", api], folder: directory.path).run()
        #expect(demo.status == 0, "\(demo.errorText)")
        #expect(demo.text.hasSuffix("No changes.\n"))
        #expect(demo.text.contains("Apply complete: "))
        #expect(demo.text.contains("\r\n"))
        #expect(!demo.text.contains(directory.path))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
    }

    @Test(arguments: ["A market of the", "$ openmarket apply --yes"])
    func `a demo that is interrupted leaves nothing, and says no more than that`(after line: String) async throws {
        let directory = try TemporaryDirectory()
        let demo = Program(Openmarket.path, ["demo"], environment: ["TMPDIR": directory.path], folder: directory.path)
        let ended = try await demo.run { process in
            try await process.line(containing: line)
            process.send(.interrupt)
        }
        #expect(ended.output.status == 130)
        #expect(ended.output.errorText.hasSuffix("error: interrupted\n"), "\(ended.output.errorText)")
        #expect(!ended.output.errorText.contains("resume"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
    }

    @Test
    func `the server says one line on stdout, and stops in good order`() async throws {
        let directory = try TemporaryDirectory()
        let program = Program.openmarket("serve --port 0 --database shop.db", in: directory.path)
        let ended = try await program.run { process in
            let line = try await process.line(containing: "listening on")
            process.send(.terminate)
            return line
        }
        #expect(ended.output.status == 0)
        #expect(ended.output.text == ended.value + "\n")
        #expect(ended.value.wholeMatch(of: /listening on http:\/\/127\.0\.0\.1:[0-9]+ \(v2b, v1b\)/) != nil)
        #expect(ended.output.errorText.contains("created a vendor, shown only now:\n  OPENMARKET_IDENTIFIER="))
    }
}
