import FoundationEssentials
@testable import OpenMarketTestSupport
import Testing

/// The first steps of the README and the recipes of docs/guides/recover.md, with their own commands.
@Suite(.timeLimit(.minutes(5)))
struct StateRecipeTests {
    @Test func `the README's first steps lead from an empty folder to an exported shop`() async throws {
        try await CommandSandbox.open { shop in
            try FileManager.default.removeItem(atPath: shop.folder)
            try FileManager.default.createDirectory(atPath: shop.folder, withIntermediateDirectories: true)
            let commands = try Recipes.blocks("sh", of: "README.md", after: "## Your first shop")[1]
            #expect(commands.split(separator: "\n").count == 5)
            // There is no terminal to ask on.
            let script = commands.replacing("openmarket apply ", with: "openmarket apply --yes ")
            let first = try await shop.sh("set -e\n" + script)
            #expect(first.status == 0, "\(first.errorText)")
            #expect(first.text.contains("Apply complete: 1 added, 0 changed, 0 replaced, 0 deleted."))
            #expect(try StrictCSV(try shop.read("catalog.csv")).rows.compactMap { $0["name"] } == ["Desk lamp"])
            let second = try await shop.sh(script.split(separator: "\n").dropFirst().joined(separator: "\n"))
            #expect(second.text.contains("No changes."), "\(second.text)\(second.errorText)")
        }
    }

    @Test(arguments: [true, false])
    func `a product stays that is forgotten before it leaves the manifest, and goes otherwise`(
        isForgotten: Bool
    ) async throws {
        let heading = "### A product should stay, but not be managed"
        let recipe = try #require(try Recipes.blocks("sh", of: "docs/guides/recover.md", after: heading).first)
        try await CommandSandbox.applied { shop in
            if isForgotten {
                let forgotten = try await shop.sh(recipe.replacing("desk-lamp", with: "lamp"))
                #expect(forgotten.status == 0, "\(forgotten.errorText)")
            }
            try shop.change(to: ShopManifest.three.without("lamp"))
            let applied = try await shop.openmarket("apply", "--yes", "--max-delete", "100%")
            #expect(applied.status == 0, "\(applied.errorText)")
            let names = try await shop.rows().compactMap { $0["name"] }
            #expect(names.contains("책상 조명, 두 팔") == isForgotten)
        }
    }
}
