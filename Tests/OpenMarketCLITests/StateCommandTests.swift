import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// `openmarket state …`
@Suite(.serialized, .timeLimit(.minutes(2)))
struct StateCommandTests {
    @Test
    func `list and show say what is known`() async throws {
        try await CommandSandbox.open { shop in
            let nothing = try await shop.openmarket("state", "list")
            #expect(nothing.text == "")
            _ = try await shop.openmarket("apply", "--yes")
            let listed = try await shop.openmarket("state", "list")
            #expect(listed.text == "fan   3  Round fan\nlamp  2  책상 조명, 두 팔\nmug   1  Blue mug\n")
            #expect(
                try await shop.openmarket("state", "list", "*a*").text == "fan   3  Round fan\nlamp  2  책상 조명, 두 팔\n"
            )
            let shown = try await shop.openmarket("state", "show", "lamp")
            let text = shown.text.replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}T00:00:00/, with: "TODAY")
            expectGolden(Array(text.utf8), "state-show.txt")
            let unknown = try await shop.openmarket("state", "show", "sofa")
            #expect(unknown.status == 1)
            #expect(unknown.errorText == "error: product 'sofa' is not in the state\n  help: openmarket state list\n")
        }
    }

    @Test
    func `a state that is neither a file nor a database is rejected, and its password is not printed`() async throws {
        try await CommandSandbox.open { shop in
            for command in [["plan"], ["state", "list"], ["apply", "--yes"]] {
                let location = ["--state", "mysql://lamp:hunter2@db.example/shop"]
                let run = try await shop.program(command + location).run()
                #expect(run.status == 64)
                #expect(
                    run.errorText == """
                        error: the state mysql://lamp@db.example/shop is neither a file path nor a postgresql:// address
                          help: name one with --state

                        """
                )
            }
        }
    }

    @Test func `a state is where the manifest says, and moves with all that it knows`() async throws {
        try await CommandSandbox.open { shop in
            try shop.write("openmarket.yaml", ShopManifest.three.yaml + "state: shared/shop.db\n")
            #expect(try await shop.openmarket("apply", "--yes").status == 0)
            #expect(FileManager.default.fileExists(atPath: shop.folder + "/shared/shop.db"))
            #expect(!FileManager.default.fileExists(atPath: shop.folder + "/.openmarket/state.db"))

            try FileManager.default.createSymbolicLink(
                atPath: shop.folder + "/link.db",
                withDestinationPath: "shared/shop.db"
            )
            let itself = try await shop.openmarket("state", "copy", "shared/shop.db", "link.db")
            #expect(itself.status == 64)
            #expect(
                itself.errorText == "error: <to> and <from> both name link.db\n  help: name another file\n"
            )
            let moved = try await shop.openmarket("state", "copy", "shared/shop.db", "moved.db")
            #expect(moved.status == 0, "\(moved.errorText)")
            #expect(moved.errorText.hasSuffix(": 3 products, 1 run, 0 unresolved.\n"), "\(moved.errorText)")
            for command in [["apply", "--yes"], ["plan"]] {
                let refused = try await shop.program(command).run()
                #expect(refused.status == 1)
                #expect(
                    refused.errorText == """
                        error: the state \(shop.folder)/shared/shop.db was copied to \(shop.folder)/moved.db and is no longer used
                          help: name that one with --state, or as `state:` of the manifest

                        """
                )
            }
            let listed = try await shop.openmarket("state", "list")
            #expect(listed.status == 0)
            #expect(listed.errorText.hasSuffix("moved.db; this is how it was then\n"), "\(listed.errorText)")
            #expect(try await shop.openmarket("state", "export", "-o", "s.jsonl").status == 1)
            #expect(!shop.exists("s.jsonl"))
            for command in [["state", "list"], ["history"], ["status"]] {
                let misspelt = try await shop.program(command + ["--state", "mvoed.db"]).run()
                #expect(misspelt.status == 1)
                #expect(misspelt.errorText.hasPrefix("error: the state "), "\(misspelt.errorText)")
            }
            #expect(try await shop.openmarket("plan", "--state", "moved.db").text == "No changes.\n")
            #expect(try await shop.openmarket("history", "--state", "moved.db").text.contains("3 done"))
            #expect(try await shop.openmarket("state", "init", "moved.db").status == 64)
        }
    }

    @Test
    func `a forgotten product stays on the market and is taken over again`() async throws {
        try await CommandSandbox.applied { shop in
            let forgot = try await shop.openmarket("state", "forget", "mug")
            #expect(forgot.status == 0)
            #expect(forgot.errorText == "Forgot 'mug'; product 1 stays on the market.\n")
            let applied = try await shop.openmarket("apply", "--yes")
            #expect(applied.text.hasSuffix("Apply complete: 0 added, 0 changed, 0 replaced, 0 deleted, 1 adopted.\n"))
            #expect(try shop.server.writes() == [])
            #expect(try await shop.openmarket("plan").text == "No changes.\n")
        }
    }

    @Test
    func `a moved key is the same product`() async throws {
        try await CommandSandbox.applied { shop in
            let moved = try await shop.openmarket("state", "move", "mug", "cup")
            #expect(moved.status == 0)
            var manifest = ShopManifest.three
            manifest["mug"].key = "cup"
            try shop.change(to: manifest)
            #expect(try await shop.openmarket("apply", "--yes").text == "No changes.\n")
            #expect(try shop.server.writes() == [])
            #expect(try await shop.openmarket("state", "move", "fan", "lamp").status == 1)
            // What no manifest can name, and no state could import again.
            for key in ["", " ", "a\nb", "\u{200B}", String(repeating: "k", count: 300)] {
                #expect(try await shop.openmarket("state", "move", "cup", key).status == 64)
            }
        }
    }

    @Test(arguments: TestScope.sweptProfiles)
    func `an exported state goes to another machine`(api: String) async throws {
        try await CommandSandbox.applied(api) { shop in
            let exported = try await shop.openmarket("state", "export")
            #expect(exported.status == 0)
            #expect(exported.text.split(separator: "\n").count == 4)
            try shop.write("state.jsonl", exported.stdout)
            let imported = try await shop.openmarket("state", "import", "state.jsonl", "--state", "other/state.db")
            #expect(imported.status == 0, "\(imported.errorText)")
            #expect(imported.errorText == "Imported 3 products.\n")
            let again = try await shop.openmarket("state", "export", "--state", "other/state.db")
            #expect(again.stdout == exported.stdout)
            #expect(try await shop.openmarket("plan", "--state", "other/state.db").text == "No changes.\n")
        }
    }

    @Test
    func `an import is all or nothing, and stays with its market`() async throws {
        try await CommandSandbox.applied { shop in
            let exported = try await shop.openmarket("state", "export")
            try shop.write("cut.jsonl", exported.stdout.dropLast(40))
            let cut = try await shop.openmarket("state", "import", "cut.jsonl", "--state", "other.db")
            #expect(cut.status == 4)
            let other = try await shop.openmarket("state", "list", "--state", "other.db")
            #expect(other.text == "")
            try shop.write("state.jsonl", exported.stdout)
            let twice = try await shop.openmarket("state", "import", "state.jsonl")
            #expect(twice.status != 0)
            let elsewhere = try await shop.openmarket("state", "import", "state.jsonl", "--url", "http://127.0.0.1:9")
            #expect(elsewhere.status == 4)
            expectGolden(
                shop.normalized(cut.stderr + twice.stderr + elsewhere.stderr),
                "state-import-refused.txt"
            )
            #expect(try await shop.openmarket("state", "export").stdout == exported.stdout)
        }
    }

    @Test
    func `what changes the state prints one document with --json`() async throws {
        try await CommandSandbox.applied { shop in
            func document(_ arguments: String...) async throws -> JSONValue {
                let output = try await shop.program(["state"] + arguments + ["--json"]).run()
                #expect(output.status == 0 && output.errorText == "", "\(output.errorText)")
                return try JSONValue.parse(output.stdout)
            }
            let mug = try await document("show", "mug")
            let exported = try await shop.openmarket("state", "export")
            try shop.write("state.jsonl", exported.stdout)
            let cup = try await document("move", "mug", "cup")
            #expect(cup["key"]?.text == "cup")
            #expect(cup["id"] == mug["id"])
            #expect(try await document("forget", "cup") == cup)
            #expect(try await document("import", "state.jsonl", "--replace")["products"] == .integer(3))
            #expect(try await document("unlock")["holder"] == .null)
        }
    }
}
