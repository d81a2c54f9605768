@testable import OpenMarketTestSupport
import Testing

/// Plans as a person reads them, as a reviewer gets them, and as scripts read them.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct PlanTextTests {
    /// One product for each thing that can happen to one.
    static let before: ShopManifest = {
        var manifest = ShopManifest(products: [])
        let keys = ["kept", "edited", "drifted", "both", "pictured", "dropped", "buried", "renamed", "lost", "gone"]
        manifest.products = keys.enumerated().map { index, key in
            ShopManifest.Product(
                key: key,
                name: "The \(key) product",
                description: "It was \(key) since the last time.",
                price: "\((index + 1) * 1000)",
                images: ["images/1.png"]
            )
        }
        manifest["edited"].salePrice = "1500"
        return manifest
    }()

    static let after: ShopManifest = {
        var manifest = before.without("dropped").without("gone")
        manifest["edited"].price = "2200"
        manifest["edited"].salePrice = nil
        manifest["edited"].description =
            "A description of its own, much longer than what a line of a plan should show, so that it is cut."
        manifest["both"].price = "4400"
        manifest["pictured"].images = ["images/2.jpg", "images/1.png"]
        manifest["renamed"].key = "new-name"
        manifest["new-name"].more = "    previously: [renamed]\n"
        manifest.products.removeAll { $0.key == "buried" }
        manifest.products.append(
            ShopManifest.Product(
                key: "fresh",
                name: "새 상품",
                description: "It was not there the last time.",
                price: "9900",
                salePrice: "8800",
                images: ["images/3.png", "images/4.jpg"],
                more: "  - key: buried\n    state: absent\n"
            )
        )
        return manifest
    }()

    /// The earlier market of each API has the same plans; what it is sent otherwise, the client's tests compare.
    @Test(arguments: ["v1b", "v2b"])
    func `everything that can happen to a product`(api: String) async throws {
        try await CommandSandbox.applied(api, Self.before) { shop in
            // Two are changed and two deleted on the market, and we lose track of one.
            try await shop.changeElsewhere(
                """
                  - {key: a, id: 3, name: The drifted product, price: 3333}
                  - {key: b, id: 4, name: The both product, price: 4004}

                """
            )
            try await shop.changeElsewhere("  - {key: g, id: 10, state: absent}\n")
            #expect(try await shop.openmarket("state", "forget", "lost").status == 0)
            try shop.change(to: Self.after)
            try shop.server.setFaults()

            let planned = try await shop.sh(
                "openmarket plan --max-delete 100% --allow-namesakes --detailed-exitcode --write "
                    + "markdown=plan.md --write json=plan.json --write text=plan.txt"
            )
            #expect(planned.status == 2)
            expectGolden(shop.normalized(planned.stdout), "plan-\(api).txt")
            #expect(try shop.read("plan.txt") == planned.stdout)
            let document = try shop.text("plan.json")
                .replacing(/openmarket [0-9]+\.[0-9]+\.[0-9]+/, with: "openmarket VERSION")
                .replacing(/(?:[0-9]{8}\/)?(?:[0-9a-f]{32}|[0-9A-F]{8}-[0-9A-F-]{27})/, with: "PICTURE")
                .replacing(/"issued_at": "[^"]+"/, with: #""issued_at": "THEN""#)
            // As Markdown and JSON v1's plan has nothing that v2's lacks, and its requests the client's tests pin.
            if api == "v2b" {
                expectGolden(shop.normalized(try shop.read("plan.md")), "plan-v2b.md")
                expectGolden(shop.normalized(Array(document.utf8)), "plan-v2b.json")
            }
            #expect(try shop.server.writes() == [])

            let flags = ["--max-delete", "100%", "--allow-namesakes"]
            let dryRun = try await shop.program(["apply", "--dry-run"] + flags).run()
            #expect(dryRun.status == 0)
            if api == "v2b" { expectGolden(shop.normalized(dryRun.stdout), "dry-run-v2b.txt") }
            #expect(try shop.server.writes() == [])

            let applied = try await shop.program(["apply", "--yes", "--verify"] + flags).run()
            #expect(applied.status == 0, "\(applied.errorText)")
            #expect(try await shop.openmarket("plan").text == "No changes.\n")
        }
    }

    @Test func `the links of a plan in a subfolder of a job's repository have its path escaped`() async throws {
        try await CommandSandbox.open { shop in
            let planned = try await shop.sh(
                """
                mkdir 'a#1 50%' && cp -R openmarket.yaml images 'a#1 50%' && cd 'a#1 50%'
                openmarket plan --write markdown=plan.md
                """,
                environment: [
                    "GITHUB_SERVER_URL": "https://github.example", "GITHUB_REPOSITORY": "me/shop",
                    "GITHUB_SHA": "0123abc", "GITHUB_WORKSPACE": shop.folder,
                ]
            )
            #expect(planned.status == 0, "\(planned.errorText)")
            let page = try shop.text("a#1 50%/plan.md")
            #expect(page.contains("(<https://github.example/me/shop/blob/0123abc/a%231%2050%25/openmarket.yaml#L"))
        }
    }

    @Test
    func `drift is kept or refused where the user says so`() async throws {
        try await CommandSandbox.applied { shop in
            try await shop.changeElsewhere("  - {key: a, id: 1, name: Blue mug, price: 11111}\n")
            try shop.server.setFaults()
            let kept = try await shop.openmarket("plan", "--on-drift", "keep", "--detailed-exitcode")
            let refused = try await shop.openmarket("plan", "--on-drift", "fail", "--detailed-exitcode")
            let restored = try await shop.openmarket("plan", "--detailed-exitcode")
            #expect([kept.status, refused.status, restored.status] == [0, 5, 2])
            expectGolden(shop.normalized(kept.stdout + kept.stderr), "drift-keep.txt")
            expectGolden(shop.normalized(refused.stdout + refused.stderr), "drift-fail.txt")
            expectGolden(shop.normalized(restored.stdout + restored.stderr), "drift-restore.txt")
        }
    }

    @Test
    func `units that were sold do not come back, unless the user says so or sets another stock`() async throws {
        try await CommandSandbox.open { shop in
            func stock() async throws -> String? {
                let export = try await shop.openmarket("export", "--columns", "id,stock")
                return try StrictCSV(export.stdout).rows.first { $0["id"] == "1" }?["stock"]
            }
            _ = try await shop.openmarket("apply", "--yes")
            var manifest = ShopManifest.three
            manifest["mug"].price = "12500"
            try shop.change(to: manifest)
            #expect(try await shop.openmarket("plan", "-o", "plan.json").status == 0)
            try await shop.changeElsewhere("  - {key: a, id: 1, name: Blue mug, stock: 3}\n")
            // The plan was made before two units were sold.
            let applied = try await shop.openmarket("apply", "plan.json")
            #expect(applied.status == 0, "\(applied.errorText)")
            #expect(try await stock() == "3")
            let kept = try await shop.openmarket("plan", "--detailed-exitcode")
            #expect(kept.status == 0 && kept.text == "No changes.\n")
            #expect(kept.errorText.contains("the stock of 1 product changed on the market, and stays as it is there"))
            #expect(try await shop.openmarket("apply", "--yes", "--recreate", "mug").status == 0)
            #expect(try await shop.openmarket("plan", "--detailed-exitcode", "--on-drift", "restore").status == 2)
            manifest["mug"].stock = 20
            try shop.change(to: manifest)
            #expect(try await shop.openmarket("apply", "--yes").status == 0)
            let rows = try await shop.rows("--columns", "key,stock")
            #expect(rows.first { $0["key"] == "mug" }?["stock"] == "20")
        }
    }

    @Test
    func `a saved plan is stale by a run that changed its field, and not by one that changed another`() async throws {
        for isPrice in [false, true] {
            try await CommandSandbox.applied { shop in
                var manifest = ShopManifest.three
                manifest["mug"].price = "12500"
                try shop.change(to: manifest)
                #expect(try await shop.openmarket("plan", "-o", "plan.json").status == 0)
                var other = ShopManifest.three
                if isPrice { other["mug"].price = "11000" } else { other["mug"].name = "Green mug" }
                try shop.change(to: other)
                #expect(try await shop.openmarket("apply", "--yes").status == 0)
                let applied = try await shop.openmarket("apply", "plan.json")
                #expect(applied.status == (isPrice ? 6 : 0), "\(applied.text)\(applied.errorText)")
                let rows = try await shop.rows()
                let mug = rows.first { $0["key"] == "mug" }
                #expect(mug?["price"] == (isPrice ? "11000" : "12500"))
                #expect(mug?["name"] == (isPrice ? "Blue mug" : "Green mug"))
            }
        }
    }

    @Test
    func `two products that could be meant are listed, not guessed at`() async throws {
        try await CommandSandbox.applied("v2b", .plain(1)) { shop in
            _ = try await shop.openmarket("state", "forget", "thing-1")
            // The same product a second time, from another computer.
            _ = try await shop.openmarket("apply", "--yes", "--allow-namesakes", "--state", "other.db")
            var twin = ShopManifest.plain(1)
            twin["thing-1"].key = "twin"
            try shop.change(to: twin)
            _ = try await shop.openmarket("apply", "--yes", "--allow-namesakes", "--state", "third.db")
            let rows = try await shop.rows()
            let planned = try await shop.openmarket("plan")
            expectGolden(
                shop.normalized(
                    Array("\(rows.count) on the market, exit \(planned.status)\n".utf8) + planned.stdout
                        + planned.stderr
                ),
                "candidates.txt"
            )
        }
    }
}
