@testable import OpenMarketTestSupport
import Testing

/// Plan, apply, change, export: on each of the four markets.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct MainJobTests {
    static let profiles = ["v1a", "v1b", "v2a", "v2b"]

    @Test(arguments: profiles)
    func `what was applied needs no change`(api: String) async throws {
        try await CommandSandbox.open(api) { shop in
            let applied = try await shop.openmarket("apply", "--yes")
            #expect(applied.status == 0)
            #expect(applied.text.hasSuffix("Apply complete: 3 added, 0 changed, 0 replaced, 0 deleted.\n"))
            let creates = try shop.server.writes()
            #expect(creates.map(\.method) == ["POST", "POST", "POST"])

            let planned = try await shop.openmarket("plan", "--detailed-exitcode")
            #expect(planned.status == 0)
            #expect(planned.text == "No changes.\n")
            #expect(planned.errorText == "")
            let again = try await shop.openmarket("apply", "--yes")
            #expect(again.text == "No changes.\n")
            #expect(try shop.server.writes() == creates)
        }
    }

    @Test(arguments: profiles)
    func `an edited price is one request with that field alone`(api: String) async throws {
        try await CommandSandbox.applied(api) { shop in
            var manifest = ShopManifest.three
            manifest["mug"].price = "13500"
            try shop.change(to: manifest)

            let dryRun = try await shop.openmarket("apply", "--dry-run")
            #expect(try await shop.openmarket("apply", "--dry-run", "--result", "result.json").status == 64)
            #expect(dryRun.status == 0)
            expectGolden(shop.normalized(dryRun.stdout), "dry-run-price-\(api.prefix(2)).txt")
            #expect(try shop.server.writes() == [])

            #expect(try await shop.openmarket("plan", "--detailed-exitcode").status == 2)
            #expect(try shop.server.writes() == [])

            let applied = try await shop.openmarket("apply", "--yes")
            #expect(applied.status == 0)
            let path = api.hasPrefix("v1") ? "/item/1" : "/api/products/1"
            #expect(try shop.server.writes().map(\.description) == ["PATCH \(path) 200"])
            #expect(try await shop.openmarket("plan").text == "No changes.\n")
        }
    }

    @Test(arguments: profiles)
    func `a product taken out of the manifest is one delete`(api: String) async throws {
        try await CommandSandbox.applied(api) { shop in
            try shop.change(to: .three.without("fan"))
            let applied = try await shop.openmarket("apply", "--yes")
            #expect(applied.status == 0)
            #expect(applied.text.contains("  -   fan (3) \"Round fan\"  # no longer in the manifest"))

            let writes = try shop.server.writes()
            #expect(writes.filter { $0.method == "DELETE" }.map(\.status) == [200])
            // v2 asks for a key first.
            #expect(writes.count == (api.hasPrefix("v1") ? 1 : 2))
            let rows = try await shop.rows()
            #expect(rows.map { $0["key"] }.sorted { $0 ?? "" < $1 ?? "" } == ["lamp", "mug"])
        }
    }

    @Test(arguments: profiles)
    func `the pictures at the market are the files byte for byte`(api: String) async throws {
        try await CommandSandbox.applied(api) { shop in
            let rows = try await shop.rows("--details")
            for product in ShopManifest.three.products {
                let row = try #require(rows.first { $0["key"] == product.key })
                let addresses = (row["images"] ?? "").split(separator: " ").map(String.init)
                let pictures = try addresses.map { try shop.server.get($0) }
                #expect(try pictures == product.images.map { try shop.read($0) })
            }
        }
    }

    @Test(arguments: profiles)
    func `the export says what the manifest says, value by value`(api: String) async throws {
        try await CommandSandbox.applied(api) { shop in
            let exported = try await shop.openmarket("export", "-o", "catalog.csv", "--details")
            #expect(exported.status == 0)
            #expect(exported.text == "")
            #expect(exported.errorText == "Exported 3 products to catalog.csv\n")

            let table = try StrictCSV(try shop.read("catalog.csv"))
            let header =
                "id,key,name,description,price,currency,sale_price,discount,stock,vendor_id,vendor,thumbnail,images,created_at,issued_at"
            #expect(table.records.first == header.split(separator: ",").map(String.init))
            let values = table.rows.map { row in
                ["key", "name", "description", "price", "currency", "sale_price", "discount", "stock"].map {
                    row[$0] ?? ""
                }
            }
            #expect(
                values.sorted { $0[0] < $1[0] } == [
                    ["fan", "Round fan", "=A fan of paper; and wood", "8000", "KRW", "", "", "0"],
                    ["lamp", "책상 조명, 두 팔", "Warm light, two arms.", "35000", "KRW", "31500", "3500", "12"],
                    [
                        "mug", "Blue mug", "A \"blue\" mug, 300 ml.\nWith a line of its own.", "12000", "KRW", "", "",
                        "5",
                    ],
                ]
            )
        }
    }

    @Test(arguments: profiles)
    func `other pictures are replaced where the market can change none`(api: String) async throws {
        try await CommandSandbox.applied(api) { shop in
            var manifest = ShopManifest.three
            manifest["mug"].images = ["images/5.jpg", "images/6.png"]
            try shop.change(to: manifest)
            let applied = try await shop.openmarket("apply", "--yes")
            #expect(applied.status == 0)
            let methods = try shop.server.writes().map(\.method)
            #expect(methods == (api.hasPrefix("v1") ? ["PATCH"] : ["POST", "POST", "DELETE"]))
            #expect(try await shop.openmarket("plan").text == "No changes.\n")

            let rows = try await shop.rows("--details")
            #expect(rows.count == 3)
            let mug = try #require(rows.first { $0["key"] == "mug" })
            let pictures = try (mug["images"] ?? "").split(separator: " ").map { try shop.server.get(String($0)) }
            #expect(pictures == [SmallPicture.jpeg(5), SmallPicture.png(6)])
        }
    }

    @Test(arguments: ["v2a", "v2b"])
    func `prices with cents go where the market has them`(api: String) async throws {
        var manifest = ShopManifest.plain(1)
        manifest.sections = "defaults:\n  currency: USD\n"
        manifest["thing-1"].price = "16.99"
        manifest["thing-1"].salePrice = "16.9"
        try await CommandSandbox.applied(api, manifest) { shop in
            #expect(try await shop.openmarket("plan", "--detailed-exitcode").text == "No changes.\n")
            let rows = try await shop.rows()
            #expect(rows.map { [$0["price"], $0["currency"], $0["sale_price"]] } == [["16.99", "USD", "16.9"]])
        }
    }
}
