import FoundationEssentials
@testable import OpenMarketTestSupport
import Testing

/// What README and docs recommend, run as it is there.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct RecipeTests {
    // MARK: - Moving the state

    @Test(arguments: [0, 1, 2, 3])
    func `the recipe for machines that forget their disk doubles nothing, whichever line fails`(line: Int) async throws
    {
        try await CommandSandbox.applied("v2b", ShopManifest.three.without("fan")) { shop in
            _ = try await shop.openmarket("state", "export", "-o", "state.jsonl")
            try shop.change(to: ShopManifest.three.without("lamp"))
            let runner = BuildMachine(shop: shop)
            let recipe = try Recipes.blocks("sh", of: "docs/guides/recover.md", after: "### Between machines")
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
                let listed = try await shop.names()
                #expect(Set(listed).count == listed.count)
            }
            #expect(try await shop.names() == ["Blue mug", "Round fan"])
            #expect(try shop.text("state.jsonl").split(separator: "\n").count == 3)
        }
    }

    @Test func `the recipe for a new address carries the state over`() async throws {
        try await CommandSandbox.applied { shop in
            let runner = BuildMachine(shop: shop)
            let heading = "### The market has a new address, or the identifier changed"
            let recipe = try Recipes.blocks("sh", of: "docs/guides/recover.md", after: heading)
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
