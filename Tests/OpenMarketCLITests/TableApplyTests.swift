@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// A table as an edit and its apply in one, with the real program: what is written, and what is sent.
@Suite(.timeLimit(.minutes(5)))
struct TableApplyTests {
    /// The shop was applied, and exported as `products.csv`.
    private func exported(_ body: (CommandSandbox) async throws -> Void) async throws {
        try await CommandSandbox.applied { shop in
            #expect(try await shop.openmarket("export", "-q", "-o", "products.csv").status == 0)
            try shop.server.setFaults()
            try await body(shop)
        }
    }

    /// Changes the price of the mug in the exported table.
    private func changePrice(to price: String, in shop: CommandSandbox) throws {
        let table = try shop.text("products.csv")
        try shop.write("products.csv", table.replacing(",12000,", with: ",\(price),"))
    }

    private func changedMug(_ price: String) -> ShopManifest {
        var manifest = ShopManifest.three
        manifest["mug"].price = price
        return manifest
    }

    @Test func `the edited price is sent alone, beside a sold stock and another difference`() async throws {
        try await exported { shop in
            try await shop.changeElsewhere("  - {id: 1, key: mug, name: Their mug, stock: 2}\n")
            try shop.server.setFaults()
            try changePrice(to: "13000", in: shop)
            let planned = try await shop.openmarket("plan", "products.csv")
            #expect(planned.status == 0, "\(planned.errorText)")
            #expect(
                planned.text.hasSuffix(
                    """
                    Plan: 0 to add, 1 to change, 0 to replace, 0 to delete, 0 unchanged. \
                    (2 not selected; 1 other difference waits for `openmarket apply`)
                    Edits: 1 in openmarket.yaml.

                    """
                ),
                "\(planned.text)"
            )
            #expect(try shop.text("openmarket.yaml") == ShopManifest.three.yaml)
            #expect(try shop.server.writes().isEmpty)

            let applied = try await shop.openmarket("apply", "products.csv", "--yes")
            #expect(applied.status == 0, "\(applied.errorText)")
            #expect(try shop.text("openmarket.yaml") == changedMug("13000").yaml)
            #expect(try shop.server.writes().map(\.description) == ["PATCH /api/products/1 200"])
            let rows = try await shop.openmarket("export", "--columns", "name,price,stock").text
            #expect(rows.contains("Their mug,13000,2\r\n"), "\(rows)")
        }
    }

    @Test func `killed between the files and the market, the same command finishes`() async throws {
        try await exported { shop in
            try changePrice(to: "13000", in: shop)
            try shop.server.setFaults("rules:\n  - {method: PATCH, fault: {latency: 3600s}}\n")
            _ = try await shop.program(["apply", "products.csv", "--yes"]).run { process in
                while try !shop.text("openmarket.yaml").contains("price: 13000") { await Task.yield() }
                process.send(.kill)
            }
            try shop.server.setFaults()
            let again = try await shop.openmarket("apply", "products.csv", "--yes")
            #expect(again.status == 0, "\(again.errorText)")
            #expect(try shop.text("openmarket.yaml") == changedMug("13000").yaml)
            #expect(try shop.server.writes().last?.description == "PATCH /api/products/1 200")
            #expect(try await shop.openmarket("plan").text == "No changes.\n")
        }
    }

    @Test func `an old table on a machine without the copy takes nothing back`() async throws {
        try await exported { shop in
            try shop.write("openmarket.yaml", changedMug("14000").yaml)
            try changePrice(to: "13000", in: shop)
            let applied = try await shop.sh("rm -r .openmarket/exports && openmarket apply products.csv --yes")
            #expect(applied.status == 3)
            #expect(applied.errorText.contains("because: the manifest was also changed"), "\(applied.errorText)")
            #expect(try shop.text("openmarket.yaml") == changedMug("14000").yaml)
            #expect(try shop.server.writes().isEmpty)
        }
    }

    @Test func `an old table without the copy does not bring sold stock back`() async throws {
        try await exported { shop in
            let sold = { (stock: Int) in "  - {key: lamp, id: 2, name: \"책상 조명, 두 팔\", stock: \(stock)}\n" }
            try await shop.changeElsewhere(sold(9))
            #expect(try await shop.openmarket("export", "-q", "-o", "products.csv").status == 0)
            try await shop.changeElsewhere(sold(7))
            try changePrice(to: "13000", in: shop)
            try shop.server.setFaults()
            let refused = try await shop.sh("rm -r .openmarket/exports && openmarket apply products.csv --yes")
            #expect(refused.status == 5 && refused.errorText.contains("the stock of 'lamp' changed on the market"))
            #expect(try shop.text("openmarket.yaml") == ShopManifest.three.yaml)
            #expect(try await shop.openmarket("apply", "products.csv", "--yes", "--prefer", "manifest").status == 0)
            #expect(try shop.text("openmarket.yaml") == changedMug("13000").yaml)
            #expect(try shop.server.writes().map(\.description) == ["PATCH /api/products/1 200"])
        }
    }

    @Test func `the file that lists a product is found by the state, and edited`() async throws {
        try await CommandSandbox.open { shop in
            let lamp = ShopManifest.three["lamp"]
            try shop.change(to: ShopManifest.three.without("lamp"))
            try shop.write("more.yaml", "products:\n" + lamp.yaml)
            #expect(try await shop.openmarket("apply", "--yes", "openmarket.yaml", "more.yaml").status == 0)
            try shop.write("prices.csv", "key,price\nlamp,36000\n")
            let applied = try await shop.openmarket("apply", "prices.csv", "--yes")
            #expect(applied.status == 0, "\(applied.errorText)")
            #expect(applied.text.contains("Edits: 1 in more.yaml.\n"), "\(applied.text)")
            #expect(try shop.text("more.yaml").contains("price: 36000\n"))
            #expect(try await shop.openmarket("plan", "openmarket.yaml", "more.yaml").text == "No changes.\n")
        }
    }

    @Test func `a shop that only had a table becomes a manifest by its first apply`() async throws {
        try await CommandSandbox.open { shop in
            try shop.write(
                "new.csv",
                "key,name,description,price,currency,stock,images\nlid,Lid,For a mug of any size.,500,KRW,1,images/2.png\n"
            )
            let applied = try await shop.sh("rm openmarket.yaml && openmarket apply new.csv --yes")
            #expect(applied.status == 0, "\(applied.errorText)")
            let manifest = try shop.text("openmarket.yaml")
            #expect(manifest.hasPrefix("market:\n  url: http://"), "\(manifest)")
            #expect(manifest.contains("\n\nproducts:\n  - key: lid\n"), "\(manifest)")
            #expect(try await shop.openmarket("plan").text == "No changes.\n")
        }
    }

    @Test func `an edited table is exported over once all of it is in the manifest`() async throws {
        try await exported { shop in
            let table = try shop.text("products.csv").replacing(",12000,", with: ",13000,")
                .replacing(",8000,", with: ",9000,")
            try shop.write("products.csv", table)
            let chosen = try await shop.openmarket("apply", "products.csv", "--yes", "--target", "mug")
            #expect(chosen.status == 0, "\(chosen.errorText)")
            #expect(try shop.text("openmarket.yaml") == changedMug("13000").yaml)
            let refused = try await shop.openmarket("export", "-o", "products.csv")
            #expect(refused.status == 5)
            #expect(refused.errorText.contains("`openmarket edit products.csv` takes the edits into the manifest"))
            #expect(try shop.text("products.csv") == table)

            #expect(try await shop.openmarket("apply", "products.csv", "--yes").status == 0)
            #expect(try await shop.openmarket("export", "-o", "products.csv").status == 0)
            #expect(try await shop.openmarket("plan", "products.csv").text == "No changes. (3 not selected)\n")
        }
    }

    @Test func `what cannot be written is not sent`() async throws {
        try await exported { shop in
            let text = ShopManifest.three.yaml.replacing("price: 12000", with: "price: *p")
            try shop.write("openmarket.yaml", "x-p: &p 12000\n" + text)
            try changePrice(to: "13000", in: shop)
            let applied = try await shop.openmarket("apply", "products.csv", "--yes")
            #expect(applied.status == 3)
            #expect(applied.errorText.contains("because: the value is the alias *p"), "\(applied.errorText)")
            #expect(try shop.server.writes().isEmpty)
            let refused = try await shop.openmarket("export", "-o", "products.csv")
            #expect(refused.status == 5)
        }
    }

    @Test func `what a policy refuses is not written`() async throws {
        try await exported { shop in
            try changePrice(to: "99000", in: shop)
            let applied = try await shop.openmarket("apply", "products.csv", "--yes", "--max-price-change", "10%")
            #expect(applied.status == 5)
            #expect(try shop.text("openmarket.yaml") == ShopManifest.three.yaml)
            #expect(try shop.server.writes().isEmpty)
        }
    }

    @Test(arguments: [
        (["plan", "products.csv", "-o", "p.json"], "--out, --no-delete and --recreate need files as they are"),
        (["apply", "products.csv", "--yes", "--no-delete"], "products.csv is an edit of them"),
        (["apply", "products.csv", "products.csv", "--yes"], "tables are edits, and are taken one by one"),
        (["plan", "--complete"], "--complete goes with a table"),
    ])
    func `options that a table cannot have are refused`(arguments: [String], message: String) async throws {
        try await exported { shop in
            let ran = try await shop.program(arguments).run()
            #expect(ran.status == 64 && ran.errorText.contains(message), "\(ran.status) \(ran.errorText)")
        }
    }

    @Test func `programs get the edit with the plan and among the events`() async throws {
        try await exported { shop in
            try changePrice(to: "13000", in: shop)
            let plan = try JSONValue.parse(try await shop.openmarket("plan", "products.csv", "--json").stdout)
            #expect(plan["manifest"]?["edited_by"] == .string("products.csv"))
            #expect(plan["edit"]?["files"] == .array([.string("openmarket.yaml")]))
            #expect(plan["operations"]?.elements?.count == 1)
            let applied = try await shop.openmarket("apply", "products.csv", "--yes", "--json")
            let types = try applied.text.split(separator: "\n").map {
                try JSONValue.parse(Array($0.utf8))["type"]?.text
            }
            #expect(types.first == "version" && types.contains("edited") && types.last == "summary", "\(types)")
        }
    }
}
