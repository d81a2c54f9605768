import FoundationEssentials
@testable import OpenMarketTestSupport
import Testing

/// A shop that exists becomes a manifest that plans to no changes.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct PullCommandTests {
    /// Faults of a market that does not give its pictures, or not the one of these requests.
    private static func refusingPictures(_ api: String, nth: String? = nil) -> String {
        let path = api.hasPrefix("v1") ? "/images/*" : "/training-resources/*"
        return "rules:\n  - path: \(path)\n" + (nth.map { "    nth: \($0)\n" } ?? "") + "    fault: {status: 410}\n"
    }

    /// What the products' own folder made, pulled into another one.
    private func withShop(_ api: String, _ body: (CommandSandbox, _ pulled: CommandSandbox) async throws -> Void)
        async throws
    {
        try await CommandSandbox.applied(api) { shop in
            let pulled = CommandSandbox(folder: shop.folder + "/pulled", api: api, server: shop.server)
            try FileManager.default.createDirectory(atPath: pulled.folder, withIntermediateDirectories: true)
            try await body(shop, pulled)
            #expect(try shop.server.writes().allSatisfy(\.isQuestion))
        }
    }

    @Test(arguments: TestScope.sweptProfiles)
    func `what is pulled plans to no changes, and a change of it is one request`(api: String) async throws {
        try await withShop(api) { _, pulled in
            let output = try await pulled.openmarket("pull", "--adopt")
            #expect(output.status == 0, "\(output.errorText)")
            #expect(output.text == "Pulled 3 products and 4 pictures into openmarket.yaml\n")
            #expect(try await pulled.openmarket("plan", "--refresh", "full").text == "No changes.\n")
            #expect(try await pulled.openmarket("validate").status == 0)
            if api == "v2b" { expectGolden(pulled.normalized(try pulled.read("openmarket.yaml")), "pulled.yaml") }
            // Without the state, the ids in the manifest bind the products again.
            try FileManager.default.removeItem(atPath: pulled.folder + "/.openmarket")
            #expect(try await pulled.openmarket("apply", "--yes").status == 0)
            #expect(try await pulled.openmarket("plan").text == "No changes.\n")
            // Where there is proof whose they are, the market is asked for it.
            #expect(try pulled.server.writes().map(\.isQuestion) == (api.hasPrefix("v2") ? [true] : []))
            try pulled.server.setFaults()
            let manifest = try pulled.text("openmarket.yaml")
            try pulled.write("openmarket.yaml", manifest.replacing("price: 12000", with: "price: 12500"))
            #expect(try await pulled.openmarket("apply", "--yes").status == 0)
            #expect(try pulled.server.writes().map(\.method) == ["PATCH"])
            try pulled.server.setFaults()
        }
    }

    @Test func `for another market products have no ids, and only what that market takes`() async throws {
        try await withShop("v2b") { _, pulled in
            try pulled.write("stockless.market.yaml", Self.stockless)
            try pulled.write(
                "new.yaml",
                "market: {url: 'http://127.0.0.1:1', api: ./stockless.market.yaml, secret: !env NEW}\n"
            )
            let arguments = ["pull", "--for", "new.yaml", "-o", "products.yaml"]
            let output = try await pulled.program(arguments).run()
            #expect(output.status == 0, "\(output.errorText)")
            #expect(output.text == "Pulled 3 products and 0 pictures into products.yaml\n")
            #expect(output.errorText.contains("stock is not managed: no request to stockless can send it"))
            expectGolden(pulled.normalized(try pulled.read("products.yaml")), "pulled-for-another.yaml")
            #expect(!FileManager.default.fileExists(atPath: pulled.folder + "/.openmarket"))
            #expect(!FileManager.default.fileExists(atPath: pulled.folder + "/images"))
            // The other market's limits and reasons are its own: what it does not take is named, and nothing was lost on the way.
            #expect(
                try await pulled.openmarket("validate", "new.yaml", "products.yaml", environment: Self.new).status == 0
            )

        }
    }

    /// What is known of the other market, and not of the one that is pulled.
    private static let new = ["OPENMARKET_URL": "", "OPENMARKET_API": ""]

    /// A market without stock and pictures.
    private static let stockless = """
        market: 1
        name: stockless
        identity: {id: {at: /id, as: integer, order: rising}}
        fields:
          name: {at: /name}
          description: {at: /text}
          price: {at: /price, as: number}
          currency: {at: /currency}
          sale: {at: /sale, as: number, means: sale_price, none: null}
        list: {path: /products, page: {by: none}, rows: "", complete: whole}
        operations:
          detail: {path: "/products/{id}"}
          create: {method: POST, path: /products, body: json}
          update: {method: PATCH, path: "/products/{id}", body: json}

        """

    @Test(arguments: ["v1b", "v2b"])
    func `pictures that are not available are not managed, and a product that is pulled anew has them`(api: String)
        async throws
    {
        try await withShop(api) { shop, pulled in
            // A gateway between us and the market answers with a page of its own.
            let refusing = Self.refusingPictures(api)
            for fault in [refusing, refusing.replacing("{status: 410}", with: "{page: before}")] {
                try shop.server.setFaults(fault)
                if pulled.exists("openmarket.yaml") {
                    try FileManager.default.removeItem(atPath: pulled.folder + "/openmarket.yaml")
                }
                let output = try await pulled.openmarket("pull", "--adopt")
                #expect(output.status == 3, "\(output.errorText)")
                #expect(output.errorText.contains("error: 4 pictures could not be downloaded"))
                #expect(try !pulled.text("openmarket.yaml").contains("images: ["))
                #expect(try await pulled.openmarket("plan").text == "No changes.\n")
            }
            try shop.server.setFaults()
            // Without its lines it would be deleted; named by its number it is listed again.
            let text = try pulled.text("openmarket.yaml")
            let start = try #require(text.ranges(of: "  - key: ").last).lowerBound
            try pulled.write("openmarket.yaml", String(text[..<start]))
            let again = try await pulled.openmarket("pull", "--adopt", "--yes", "--id", "3")
            #expect(again.status == 0, "\(again.text)\(again.errorText)")
            #expect(try pulled.text("openmarket.yaml").contains("images: [images/round-fan-1.png]"))
            #expect(try await pulled.openmarket("plan").text == "No changes.\n")
        }
    }

    @Test func `a manifest that lists what the market has, and a picture of one's own, stay byte for byte`()
        async throws
    {
        try await withShop("v2b") { shop, pulled in
            let before = try shop.read("openmarket.yaml")
            let same = try await shop.openmarket("pull")
            #expect(same.status == 0 && same.text == "No edits.\n", "\(same.text)\(same.errorText)")
            #expect(try shop.read("openmarket.yaml") == before)

            try pulled.write("images/blue-mug-1.png", SmallPicture.png(99))
            #expect(try await pulled.openmarket("pull", "--adopt").status == 0)
            #expect(try pulled.read("images/blue-mug-1.png") == SmallPicture.png(99))
            #expect(try pulled.text("openmarket.yaml").contains(/images: \[images\/blue-mug-1-[0-9a-f]{8}\.png\]/))
        }
    }

    @Test func `the state knows changed pictures that a pull took, where the market does not keep their bytes`()
        async throws
    {
        try await withShop("v1b") { _, pulled in
            #expect(try await pulled.openmarket("pull", "--adopt").status == 0)
            for number in 1...2 { try pulled.write("elsewhere/\(number).png", SmallPicture.png(50 + number)) }
            try await pulled.changeElsewhere("- {id: 1, key: a, images: [1.png, 2.png]}\n")
            try pulled.server.setFaults()
            let output = try await pulled.openmarket("pull", "--yes")
            #expect(output.status == 0, "\(output.text)\(output.errorText)")
            #expect(output.text.contains("Wrote 1 edit into 1 file: edit-"), "\(output.text)")
            #expect(try await pulled.openmarket("plan", "--refresh", "full").text == "No changes.\n")
        }
    }

    @Test func `new products come to the end of the list, changed values to their lines, and other lines stay`()
        async throws
    {
        try await withShop("v2b") { _, pulled in
            #expect(try await pulled.openmarket("pull", "--adopt", "--id", "1", "--id", "3").status == 0)
            let before =
                "# mine\n"
                + (try pulled.text("openmarket.yaml"))
                .replacing("    price: 12000\n", with: "    price: 12500   # raised here\n")
                .replacing("    stock: 0\n", with: "    stock: 0   # none is left\n")
            try pulled.write("openmarket.yaml", before)
            try await pulled.changeElsewhere(
                "- {id: 1, key: a, price: 14000}\n- {id: 3, key: b, price: 9000, stock: 7}\n"
            )
            try pulled.server.setFaults()
            let unasked = try await pulled.openmarket("pull", "--adopt")
            #expect(unasked.status == 64, "\(unasked.errorText)")
            #expect(try pulled.text("openmarket.yaml") == before)

            let output = try await pulled.openmarket("pull", "--adopt", "--yes")
            #expect(output.status == 3)
            #expect(output.errorText.contains("because: the manifest was also changed"), "\(output.errorText)")
            #expect(
                output.text.contains("Edit: 1 product to add, 1 to change, 0 to remove; 1 left alone.\n"),
                "\(output.text)"
            )
            let changed = before.replacing("    price: 8000\n", with: "    price: 9000\n")
                .replacing("    stock: 0   #", with: "    stock: 7   #")
            let text = try pulled.text("openmarket.yaml")
            #expect(text.hasPrefix(changed + "\n  - key: 책상-조명-두-팔\n"), "\(text)")
            #expect(text.hasSuffix("    id: 2\n"))
            // The state has the product and the new values: what is left is what the manifest changed.
            let plan = try await pulled.openmarket("plan")
            #expect(plan.text.contains("12500") && !plan.text.contains("round-fan"), "\(plan.text)")
        }
    }

    @Test func `of several files that list products, --out names the one for new ones`() async throws {
        try await withShop("v2b") { _, pulled in
            for (file, id) in [("a.yaml", "1"), ("b.yaml", "3")] {
                try pulled.write(
                    "market.yaml",
                    "market: {secret: !env OPENMARKET_SECRET, identifier: !env OPENMARKET_IDENTIFIER}\n"
                )
                let first = try await pulled.openmarket("pull", "market.yaml", "-o", file, "--adopt", "--id", id)
                #expect(first.status == 0, "\(first.errorText)")
            }
            try pulled.write("openmarket.yaml", "include: [market.yaml, a.yaml, b.yaml]\n")
            let (a, b) = (try pulled.text("a.yaml"), try pulled.text("b.yaml"))
            let unknown = try await pulled.openmarket("pull", "--adopt", "--yes")
            #expect(unknown.status == 64 && unknown.errorText.contains("several files list products"))
            let output = try await pulled.openmarket("pull", "--adopt", "--yes", "-o", "b.yaml")
            #expect(output.status == 0, "\(output.errorText)")
            #expect(try pulled.text("a.yaml") == a)
            #expect(try pulled.text("b.yaml").hasPrefix(b + "\n  - key: "))
            #expect(try await pulled.openmarket("plan").text == "No changes.\n")
            // A lost file comes back with all of its products.
            try FileManager.default.removeItem(atPath: pulled.folder + "/b.yaml")
            let back = try await pulled.openmarket("pull", "market.yaml", "a.yaml", "-o", "b.yaml", "--adopt", "--yes")
            #expect(back.status == 0, "\(back.text)\(back.errorText)")
            let text = try pulled.text("b.yaml")
            #expect(text.contains("    id: 2\n") && text.contains("    id: 3\n"), "\(text)")
            #expect(try await pulled.openmarket("plan").text == "No changes.\n")
        }
    }

    @Test func `the market's section may stay in a file of its own`() async throws {
        try await withShop("v1b") { _, pulled in
            try pulled.write("market.yaml", "market: {secret: !env OPENMARKET_SECRET}\n")
            let output = try await pulled.openmarket("pull", "-f", "market.yaml", "-o", "catalog.yaml", "--adopt")
            #expect(output.status == 0, "\(output.errorText)")
            #expect(try !pulled.text("catalog.yaml").contains("market:"))
            #expect(try await pulled.openmarket("plan", "market.yaml", "catalog.yaml").text == "No changes.\n")
            let json = try await pulled.sh("openmarket pull --adopt -o other.yaml --state other.db --json")
            #expect(
                json.text.hasPrefix(
                    #"{"format_version":1,"manifest":"other.yaml","products":3,"pictures":4,"missing_pictures":0,"#
                )
            )
        }
    }

    @Test(arguments: ["v1b", "v2b"])
    func `an export keeps each picture once, and fetches only what is missing`(api: String) async throws {
        try await withShop(api) { shop, pulled in
            // Of four pictures one is not available at first.
            try shop.server.setFaults(Self.refusingPictures(api, nth: "[2]"))
            let first = try await shop.openmarket("export", "-o", "c.csv", "--images", "pictures")
            #expect(first.status == 3, "\(first.errorText)")
            #expect(first.errorText.contains("Kept 3 pictures in pictures, 3 of them fetched\n"))
            #expect(try StrictCSV(try shop.read("c.csv")).rows.count == 3)
            try shop.server.setFaults()
            let second = try await shop.openmarket("export", "-o", "c.csv", "--images", "pictures")
            #expect(second.status == 0, "\(second.errorText)")
            #expect(second.errorText.contains("Kept 4 pictures in pictures, 1 of them fetched\n"))
            try shop.server.setFaults(Self.refusingPictures(api))
            let third = try await shop.openmarket("export", "-o", "c.csv", "--images", "pictures")
            #expect(third.errorText.contains("Kept 4 pictures in pictures, 0 of them fetched\n"))
            try shop.server.setFaults()
            for (name, bytes) in [
                ("mug-1.png", SmallPicture.png(1)), ("lamp-1.jpg", SmallPicture.jpeg(2)),
                ("lamp-2.png", SmallPicture.png(3)),
            ] {
                #expect(try shop.read("pictures/" + name) == bytes)
            }
            // Without the state, names say the numbers.
            #expect(try await pulled.openmarket("export", "-o", "c.csv", "--images", "p").status == 0)
            let names = try FileManager.default.contentsOfDirectory(atPath: pulled.folder + "/p").sorted()
            #expect(
                names == [
                    ".content", "blue-mug-1-1.png", "round-fan-3-1.png", "책상-조명-두-팔-2-1.jpg", "책상-조명-두-팔-2-2.png",
                ]
            )
        }
    }
}
