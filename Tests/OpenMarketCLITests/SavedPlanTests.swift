import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// `plan -o` and `apply PLAN.json`.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct SavedPlanTests {
    @Test(arguments: TestScope.sweptProfiles)
    func `a saved plan is carried out without being asked for`(api: String) async throws {
        try await CommandSandbox.open(api) { shop in
            let planned = try await shop.openmarket("plan", "-o", "plan.json")
            #expect(planned.status == 0)
            let saved = "Saved to plan.json; carry it out with: openmarket apply plan.json\nContent: sha256:"
            try #require(planned.errorText.hasPrefix(saved))
            let digest = String(planned.errorText.dropFirst(saved.count).prefix(64))
            let shown = try await shop.openmarket("show", "plan.json")
            #expect(shown.stdout == planned.stdout)
            #expect(shown.errorText == "Content: sha256:\(digest)\n")
            let other = String(digest.reversed())
            for plan in [["plan.json"], ["--yes"], ["--dry-run"], ["plan.json", "--dry-run"]] {
                let refused = try await shop.program(["apply", "--expect-plan", "sha256:\(other)"] + plan).run()
                #expect(refused.status == 6)
                #expect(
                    refused.errorText.contains("error: the plan is sha256:\(digest), and sha256:\(other) was expected")
                )
            }
            #expect(try shop.server.writes() == [])
            let applied = try await shop.openmarket("apply", "plan.json", "--expect-plan", "sha256:\(digest)")
            #expect(applied.status == 0)
            #expect(applied.text.hasSuffix("Apply complete: 3 added, 0 changed, 0 replaced, 0 deleted.\n"))
            #expect(try await shop.openmarket("plan").text == "No changes.\n")
        }
    }

    @Test func `an identifier that the market does not use is no part of what is approved`() async throws {
        try await CommandSandbox.open("v1b") { shop in
            var contents: Set<String> = []
            for identifier in [ReferenceServer.identifier, "00000000-0000-4000-8000-000000000009"] {
                let environment = ["OPENMARKET_IDENTIFIER": identifier]
                let planned = try await shop.openmarket("plan", "-o", "plan.json", environment: environment)
                #expect(planned.status == 0)
                contents.insert(planned.errorText)
            }
            #expect(contents.count == 1)
        }
    }

    @Test func `a product goes on with the history of its former key`() async throws {
        try await CommandSandbox.applied { shop in
            var manifest = ShopManifest.three
            manifest["mug"].more = "    previously: [mug]\n"
            manifest["mug"].key = "cup"
            try shop.change(to: manifest)
            try shop.server.setFaults()
            let applied = try await shop.openmarket("apply", "--yes")
            #expect(applied.text.contains("0 deleted, 1 renamed.\n"))
            #expect(try shop.server.writes() == [])
            let history = try await shop.openmarket("history", "cup").text
            let lines = history.split(separator: "\n")
            #expect(lines.count == 4)
            #expect(lines[1].hasSuffix("renamed from 'mug'") && lines[1].hasPrefix("  →   cup (1)"))
            #expect(lines[3].hasPrefix("  +   mug (1)"))
        }
    }

    @Test(arguments: TestScope.sweptProfiles)
    func `carried out twice, it makes nothing twice`(api: String) async throws {
        try await CommandSandbox.open(api) { shop in
            _ = try await shop.openmarket("plan", "-o", "plan.json")
            _ = try await shop.openmarket("apply", "plan.json")
            let writes = try shop.server.writes()
            let dry = try await shop.openmarket("apply", "plan.json", "--dry-run")
            #expect(dry.status == 6 && dry.text.isEmpty)
            let again = try await shop.openmarket("apply", "plan.json")
            #expect(again.status == 6)
            expectGolden(shop.normalized(again.stderr), "saved-plan-twice.txt")
            // Both give the same reasons.
            let reasons = again.errorText.split(separator: "\n").filter { $0.hasPrefix("stale: ") }
            #expect(reasons.count == 3)
            #expect(dry.errorText.split(separator: "\n").filter { $0.hasPrefix("stale: ") } == reasons)
            #expect(dry.errorText.contains("0 requests would be sent, none was."))
            #expect(try shop.server.writes() == writes)
            #expect(try await shop.rows().count == 3)
        }
    }

    @Test func `rule 11: a plan that is older than the kept runs is stale`() async throws {
        try await CommandSandbox.open("v2b") { shop in
            _ = try await shop.openmarket("apply", "--yes")
            var manifest = ShopManifest.three
            try shop.change(to: manifest.without("mug"))
            _ = try await shop.openmarket("plan", "-o", "plan.json")
            for price in ["9000", "9100"] {
                manifest["fan"].price = price
                try shop.change(to: manifest)
                #expect(try await shop.openmarket("apply", "--yes", "--keep-runs", "1").status == 0)
            }
            // The mug did not move: what became of it since is just not known any more.
            let writes = try shop.server.writes()
            #expect(try await shop.openmarket("apply", "plan.json").status == 6)
            #expect(try shop.server.writes() == writes)
            let history = try await shop.openmarket("history")
            #expect(history.text.ranges(of: "its operations were removed from the journal").count == 2)
            let results = try FileManager.default.contentsOfDirectory(atPath: shop.folder + "/.openmarket/runs")
            // The refused plan's own one, too.
            #expect(results.count == 2)
        }
    }

    @Test(arguments: TestScope.sweptProfiles)
    func `a product that moved is refused as stale, the others go on`(api: String) async throws {
        try await CommandSandbox.applied(api) { shop in
            var manifest = ShopManifest.three
            manifest["mug"].price = "13000"
            manifest["fan"].price = "9000"
            try shop.change(to: manifest)
            _ = try await shop.openmarket("plan", "-o", "plan.json")

            try await shop.changeElsewhere("  - {key: theirs, id: 1, name: Blue mug, price: 12500}\n")
            try shop.server.setFaults()

            let applied = try await shop.openmarket("apply", "plan.json")
            #expect(applied.status == 6)
            expectGolden(shop.normalized(applied.stderr), "saved-plan-moved.txt")
            #expect(applied.text.hasSuffix("Apply ended: 0 added, 1 changed, 0 replaced, 0 deleted, 1 stale.\n"))
            #expect(try shop.server.writes().map(\.method) == ["PATCH"])
            let rows = try await shop.rows()
            let prices = rows.map { "\($0["key"] ?? "") \($0["price"] ?? "")" }.sorted()
            #expect(prices == ["fan 9000", "lamp 35000", "mug 12500"])
        }
    }

    @Test(arguments: ["v1b", "v2b"])
    func `no secret is in the plan, the state, the result or the log, and the files are private`(
        api: String
    ) async throws {
        try await CommandSandbox.open(api) { shop in
            _ = try await shop.sh("openmarket plan -o plan.json --write json=view.json --write text=view.txt")
            let applied = try await shop.openmarket("apply", "plan.json", "--verbose", "--result", "result.json")
            #expect(applied.status == 0)
            let exported = try await shop.openmarket("state", "export")
            var looked = [applied.stdout, applied.stderr, exported.stdout]
            let runs = try FileManager.default.contentsOfDirectory(atPath: shop.folder + "/.openmarket/runs")
            #expect(runs.count == 1)
            let state = try FileManager.default.contentsOfDirectory(atPath: shop.folder + "/.openmarket")
                .filter { $0.hasPrefix("state.db") }
            #expect(state.contains("state.db"))
            for file in ["plan.json", "view.json", "view.txt", "result.json"] + runs.map({ ".openmarket/runs/" + $0 })
                + state.map({ ".openmarket/" + $0 })
            {
                looked.append(try shop.read(file))
            }
            for bytes in looked {
                #expect(bytes.firstRange(of: Array(ReferenceServer.secret.utf8)) == nil)
                #expect(bytes.firstRange(of: Array(ReferenceServer.identifier.utf8)) == nil)
            }
            for file in ["plan.json", ".openmarket/state.db"] {
                let permissions = FileStatus.permissions(of: shop.folder + "/" + file)
                #expect(permissions == 0o600, "\(file)")
            }
        }
    }

    @Test func `a saved plan is one from standard input, too, and with the mark of an editor`() async throws {
        try await CommandSandbox.open { shop in
            _ = try await shop.openmarket("plan", "-o", "plan.json")
            let dry = try await shop.sh("openmarket apply - --dry-run <plan.json")
            #expect(dry.status == 0, "\(dry.errorText)")
            #expect(dry.errorText.hasSuffix("would be sent, none was.\n"))
            try shop.write("marked.json", [0xEF, 0xBB, 0xBF] + shop.read("plan.json"))
            #expect(try await shop.sh("openmarket show marked.json").status == 0)
            #expect(try await shop.sh("openmarket apply - <marked.json").status == 0)
            #expect(try shop.server.writes().count == 3)
            // A manifest is still one.
            #expect(try await shop.sh("openmarket apply --yes - <openmarket.yaml").text == "No changes.\n")
        }
    }

    @Test func `a run that has nothing to do says so in its result file`() async throws {
        try await CommandSandbox.open { shop in
            _ = try await shop.openmarket("apply", "--yes", "--result", "r.json")
            let first = try JSONValue.parse(shop.read("r.json"))
            #expect(first["totals"]?["done"] == .integer(3))
            _ = try await shop.openmarket("plan", "-o", "plan.json")
            for words in [["apply", "--yes"], ["apply", "plan.json"]] {
                #expect(try await shop.program(words + ["--result", "r.json"]).run().status == 0)
                let result = try JSONValue.parse(shop.read("r.json"))
                #expect(result["totals"]?["done"] == .integer(0))
                #expect(result["operations"] == .array([]))
                #expect(result["run"]?.text != first["run"]?.text)
            }
        }
    }

    @Test
    func `a plan for looking only, a damaged one and one of another version are refused`() async throws {
        try await CommandSandbox.open { shop in
            _ = try await shop.openmarket("plan", "-o", "plan.json")
            let plan = try shop.text("plan.json")
            _ = try await shop.openmarket("plan", "--write", "json=view.json")
            try shop.write("cut.json", String(plan.prefix(40)))
            let edits = [
                ("newer.json", #""format_version": 1"#, #""format_version": 99"#),
                ("other-name.json", #""manifest":"Blue mug""#, #""manifest":"Blue jug""#),
            ]
            for (file, old, new) in edits {
                let edited = plan.replacing(old, with: new, maxReplacements: 1)
                #expect(edited != plan, "\(file)")
                try shop.write(file, edited)
            }
            var said: [UInt8] = []
            for file in ["view.json", "cut.json"] + edits.map(\.0) {
                let applied = try await shop.openmarket("apply", file)
                #expect(applied.status == 4, "\(file)")
                said += applied.stderr
            }
            expectGolden(shop.normalized(said), "saved-plan-refused.txt")
            #expect(try shop.server.writes() == [])
        }
    }

    @Test(arguments: ["v1b", "v2b"])
    func `a plan made in one checkout is carried out in another of the same content`(api: String) async throws {
        try await CommandSandbox.applied(api) { shop in
            var manifest = ShopManifest.three
            manifest["mug"].price = "13000"
            manifest["fan"].images = ["images/5.png"]
            manifest.products.append(manifest["mug"])
            manifest.products[3].key = "vase"
            manifest.products[3].name = "Tall vase"
            try shop.change(to: manifest)
            try FileManager.default.createDirectory(atPath: shop.folder + "/out", withIntermediateDirectories: true)
            #expect(try await shop.openmarket("plan", "-o", "out/plan.json").status == 0)
            let plan = try shop.text("out/plan.json")
            #expect(!plan.contains(shop.folder))
            #expect(plan.contains(#""state":"../.openmarket/state.db""#))
            #expect(plan.contains(#""file":"../images/5.png""#))

            let checkout = CommandSandbox(folder: shop.folder + "-2", api: api, server: shop.server)
            try FileManager.default.moveItem(atPath: shop.folder, toPath: checkout.folder)
            // From elsewhere than where it was made, too.
            let program = Program(
                Openmarket.path,
                ["apply", "../out/plan.json"],
                environment: checkout.environment,
                folder: checkout.folder + "/images"
            )
            let applied = try await program.run()
            #expect(applied.status == 0, "\(applied.errorText)")
            #expect(try await checkout.openmarket("plan").text == "No changes.\n")
            #expect(!FileManager.default.fileExists(atPath: shop.folder))
        }
    }

    @Test
    func `a picture that changed since the plan is not sent`() async throws {
        try await CommandSandbox.open { shop in
            _ = try await shop.openmarket("plan", "-o", "plan.json")
            try shop.write("images/1.png", SmallPicture.png(99))
            let applied = try await shop.openmarket("apply", "plan.json")
            #expect(applied.status != 0)
            expectGolden(
                shop.normalized(Array("exit \(applied.status)\n".utf8) + applied.stderr),
                "saved-plan-picture.txt"
            )
            let rows = try await shop.rows("--details")
            let pictures = try rows.flatMap { ($0["images"] ?? "").split(separator: " ") }
                .map { try shop.server.get(String($0)) }
            #expect(!pictures.contains(SmallPicture.png(99)))
        }
    }

    @Test
    func `without the state that it was made from it is refused, and none is begun`() async throws {
        try await CommandSandbox.applied { shop in
            var manifest = ShopManifest.three
            manifest["mug"].price = "9500"
            try shop.change(to: manifest)
            _ = try await shop.openmarket("plan", "-o", "plan.json")
            try shop.server.setFaults()
            let lost = try await shop.openmarket("apply", "plan.json", "--state", "elsewhere/state.db")
            #expect(lost.status == 6)
            let words = "comes from a state with 3 products, which elsewhere/state.db lacks"
            #expect(lost.errorText.contains(words))
            #expect(!shop.exists("elsewhere"))
            #expect(try shop.server.writes() == [])
            #expect(try await shop.openmarket("apply", "plan.json").status == 0)
        }
    }

    @Test
    func `what was forgotten or renamed since then stays so`() async throws {
        try await CommandSandbox.open { shop in
            _ = try await shop.openmarket("plan", "-o", "creates.json")
            _ = try await shop.openmarket("apply", "creates.json")
            // Another name for the mug; the plan still has the old one.
            var manifest = ShopManifest.three
            manifest["mug"].more = "    previously: [mug]\n"
            manifest["mug"].key = "cup"
            try shop.change(to: manifest)
            _ = try await shop.openmarket("apply", "--yes")
            try shop.server.setFaults()
            #expect(try await shop.openmarket("apply", "creates.json").status == 6)
            #expect(try shop.server.writes() == [])
            #expect(try await shop.openmarket("state", "list").text.hasPrefix("cup   1  Blue mug\n"))

            manifest["fan"].price = "8500"
            try shop.change(to: manifest)
            _ = try await shop.openmarket("plan", "-o", "update.json")
            _ = try await shop.openmarket("state", "forget", "fan")
            #expect(try await shop.openmarket("apply", "update.json").status == 6)
            #expect(try await shop.openmarket("state", "list", "fan").text == "")
        }
    }

    /// Decisions as the page saves them, from what is in it for its script.
    private func decisions(_ page: String, rejecting key: String) throws -> String {
        let plan = try #require(page.firstMatch(of: /data-plan="([^"]*)"/)).output.1
        let articles = page.matches(
            of: /<article class="([a-z]+)"[^>]* data-operation="([^"]*)" data-product="([^"]*)">/
        )
        let decisions = articles.map { article in
            let verdict = article.output.3 == key ? #""reject","note":"after the fair""# : #""approve""#
            return
                #"{"operation":"\#(article.output.2)","key":"\#(article.output.3)","action":"\#(article.output.1)","decision":\#(verdict)}"#
        }
        let list = decisions.joined(separator: ",")
        return #"{"format_version":1,"plan":"\#(plan)","by":"mina","others":"reject","decisions":[\#(list)]}"#
    }

    @Test func `what its page rejects is left out, and history knows who decided`() async throws {
        try await CommandSandbox.open("v2b") { shop in
            let planned = try await shop.openmarket("plan", "-o", "plan.json", "--write", "html=plan.html")
            let whole = try #require(planned.errorText.split(separator: ":").last?.split(separator: "\n").first)
            try shop.write("decisions.json", try decisions(shop.text("plan.html"), rejecting: "mug"))

            let shown = try await shop.sh("openmarket show plan.json --decisions decisions.json -o approved.json")
            #expect(shown.status == 0, "\(shown.errorText)")
            let counts = "Plan: 2 to add, 0 to change, 0 to replace, 0 to delete, 0 unchanged. (1 not selected)\n"
            #expect(shown.text.hasSuffix(counts))
            let said = """
                1 of 3 rejected by mina.
                Saved to approved.json; carry it out with: openmarket apply approved.json
                Content: sha256:
                """
            try #require(shown.errorText.hasPrefix(said))
            let left = String(shown.errorText.dropFirst(said.count).prefix(64))
            #expect(shown.errorText == "\(said)\(left), decided from sha256:\(whole)\n")
            let approved = try await shop.openmarket("show", "approved.json")
            #expect(approved.stdout == shown.stdout && approved.errorText == "Content: sha256:\(left)\n")

            let apply = ["apply", "plan.json", "--decisions", "decisions.json", "--expect-plan"]
            #expect(try await shop.program(apply + ["sha256:\(whole)"]).run().status == 6)
            #expect(try shop.server.writes() == [])
            let applied = try await shop.program(apply + ["sha256:\(left)", "--result", "result.json"]).run()
            #expect(applied.status == 0, "\(applied.errorText)")
            let end = "Apply complete: 2 added, 0 changed, 0 replaced, 0 deleted. 1 of 3 rejected by mina.\n"
            #expect(applied.text.hasSuffix(end))
            let record = try JSONValue.parse(shop.read("result.json"))["decisions"]
            #expect(record?["by"]?.text == "mina" && record?["rejected"] == .integer(1))
            #expect(record?["sha256"]?.text?.count == 64)

            let history = try await shop.openmarket("history")
            let lines = history.text.split(separator: "\n")
            #expect(lines.count == 4 && lines[1] == "  1 of 3 rejected by mina")
            let json = try JSONValue.parse(try await shop.openmarket("history", "--json").stdout)
            #expect(json["runs"]?.elements?.first?["approval"]?["decisions"] == record)
            // What was rejected is asked for again.
            #expect(
                try await shop.openmarket("plan").text.hasSuffix(
                    "Plan: 1 to add, 0 to change, 0 to replace, 0 to delete, 2 unchanged.\n"
                )
            )
            let undone = try await shop.openmarket("undo", "plan.json", "--decisions", "decisions.json", "--yes")
            #expect(undone.status == 0, "\(undone.errorText)")
            #expect(undone.text.contains("Edit: 0 products to add, 0 to change, 1 to remove."), "\(undone.text)")
            #expect(try await shop.openmarket("plan").text == "No changes.\n")
        }
    }

    @Test func `decisions that are wrong, of another plan or without a plan are refused`() async throws {
        try await CommandSandbox.open("v2b") { shop in
            _ = try await shop.openmarket("plan", "-o", "plan.json", "--write", "html=plan.html")
            let good = try decisions(shop.text("plan.html"), rejecting: "mug")
            try shop.write("good.json", good)
            try shop.write("bad.json", good.replacing("\"others\"", with: "\"other\""))
            try shop.write("cut.json", String(good.prefix(30)))
            let help = "  help: the page of the plan saves such a file: openmarket show PLAN --write html=FILE\n"
            for command in ["apply", "show"] {
                let bad = try await shop.openmarket(command, "plan.json", "--decisions", "bad.json")
                #expect(bad.status == 4)
                #expect(bad.errorText == "error: bad.json: others is missing; 'other' looks like it\n\(help)")
                let cut = try await shop.openmarket(command, "plan.json", "--decisions", "cut.json")
                #expect(cut.status == 4 && cut.errorText.hasPrefix("error: cut.json: not JSON: "))
                #expect(try await shop.openmarket(command, "plan.json", "--decisions", "none.json").status == 4)
            }
            _ = try await shop.openmarket("plan", "--exclude", "fan", "-o", "other.json")
            for command in ["apply", "show"] {
                let other = try await shop.openmarket(command, "other.json", "--decisions", "good.json")
                #expect(other.status == 6)
                #expect(other.errorText.hasPrefix("error: the decisions are about the plan sha256:"))
            }
            let manifest = try await shop.openmarket("apply", "--yes", "--decisions", "good.json")
            #expect(manifest.status == 64)
            #expect(manifest.errorText.contains("--decisions needs a saved plan"))
            #expect(try shop.server.writes() == [])
        }
    }

    @Test func `products are chosen from a saved plan by the command line, and not by variables`() async throws {
        try await CommandSandbox.open("v2b") { shop in
            _ = try await shop.openmarket("plan", "-o", "plan.json")
            let unknown = try await shop.openmarket("apply", "plan.json", "--exclude", "mgu")
            #expect(unknown.status == 64)
            #expect(
                unknown.errorText == """
                    error: no operation of the plan has a key like 'mgu'
                      help: `openmarket show` lists its operations

                    """
            )
            let none = try await shop.openmarket("apply", "plan.json", "--target", "no*")
            #expect(none.status == 0 && none.text == "No changes. (3 not selected)\n")
            #expect(none.errorText.contains("warning: no operation of the plan has a key like 'no*'\n"))
            #expect(try shop.server.writes() == [])
            let all = try await shop.openmarket("show", "plan.json")
            let variable = try await shop.openmarket("show", "plan.json", environment: ["OPENMARKET_EXCLUDE": "mgu"])
            #expect(variable.stdout == all.stdout && variable.stderr == all.stderr)
            try shop.write("keys.txt", "lamp\nunchanged\n")
            let applied = try await shop.sh(
                "openmarket apply plan.json --target 'm*' --target-file keys.txt --exclude mug"
            )
            #expect(applied.status == 0, "\(applied.errorText)")
            #expect(applied.text.hasSuffix("Apply complete: 1 added, 0 changed, 0 replaced, 0 deleted.\n"))
            #expect(try await shop.openmarket("state", "list").text.hasPrefix("lamp  "))
        }
    }

    @Test(arguments: [["--adopt"], ["--max-delete", "0"], ["--url", "http://127.0.0.1:9"], ["--verify"]])
    func `64 for a flag that would have planned otherwise`(flag: [String]) async throws {
        try await CommandSandbox.open { shop in
            _ = try await shop.openmarket("plan", "-o", "plan.json")
            let refused = try await shop.program(["apply", "plan.json"] + flag).run()
            #expect(refused.status == 64)
            #expect(refused.errorText.contains("it does not go with \(flag[0])\n"))
            #expect(try shop.server.writes() == [])
        }
    }
}
