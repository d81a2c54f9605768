@testable import OpenMarketTestSupport
import Testing

/// A table as an edit of the YAML, with the real program: what is written, and what is left alone.
@Suite(.timeLimit(.minutes(2)))
struct TableEditCommandTests {
    /// The shop was applied, and exported as `products.csv`.
    private func exported(_ body: (CommandSandbox) async throws -> Void) async throws {
        try await CommandSandbox.applied { shop in
            #expect(try await shop.openmarket("export", "-q", "-o", "products.csv").status == 0)
            try await body(shop)
        }
    }

    /// Changes a cell of the exported table.
    private func change(_ column: String, of name: String, to text: String, in shop: CommandSandbox) throws {
        var rows = try StrictCSV(try shop.read("products.csv")).records
        let (place, title) = (
            try #require(rows[0].firstIndex(of: column)), try #require(rows[0].firstIndex(of: "name"))
        )
        let row = try #require(rows.firstIndex { $0[title] == name })
        rows[row][place] = text
        let lines = rows.map { row in
            row.map { cell in
                "\"" + cell.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
            }
            .joined(separator: ",")
        }
        try shop.write("products.csv", lines.joined(separator: "\r\n") + "\r\n")
    }

    private func manifest(_ key: String, price: String) -> String {
        var manifest = ShopManifest.three
        manifest[key].price = price
        return manifest.yaml
    }

    @Test func `an edited cell is written, and the second edit finds nothing`() async throws {
        try await exported { shop in
            try change("price", of: "Blue mug", to: "13000", in: shop)
            let edited = try await shop.openmarket("edit", "products.csv", "--yes")
            #expect(edited.status == 0, "\(edited.errorText)")
            #expect(edited.text.contains("  ~   mug \"Blue mug\"  # edited in the table, products.csv:"))
            #expect(try shop.text("openmarket.yaml") == manifest("mug", price: "13000"))
            #expect(try await shop.openmarket("edit", "products.csv", "--yes").text == "No edits.\n")
            // The YAML and the market agree after its apply: the two truths are one.
            #expect(try await shop.openmarket("apply", "--yes").status == 0)
            #expect(try await shop.openmarket("plan").text == "No changes.\n")
        }
    }

    @Test func `a price raised in the YAML after the export stays, and an old table puts nothing back`() async throws {
        try await exported { shop in
            var changed = ShopManifest.three
            changed["lamp"].price = "39000"
            try shop.change(to: changed)
            try await shop.changeElsewhere("  - {id: 1, key: mug, stock: 2}\n")
            try change("price", of: "Round fan", to: "9000", in: shop)
            let edited = try await shop.openmarket("edit", "products.csv", "--yes")
            #expect(edited.status == 0, "\(edited.errorText)")
            changed["fan"].price = "9000"
            #expect(try shop.text("openmarket.yaml") == changed.yaml)
        }
    }

    @Test func `a picture that is a link is written by its name, from a table in another folder`() async throws {
        try await CommandSandbox.open { shop in
            _ = try await shop.sh(
                "mkdir images/.content; mv images/5.png images/.content/5; ln -s .content/5 images/5.png"
            )
            try shop.write(
                "tables/new.csv",
                "key,name,description,price,currency,stock,images\nsofa,Sofa,Soft and long enough.,9000,KRW,1,../images/5.png\n"
            )
            let edited = try await shop.openmarket("edit", "tables/new.csv", "--yes")
            #expect(edited.status == 0, "\(edited.errorText)")
            let text = try shop.text("openmarket.yaml")
            #expect(text.contains("images/5.png") && !text.contains(".content") && !text.contains("../"))
        }
    }

    @Test func `the edit of a table stays once its product is managed, until the state forgets it`() async throws {
        try await CommandSandbox.open { shop in
            try shop.write(
                "new.csv",
                "key,name,description,price,currency,stock,images\nsofa,Sofa,Soft and long enough.,9000,KRW,1,images/5.png\n"
            )
            #expect(try await shop.openmarket("apply", "new.csv", "--yes").status == 0)
            let edit = String(
                try await shop.openmarket("undo").text.split(separator: "\n")
                    .first { $0.hasPrefix("edit-") }?.prefix { $0 != " " } ?? ""
            )
            let edited = try shop.text("openmarket.yaml")
            let refused = try await shop.openmarket("undo", edit, "--yes")
            #expect(
                refused.status == 1 && refused.errorText.contains("'sofa' is managed by now"),
                "\(refused.errorText)"
            )
            #expect(try shop.text("openmarket.yaml") == edited)
            #expect(try await shop.openmarket("state", "forget", "sofa").status == 0)
            #expect(try await shop.openmarket("undo", edit, "--yes").status == 0)
            #expect(try shop.text("openmarket.yaml") == ShopManifest.three.yaml)
        }
    }

    @Test func `a shop that has nothing but an export becomes YAML by an edited cell`() async throws {
        try await exported { shop in
            _ = try await shop.sh("rm -r openmarket.yaml .openmarket products.csv*")
            #expect(try await shop.openmarket("export", "-q", "-o", "products.csv").status == 0)
            try change("price", of: "Blue mug", to: "13000", in: shop)
            let applied = try await shop.openmarket("apply", "products.csv", "--yes")
            #expect(applied.status == 0, "\(applied.text)\(applied.errorText)")
            let created = try shop.text("openmarket.yaml")
            #expect(created.hasPrefix("market:\n  url: http://") && created.contains("price: 13000\n"), "\(created)")
            #expect(!created.contains("Round fan"))
            let rows = try await shop.openmarket("export", "--columns", "name,price").text
            #expect(rows.contains("Blue mug,13000\r\n"), "\(rows)")
            #expect(try await shop.openmarket("plan").status == 0)
        }
    }

    @Test func `a fault of the edited manifest is named at the cell, and nothing is written`() async throws {
        try await exported { shop in
            try change("name", of: "Blue mug", to: "M", in: shop)
            let edited = try await shop.openmarket("edit", "products.csv", "--yes")
            #expect(edited.status == 4)
            let isNamed = edited.errorText.contains("products.csv:") && edited.errorText.contains(":name: error: ")
            #expect(isNamed, "\(edited.errorText)")
            #expect(try shop.text("openmarket.yaml") == ShopManifest.three.yaml)
        }
    }
}
