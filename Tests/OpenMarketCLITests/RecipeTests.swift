import FoundationEssentials
import OpenMarket
import OpenMarketTestSupport
import Testing

/// What README and docs recommend, run as it stands there.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct RecipeTests {
    /// A repository with a shop that was applied once on the seller's own machine, and a change pushed since.
    private func withRepository(_ api: String, _ body: (Shop, Runner) async throws -> Void) async throws {
        try await Shop.open(api, ShopManifest.three.without("fan")) { shop in
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
    private func names(_ shop: Shop) async throws -> [String] {
        try StrictCSV(try await shop.openmarket("export").stdout).rows.compactMap { $0["name"] }.sorted()
    }

    /// How many products the state in the repository knows.
    private func committed(_ shop: Shop, _ runner: Runner) async throws -> Int {
        let shown = try await runner.shell(
            "git show main:state.jsonl > ../committed.jsonl",
            folder: shop.folder + "/origin.git"
        )
        #expect(shown == 0)
        return try shop.text("committed.jsonl").split(separator: "\n").count - 1
    }

    @Test func `the README's workflow applies what was pushed and commits the state`() async throws {
        try await withRepository("v2b") { (shop: Shop, runner: Runner) async throws -> Void in
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
        try await withRepository("v2b") { (shop: Shop, runner: Runner) async throws -> Void in
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
        try await withRepository("v1b") { (shop: Shop, runner: Runner) async throws -> Void in
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
}
