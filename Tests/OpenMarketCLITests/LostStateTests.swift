import FoundationEssentials
@testable import OpenMarketTestSupport
import Testing

/// A state that is lost, empty or old doubles nothing.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct LostStateTests {
    private func forget(_ shop: CommandSandbox) throws {
        try FileManager.default.removeItem(atPath: shop.folder + "/.openmarket")
    }

    @Test(arguments: TestScope.sweptProfiles)
    func `with the state gone, nothing is made before the user says whose the products are`(api: String) async throws {
        try await CommandSandbox.applied(api) { shop in
            let before = try await shop.names()
            try forget(shop)
            try shop.server.setFaults()
            for command in ["plan", "apply --yes", "apply --yes --refresh none"] {
                let output = try await shop.sh("openmarket \(command)")
                #expect(output.status == (command.hasSuffix("none") ? 6 : 5), "\(command): \(output.errorText)")
            }
            let refused = try await shop.openmarket("apply", "--yes")
            expectGolden(shop.normalized(refused.stderr), "lost-state.txt")
            #expect(try shop.server.writes() == [])
            let adopted = try await shop.openmarket("apply", "--yes", "--adopt")
            #expect(adopted.status == 0, "\(adopted.errorText)")
            #expect(try shop.server.writes().allSatisfy(\.isQuestion))
            #expect(try await shop.names() == before)
            #expect(try await shop.openmarket("plan", "--refresh", "full").text == "No changes.\n")
        }
    }

    @Test(arguments: ["v1b", "v2b"])
    func `an older copy of the state makes nothing a second time`(api: String) async throws {
        try await CommandSandbox.applied(api, ShopManifest.three.without("fan")) { shop in
            #expect(try await shop.openmarket("state", "export", "-o", "old.jsonl").status == 0)
            try shop.change(to: .three)
            _ = try await shop.openmarket("apply", "--yes")
            let before = try await shop.names()
            try shop.server.setFaults()
            #expect(try await shop.openmarket("state", "import", "--replace", "old.jsonl").status == 0)
            let applied = try await shop.openmarket("apply", "--yes")
            // v2 says whose a product is, and the state knows who we are.
            #expect(applied.status == (api == "v2b" ? 0 : 5), "\(applied.errorText)")
            #expect(try await shop.openmarket("apply", "--yes", "--adopt").status == 0)
            #expect(try shop.server.writes() == [])
            #expect(try await shop.names() == before)
            #expect(try await shop.openmarket("plan").text == "No changes.\n")
        }
    }

    @Test(arguments: ["v1b", "v2b"])
    func `a market that was set up again is not filled without a refusal`(api: String) async throws {
        try await CommandSandbox.open(api, .plain(12)) { shop in
            // On a market that starts again, numbers mean other products: those of ours are 31 to 42.
            try shop.fillMarket(rows: 30)
            _ = try await shop.openmarket("apply", "--yes", "--parallelism", "8")
            // The state goes on with another market at another address, which has none of its products.
            _ = try await shop.openmarket("state", "export", "-o", "state.jsonl")
            try await ReferenceServer.run(api, folder: shop.folder + "/new-market") { server in
                let url = ["OPENMARKET_URL": server.url, "OPENMARKET_PARALLELISM": "8"]
                _ = try await shop.sh("openmarket state import --accept-other-market state.jsonl", environment: url)
                let refused = try await shop.openmarket("apply", "--yes", environment: url)
                #expect(refused.status == 5)
                #expect(
                    refused.errorText == """
                        refused: 12 of 12 managed products are gone from the market or replaced by others there, more than 30%: it may be another market, or one that was reset
                          help: if you mean it: --max-gone 12

                        """
                )
                #expect(try server.writes() == [])
                let meant = try await shop.openmarket("apply", "--yes", "--max-gone", "100%", environment: url)
                #expect(meant.status == 0, "\(meant.errorText)")
                #expect(try server.writes().count == 12)
            }
        }
    }

    @Test(arguments: TestScope.sweptProfiles)
    func `a saved plan is stale the second time, in a fresh folder with the state that it was made from`(
        api: String
    ) async throws {
        try await CommandSandbox.applied(api, ShopManifest.three.without("fan")) { shop in
            _ = try await shop.openmarket("state", "export", "-o", "old.jsonl")
            // A create, an update, on v2 a replace, and a delete.
            var manifest = ShopManifest.three.without("lamp")
            manifest["mug"].price = "13000"
            manifest["mug"].images = ["images/5.png"]
            try shop.change(to: manifest)
            #expect(try await shop.openmarket("plan", "-o", "plan.json").status == 0)
            var statuses: [Int32] = []
            for _ in 1...2 {
                try forget(shop)
                _ = try await shop.openmarket("state", "import", "old.jsonl")
                statuses.append(try await shop.openmarket("apply", "plan.json").status)
                if statuses.count == 1 { try shop.server.setFaults() }
            }
            #expect(statuses == [0, 6])
            #expect(try shop.server.writes() == [])
            #expect(try await shop.names() == ["Blue mug", "Round fan"])
        }
    }

    @Test(arguments: ["v1b", "v2b"])
    func `a saved plan that was made without any state is stale the second time`(api: String) async throws {
        try await CommandSandbox.open(api) { shop in
            _ = try await shop.openmarket("plan", "-o", "plan.json")
            #expect(try await shop.openmarket("apply", "plan.json").status == 0)
            try forget(shop)
            try shop.server.setFaults()
            let again = try await shop.openmarket("apply", "plan.json")
            #expect(again.status == 6)
            expectGolden(shop.normalized(again.stderr), "saved-plan-elsewhere.txt")
            #expect(try shop.server.writes() == [])
        }
    }

    /// Runs apply on a terminal, lets another command run when it asks, and answers with yes.
    private static let asked = """
        import os, pty, subprocess, sys
        meanwhile, command = sys.argv[1], sys.argv[2:]
        child, terminal = pty.fork()
        if child == 0:
            os.execv(command[0], command)
        seen = b""
        while True:
            try:
                piece = os.read(terminal, 4096)
            except OSError:
                break
            if not piece:
                break
            seen += piece
            if meanwhile and b"Type 'yes' to confirm" in seen:
                subprocess.run(["/bin/sh", "-c", meanwhile], check=True, stdin=subprocess.DEVNULL)
                meanwhile = ""
                os.write(terminal, b"yes\\n")
        sys.stdout.buffer.write(seen)
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """

    @Test(.enabled(if: Python.isAvailable), arguments: ["v1b", "v2b"])
    func `what a colleague does between the plan and yes is noticed`(api: String) async throws {
        try await CommandSandbox.applied(api, ShopManifest.three.without("fan")) { shop in
            _ = try await shop.openmarket("state", "export", "-o", "old.jsonl")
            _ = try await shop.openmarket("state", "import", "old.jsonl", "--state", "colleague/state.db")
            // The colleague has made the fan and set another price by the time we say yes.
            var theirs = ShopManifest.three
            theirs["mug"].price = "12500"
            try shop.write("theirs.yaml", theirs.yaml)
            var ours = ShopManifest.three
            ours["mug"].price = "13000"
            ours["lamp"].stock = 3
            try shop.change(to: ours)
            let meanwhile =
                "'\(Openmarket.path)' apply --yes -f theirs.yaml --state colleague/state.db 1>&2"
            let python = Program(
                Python.path ?? "python3",
                ["-c", Self.asked, meanwhile, Openmarket.path, "apply"],
                environment: shop.environment,
                folder: shop.folder
            )
            let applied = try await python.run()
            #expect(applied.status == 6, "\(applied.text) \(applied.errorText)")
            #expect(applied.text.contains("the product moved since the plan: price was 12000, is 12500"))
            #expect(applied.text.contains("of its name, unlike in the plan"))
            let rows = try await shop.rows()
            let shown = rows.map { "\($0["name"] ?? "") \($0["price"] ?? "") \($0["stock"] ?? "")" }.sorted()
            #expect(shown == ["Blue mug 12500 5", "Round fan 8000 0", "책상 조명, 두 팔 35000 3"])
        }
    }
}
