@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// What changed since an export, and whether an export is whole.
@Suite(.timeLimit(.minutes(5)))
struct ExportChangesTests {
    @Test func `what is new, changed and gone since an export, whatever its format`() async throws {
        try await CommandSandbox.applied { shop in
            let files = ["a.csv", "a.jsonl.gz", "a.sqlite"]
            for file in files { _ = try await shop.openmarket("export", "-o", file) }
            let still = try await shop.openmarket("export", "--since", "a.csv")
            #expect(still.status == 0)
            #expect(still.text == "No changes.\n")
            #expect(try await shop.openmarket("export", "--verify", "a.csv", "--online").status == 0)

            var manifest = ShopManifest.three
            manifest.products.removeAll { $0.key == "fan" }
            manifest["mug"].price = "12500"
            manifest["mug"].stock = 4
            try shop.change(to: manifest)
            _ = try await shop.openmarket("apply", "--yes")
            let expected = """
                ~ 1 mug "Blue mug"
                    price  12000 → 12500
                    stock  5 → 4
                - 3 fan "Round fan"  price 8000, stock 0

                0 new, 1 changed, 1 gone, 1 unchanged.

                """
            for file in files {
                let output = try await shop.openmarket("export", "--since", file)
                #expect(output.status == 0)
                #expect(output.text == expected, "\(file)")
            }
            let table = try await shop.sh("openmarket export --since a.csv -o changes.csv --columns price,stock")
            #expect(table.errorText == "Wrote 2 changes to changes.csv\n")
            #expect(
                String(decoding: try shop.read("changes.csv"), as: UTF8.self) == """
                    _change,_fields,id,key,price,stock,_old_price,_old_stock\r
                    changed,price stock,1,mug,12500,4,12000,5\r
                    gone,,3,fan,8000,0,,\r

                    """
            )
            let json = try JSONValue.parse(try await shop.openmarket("export", "--since", "a.sqlite", "--json").stdout)
            #expect(json["summary"]?["changed"]?.integer == 1)
            #expect(json["changes"]?.elements?.first?["fields"]?.elements?.first?["old"]?.integer == 12000)

            let online = try await shop.openmarket("export", "--verify", "a.csv", "--online")
            #expect(online.status == 1)
            #expect(online.text.hasPrefix("✓ valid  a.csv  3 products, sha256:"))
            #expect(online.text.hasSuffix(expected))
        }
    }

    @Test func `a file that is not its certificate's, and one without, are reported`() async throws {
        try await CommandSandbox.applied { shop in
            for file in ["a.csv", "a.csv.gz", "a.sqlite"] {
                _ = try await shop.openmarket("export", "-o", file)
                #expect(try await shop.openmarket("export", "--verify", file).status == 0)
                _ = try await shop.sh("printf x >> \(file)")
                let damaged = try await shop.openmarket("export", "--verify", file)
                #expect(damaged.status == 4)
                #expect(damaged.errorText.contains("\(file) does not match its certificate"))
                let document = try await shop.openmarket("export", "--verify", file, "--json")
                #expect(document.status == 4)
                let verdict = try JSONValue.parse(document.stdout)
                #expect(verdict["valid"] == .bool(false))
                #expect(verdict["error"]?.text?.contains("does not match its certificate") == true)
            }
            // One that lost a row can be read, and lacks a product that was there.
            let cut = "openmarket export -q -o cut.csv; sed -i 2d cut.csv; openmarket export --since cut.csv"
            let since = try await shop.sh(cut)
            #expect(since.text.hasSuffix("1 new, 0 changed, 0 gone, 2 unchanged.\n"))
            #expect(since.errorText.contains("warning: cut.csv does not match its certificate"))
            _ = try await shop.sh(
                "openmarket export -q -o b.csv; openmarket export --since b.csv -o 'ch-{date:utc}.md'"
            )
            #expect(try await shop.sh("ls ch-*.md").text.wholeMatch(of: /ch-\d{4}-\d\d-\d\d\.md\n/) != nil)
            #expect(try await shop.openmarket("export", "--since", "b.csv", "--json", "--format", "csv").status == 64)
            let between = try await shop.openmarket("export", "--since", "b.csv", "a.csv")
            #expect(between.status == 64)
            #expect(between.errorText.contains("a.csv is a table and has no market: name a manifest in YAML"))
            #expect(try await shop.openmarket("export", "--verify", "openmarket.yaml").status == 4)
            #expect(try await shop.openmarket("export", "--since", "openmarket.yaml").status == 4)
            #expect(try await shop.openmarket("export", "--since", "a.csv", "-o", "a.csv").status == 64)
            #expect(try await shop.openmarket("export", "--online").status == 64)
        }
    }

    @Test(arguments: ["v1b", "v2b"])
    func `a manifest that was exported is taken over, and nothing changes then`(api: String) async throws {
        try await CommandSandbox.applied(api) { shop in
            let arguments = ["export", "--details", "-o", "out/catalog.yaml"]
            _ = try await shop.sh("mkdir out")
            let exported = try await shop.program(arguments).run()
            #expect(exported.status == 0)
            #expect(exported.errorText == "Exported 3 products to out/catalog.yaml\n")
            let adopted = try await shop.openmarket("apply", "--yes", "-f", "out/catalog.yaml", "--state", "new.db")
            #expect(adopted.status == 0, "\(adopted.errorText)")
            #expect(adopted.text.contains("3 adopted"))
            let again = try await shop.openmarket("plan", "-f", "out/catalog.yaml", "--state", "new.db")
            #expect(again.text == "No changes.\n")
            #expect(try await shop.openmarket("export", "--verify", "out/catalog.yaml").status == 0)
            #expect(try await shop.openmarket("export", "-o", "b.yaml", "--columns", "name").status == 64)
            // Written over the next night, but not once it was edited.
            #expect(try await shop.program(arguments).run().status == 0)
            _ = try await shop.sh("echo '# mine' >> out/catalog.yaml")
            let edited = try shop.read("out/catalog.yaml")
            #expect(try await shop.program(arguments).run().status == 5)
            #expect(try shop.read("out/catalog.yaml") == edited)
            #expect(try await shop.program(arguments + ["--discard-edits"]).run().status == 0)
            #expect(try shop.read("out/catalog.yaml") != edited)
            // One that no export wrote stays, whatever is said.
            try shop.write("out/catalog.yaml", "products: []\n")
            _ = try await shop.sh("rm out/catalog.yaml.certificate.json")
            #expect(try await shop.program(arguments + ["--discard-edits"]).run().status == 5)
            #expect(try shop.text("out/catalog.yaml") == "products: []\n")
        }
    }
}
