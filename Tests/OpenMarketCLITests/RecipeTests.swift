import FoundationEssentials
import OpenMarket
import OpenMarketTestSupport
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What README and docs recommend, run as it stands there.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct RecipeTests {
    /// A repository with a shop that was applied once on the seller's own machine, and a change pushed since.
    private func withRepository(_ api: String, _ body: (CommandSandbox, Runner) async throws -> Void) async throws {
        try await CommandSandbox.open(api, ShopManifest.three.without("fan")) { shop in
            let runner = Runner(workflow: try Workflow(), shop: shop)
            try shop.write("seller/.gitignore", ".openmarket/\nplan.json\n")
            try shop.write("seller/openmarket.yaml", ShopManifest.three.without("fan").yaml)
            for number in 1...5 {
                try shop.write("seller/images/\(number).png", SmallPicture.png(number))
                try shop.write("seller/images/\(number).jpg", SmallPicture.jpeg(number))
            }
            let begun = try await runner.shell(
                """
                openmarket apply --yes
                openmarket state export -o state.jsonl
                git init -q -b main
                git config user.name seller
                git config user.email seller@example.com
                git add .
                git commit -q -m "Begin"
                git clone -q --bare . ../origin.git
                git remote add origin ../origin.git
                """,
                folder: shop.folder + "/seller"
            )
            #expect(begun == 0)
            // A create, an update, on v2 a replace, and a delete.
            var manifest = ShopManifest.three.without("lamp")
            manifest["mug"].price = "13000"
            manifest["mug"].images = ["images/5.png"]
            try shop.write("seller/openmarket.yaml", manifest.yaml)
            let pushed = try await runner.shell(
                "git commit -q -a -m Change\ngit push -q origin main",
                folder: shop.folder + "/seller"
            )
            #expect(pushed == 0)
            try await body(shop, runner)
        }
    }

    /// The names on the market, each as often as it is there.
    private func names(_ shop: CommandSandbox) async throws -> [String] {
        try StrictCSV(try await shop.openmarket("export").stdout).rows.compactMap { $0["name"] }.sorted()
    }

    /// How many products the state in the repository knows.
    private func committed(_ shop: CommandSandbox, _ runner: Runner) async throws -> Int {
        let shown = try await runner.shell(
            "git show main:state.jsonl > ../committed.jsonl",
            folder: shop.folder + "/origin.git"
        )
        #expect(shown == 0)
        return try shop.text("committed.jsonl").split(separator: "\n").count - 1
    }

    @Test func `the README's workflow applies what was pushed and commits the state`() async throws {
        try await withRepository("v2b") { (shop: CommandSandbox, runner: Runner) async throws -> Void in
            let isPlanned = try await runner.run(.plan)
            #expect(isPlanned)
            #expect(try shop.text("summary.md").contains("1 to add"))
            #expect(try await runner.run(.apply))
            #expect(try await names(shop) == ["Blue mug", "Round fan"])
            #expect(try await committed(shop, runner) == 2)
            // Once more changes nothing.
            #expect(try await runner.run(.plan))
            #expect(try await runner.run(.apply))
            #expect(try await names(shop) == ["Blue mug", "Round fan"])
        }
    }

    @Test(arguments: try Workflow().failures)
    func `whatever step of the README's workflow fails, nothing is listed twice and no state is lost`(
        failure: Workflow.Failure
    ) async throws {
        try await withRepository("v2b") { (shop: CommandSandbox, runner: Runner) async throws -> Void in
            let isPlanned = try await runner.run(.plan, failing: failure)
            #expect(isPlanned == (failure.job != .plan))
            if isPlanned { _ = try await runner.run(.apply, failing: failure) }
            let listed = try await names(shop)
            #expect(Set(listed).count == listed.count, "\(failure)")
            #expect(try await committed(shop, runner) == 2, "\(failure)")

            // "Re-run failed jobs": the plan is the artifact of before.
            if failure.job == .plan { #expect(try await runner.run(.plan), "\(failure)") }
            _ = try await runner.run(.apply)
            #expect(try await names(shop) == ["Blue mug", "Round fan"], "\(failure)")
            #expect(try await committed(shop, runner) > 0, "\(failure)")

            // The next push.
            #expect(try await runner.run(.plan), "\(failure)")
            #expect(try await runner.run(.apply), "\(failure)")
            #expect(try await names(shop) == ["Blue mug", "Round fan"], "\(failure)")
            let plan = try await runner.shell("openmarket plan --detailed-exitcode", folder: shop.folder + "/runner")
            #expect(plan == 0, "\(failure)")
            #expect(try await committed(shop, runner) == 2, "\(failure)")
        }
    }

    @Test func `on v1, where nobody can read whose a product is, a state that was not pushed stops the next plan`()
        async throws
    {
        try await withRepository("v1b") { (shop: CommandSandbox, runner: Runner) async throws -> Void in
            let steps = runner.workflow.steps[.apply] ?? []
            let last = Workflow.Failure(job: .apply, step: steps.count - 1, line: 0)
            #expect(try await runner.run(.plan))
            #expect(try await runner.run(.apply, failing: last) == false)
            #expect(try await runner.run(.apply) == false)
            #expect(try await names(shop) == ["Blue mug", "Round fan"])
            #expect(try await runner.run(.plan) == false)
            let adopt = ["OPENMARKET_ADOPT": "1"]
            #expect(try await runner.run(.plan, environment: adopt))
            #expect(try await runner.run(.apply, environment: adopt))
            #expect(try await names(shop) == ["Blue mug", "Round fan"])
            #expect(try await committed(shop, runner) == 2)
        }
    }

    // MARK: - Every night

    @Test func `the README's nightly export sends a notification, whichever of its steps fails`() async throws {
        try await CommandSandbox.open { shop in
            _ = try await shop.openmarket("apply", "--yes")
            let runner = Runner(workflow: try Workflow(), shop: shop)
            let cron = try #require(try Recipes.blocks("cron", of: "README.md").first)
            let command = cron.split(separator: " ", maxSplits: 5).last.map(String.init) ?? ""
            let tell = shop.folder + "/tell"
            try shop.write("tell", "#!/bin/sh\necho $1 > '\(shop.folder)/told'\n")
            chmod(tell, 0o755)
            try shop.write("market.env", shop.environment.map { "export \($0)='\($1)'\n" }.sorted().joined())

            /// Runs the line as cron does, without our variables; says what somebody was told.
            func night(folder: String? = nil) async throws -> String {
                try? FileManager.default.removeItem(atPath: shop.folder + "/told")
                let line = command.replacing("/srv/shop", with: folder ?? shop.folder)
                    .replacing("/usr/local/bin/notify", with: tell)
                let unset = Dictionary(uniqueKeysWithValues: shop.environment.keys.map { ($0, "") })
                try await runner.shell(
                    "exec /bin/sh -c \"$LINE\"",
                    folder: "/",
                    environment: unset.merging(["LINE": line]) { $1 }
                )
                return shop.exists("told") ? try shop.text("told").filter { $0 != "\n" } : "nothing"
            }
            #expect(try await night() == "nothing")
            #expect(try StrictCSV(try shop.read("catalog.csv")).rows.count == 3)
            let yesterday = try shop.read("catalog.csv")
            #expect(try await night(folder: "/no/such/folder") != "nothing")
            try shop.write("market.env", "export OPENMARKET_API=v2b OPENMARKET_URL=http://127.0.0.1:9\n")
            #expect(try await night() == "4")
            try shop.write(
                "market.env",
                "export OPENMARKET_API=v2b OPENMARKET_URL=http://127.0.0.1:9 OPENMARKET_SECRET=s OPENMARKET_IDENTIFIER=i\n"
            )
            #expect(try await night() == "9")
            try FileManager.default.removeItem(atPath: shop.folder + "/market.env")
            #expect(try await night() != "nothing")
            #expect(try shop.read("catalog.csv") == yesterday)
        }
    }

    // MARK: - Moving the state

    @Test(arguments: [0, 1, 2, 3])
    func `the recipe for machines that forget their disk doubles nothing, whichever line fails`(line: Int) async throws
    {
        try await CommandSandbox.open("v2b", ShopManifest.three.without("fan")) { shop in
            _ = try await shop.openmarket("apply", "--yes")
            _ = try await shop.openmarket("state", "export", "-o", "state.jsonl")
            try shop.change(to: ShopManifest.three.without("lamp"))
            let runner = Runner(workflow: try Workflow(), shop: shop)
            let recipe = try Recipes.blocks("sh", of: "docs/state-and-journal.md", after: "## Between machines")
            var lines = try #require(recipe.first).split(separator: "\n").map(String.init)
            let whole = lines.joined(separator: "\n")
            lines.insert("exit 1", at: line)
            for script in [lines.joined(separator: "\n"), whole, whole] {
                try FileManager.default.removeItem(atPath: shop.folder + "/.openmarket")
                let status = try await runner.shell(script, folder: shop.folder)
                #expect(status == (script == whole ? 0 : 1))
                #expect(shop.exists(".openmarket") || script != whole)
                try FileManager.default.createDirectory(
                    atPath: shop.folder + "/.openmarket",
                    withIntermediateDirectories: true
                )
                let listed = try await names(shop)
                #expect(Set(listed).count == listed.count)
            }
            #expect(try await names(shop) == ["Blue mug", "Round fan"])
            #expect(try shop.text("state.jsonl").split(separator: "\n").count == 3)
        }
    }

    @Test func `the recipe for a new address carries the state over`() async throws {
        try await CommandSandbox.open { shop in
            _ = try await shop.openmarket("apply", "--yes")
            try shop.server.setFaults()
            let runner = Runner(workflow: try Workflow(), shop: shop)
            let heading = "### The market has a new address, or the identifier changed"
            let recipe = try Recipes.blocks("sh", of: "docs/state-and-journal.md", after: heading)
            let url = ["OPENMARKET_URL": "http://localhost:\(shop.server.port)"]
            let exported = try await runner.shell(recipe[0], folder: shop.folder)
            #expect(exported == 0)
            // Without it, the products could be anybody's.
            #expect(try await shop.openmarket("plan", environment: url).status == 5)
            #expect(try await runner.shell(recipe[1], folder: shop.folder, environment: url) == 0)
            #expect(try await shop.openmarket("apply", "--yes", environment: url).text == "No changes.\n")
            #expect(try shop.server.writes() == [])
        }
    }
}
