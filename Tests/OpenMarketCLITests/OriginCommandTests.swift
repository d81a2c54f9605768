import FoundationEssentials
@testable import OpenMarketTestSupport
import Testing

/// What a file that is not read lists stays, with the real program.
@Suite(.timeLimit(.minutes(5)))
struct OriginCommandTests {
    private func deletes(_ shop: CommandSandbox) throws -> Int {
        try shop.server.writes().count { $0.method == "DELETE" && $0.status == 200 }
    }

    private var mugs: ShopManifest { ShopManifest.three.without("lamp").without("fan") }

    /// `openmarket.yaml` with the mug, and `more.yaml` with the lamp and the fan.
    private func split(_ shop: CommandSandbox) throws {
        try shop.change(to: mugs)
        try shop.write("more.yaml", "products:\n" + ShopManifest.three.without("mug").products.map(\.yaml).joined())
    }

    @Test func `a manifest that is forgotten deletes nothing, and include reads it`() async throws {
        try await CommandSandbox.open { shop in
            try split(shop)
            #expect(try await shop.openmarket("apply", "--yes", "openmarket.yaml", "more.yaml").status == 0)
            let planned = try await shop.openmarket("plan")
            #expect(planned.status == 0 && planned.text == "No changes. (2 not selected)\n", "\(planned.text)")
            #expect(planned.errorText.contains("more.yaml is not read; 2 products that it listed last stay"))
            #expect(try await shop.openmarket("apply", "--yes").status == 0)
            // A run over one file deletes what that file no longer lists.
            try shop.write("more.yaml", "products:\n" + ShopManifest.three["lamp"].yaml)
            var included = mugs
            included.sections += "include: [more.yaml]\n"
            try shop.change(to: included)
            #expect(try deletes(shop) == 0)
            let applied = try await shop.openmarket("apply", "--yes")
            #expect(applied.text.contains("fan (3) \"Round fan\"  # no longer in the manifest"), "\(applied.text)")
            #expect(try deletes(shop) == 1)
            #expect(try await shop.openmarket("plan").text == "No changes.\n")
        }
    }

    @Test func `what a removed file listed is deleted only with the number`() async throws {
        try await CommandSandbox.open { shop in
            try split(shop)
            #expect(try await shop.openmarket("apply", "--yes", "openmarket.yaml", "more.yaml").status == 0)
            try FileManager.default.removeItem(atPath: shop.folder + "/more.yaml")
            let refused = try await shop.openmarket("apply", "--yes")
            #expect(refused.status == 5)
            let words = refused.text + refused.errorText
            #expect(words.contains("more.yaml is gone, and the 2 products that it listed would be deleted"))
            #expect(words.contains("--max-delete 2"))
            #expect(try deletes(shop) == 0)
            #expect(try await shop.openmarket("apply", "--yes", "--max-delete", "2").status == 0)
            #expect(try deletes(shop) == 2)
        }
    }

    @Test func `two manifests in one folder leave each other's products alone`() async throws {
        try await CommandSandbox.open { shop in
            try shop.write("a.yaml", mugs.yaml)
            try shop.write("b.yaml", ShopManifest.three.without("mug").without("fan").yaml)
            for file in ["a.yaml", "b.yaml", "a.yaml", "./b.yaml"] {
                #expect(try await shop.openmarket("apply", "--yes", "-f", file).status == 0)
            }
            #expect(try deletes(shop) == 0)
            #expect(try await shop.openmarket("plan", "a.yaml").text == "No changes. (1 not selected)\n")
            // The one that lists a product of the other, too, says so.
            try shop.write("a.yaml", ShopManifest.three.without("fan").yaml)
            let planned = try await shop.openmarket("plan", "a.yaml")
            #expect(planned.errorText.contains("'lamp' was last applied from b.yaml, which is not read"))
        }
    }

    @Test func `a manifest from a pipe deletes what the pipe listed, and a file does not`() async throws {
        try await CommandSandbox.open { shop in
            #expect(try await shop.sh("openmarket apply --yes -f - <openmarket.yaml").status == 0)
            try shop.change(to: ShopManifest.three.without("fan"))
            #expect(try await shop.sh("cat openmarket.yaml | openmarket apply --yes -f -").status == 0)
            #expect(try deletes(shop) == 1)
            try shop.change(to: mugs)
            let applied = try await shop.openmarket("apply", "--yes")
            #expect(applied.status == 0)
            #expect(applied.errorText.contains("'lamp' is in no file, and the state does not record which one had it"))
            #expect(try deletes(shop) == 1)
            // A tombstone deletes it.
            try shop.write("openmarket.yaml", mugs.yaml + "  - {key: lamp, state: absent}\n")
            #expect(try await shop.openmarket("apply", "--yes").status == 0)
            #expect(try deletes(shop) == 2)
        }
    }

    @Test func `what a table created is not deleted by the manifest`() async throws {
        try await CommandSandbox.applied("v2b", mugs) { shop in
            try shop.write(
                "new.csv",
                "key,name,description,price,currency,stock,images\nlid,Lid,For a mug of any size.,500,KRW,1,images/2.png\n"
            )
            let created = try await shop.openmarket("apply", "--yes", "new.csv")
            #expect(created.status == 0, "\(created.errorText)")
            let applied = try await shop.openmarket("apply", "--yes")
            #expect(applied.status == 0 && applied.text.contains("No changes."), "\(applied.errorText)")
            #expect(try shop.text("openmarket.yaml").contains("  - key: lid\n"))
            #expect(try deletes(shop) == 0)
        }
    }
}
