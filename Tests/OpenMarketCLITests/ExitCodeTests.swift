@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// The exit codes, which are a promise to scripts.
///
/// 4, 8 and 9 are in `BadInputTests`, 6 in `SavedPlanTests`, 130 in `InterruptionTests`.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ExitCodeTests {
    @Test
    func `0 and 2 say whether changes are pending, 2 only when asked for`() async throws {
        try await CommandSandbox.open { shop in
            #expect(try await shop.openmarket("plan").status == 0)
            #expect(try await shop.openmarket("diff", "--detailed-exitcode").status == 2)
            _ = try await shop.openmarket("apply", "--yes")
            #expect(try await shop.openmarket("plan", "--detailed-exitcode").status == 0)
            #expect(try shop.server.writes().count == 3)
        }
    }

    @Test(arguments: TestScope.sweptProfiles)
    func `3 when some failed and the rest was done`(api: String) async throws {
        let faults = "rules:\n  - method: POST\n    nth: 2\n    fault: {status: 418, when: before}\n"
        try await CommandSandbox.open(api, .plain(3), faults: faults) { shop in
            let output = try await shop.openmarket("apply", "--yes", "--result", "result.json")
            #expect(output.status == 3)
            #expect(output.text.hasSuffix("Apply ended: 2 added, 0 changed, 0 replaced, 0 deleted, 1 failed.\n"))
            #expect(output.errorText.contains("failed: openmarket.yaml:13:5: create of 'thing-2': "))

            let result = try JSONValue.parse(try shop.read("result.json"))
            let statuses = result["operations"]?.elements?.map { [$0["key"]?.text, $0["status"]?.text] }
            #expect(statuses == [["thing-1", "done"], ["thing-2", "failed"], ["thing-3", "done"]])
            #expect(result["totals"]?["failed"]?.integer == 1)

            // What failed is made by the next run, and only that.
            let again = try await shop.openmarket("apply", "--yes")
            #expect(again.text.hasSuffix("Apply complete: 1 added, 0 changed, 0 replaced, 0 deleted.\n"))
            #expect(try await shop.rows().count == 3)
        }
    }

    @Test
    func `5 when the manifest has no products and the state has`() async throws {
        try await CommandSandbox.applied { shop in
            try shop.change(to: ShopManifest(products: []))
            for command in ["plan", "apply --yes"] {
                let output = try await shop.sh("openmarket \(command)")
                #expect(output.status == 5)
                expectGolden(shop.normalized(output.stderr), "refused-empty.txt")
            }
            #expect(try shop.server.writes() == [])
            let meant = try await shop.openmarket("apply", "--yes", "--allow-empty")
            #expect(meant.status == 0)
            #expect(meant.text.hasSuffix("Apply complete: 0 added, 0 changed, 0 replaced, 3 deleted.\n"))
        }
    }

    @Test
    func `5 when too many would be deleted, too far a price would move, or a protected one would go`() async throws {
        try await CommandSandbox.open("v2b", .plain(12)) { shop in
            _ = try await shop.openmarket("apply", "--yes", "--parallelism", "8")
            try shop.server.setFaults()
            try shop.change(to: .plain(7))
            let many = try await shop.openmarket("apply", "--yes")
            #expect(many.status == 5)
            expectGolden(shop.normalized(many.stderr), "refused-deletes.txt")

            var manifest = ShopManifest.plain(12)
            manifest.sections += "policies:\n  max_price_change: 50%\n"
            manifest["thing-3"].price = "30000"
            try shop.change(to: manifest)
            let dear = try await shop.openmarket("apply", "--yes")
            #expect(dear.status == 5)
            expectGolden(shop.normalized(dear.stderr), "refused-price.txt")
            #expect(try shop.server.writes() == [])

            let meant = try await shop.openmarket("apply", "--yes", "--max-price-change", "none")
            #expect(meant.status == 0)
            #expect(try shop.server.writes().map(\.method) == ["PATCH"])
        }
    }

    @Test
    func `7 when another run holds the lock, with who and since when`() async throws {
        // The first run waits at its first create until the market is ordered to go on.
        let faults = "rules:\n  - method: POST\n    fault: {latency: 3600s}\n"
        try await CommandSandbox.open("v2b", .plain(2), faults: faults) { shop in
            let first = shop.program(["apply", "--yes", "--json"])
            let ended = try await first.run { process in
                try await shop.server.arrived(1)
                let second = try await shop.openmarket("apply", "--yes")
                #expect(second.status == 7)
                let text = second.errorText.replacing("process \(process.id),", with: "process PID,")
                expectGolden(shop.normalized(Array(text.utf8)), "locked.txt")
                // Reading needs no lock.
                #expect(try await shop.openmarket("plan").status == 0)
                #expect(try await shop.openmarket("state", "list").status == 0)
                process.send(.interrupt)
                try await process.line(containing: "press Ctrl-C again to abort", on: .stderr)
                process.send(.interrupt)
            }
            #expect(ended.output.status == 130)
        }
    }

    @Test
    func `10 when the export is complete but the catalog changed while it was read`() async throws {
        try await CommandSandbox.applied("v2b", .plain(3)) { shop in
            try shop.fillMarket(rows: 400)
            try shop.server.setFaults(
                "rules:\n  - method: GET\n    path: /api/products\n    nth: 1\n    fault: {appear: 2}\n"
            )
            let output = try await shop.openmarket("export", "-o", "catalog.csv")
            let rows = try StrictCSV(try shop.read("catalog.csv")).rows
            let certificate = try JSONValue.parse(try shop.read("catalog.csv.certificate.json"))
            #expect(certificate["rows"]?.integer == Int64(rows.count))
            #expect(Set(rows.compactMap { $0["key"] }).isSuperset(of: ["thing-1", "thing-2", "thing-3"]))
            #expect(output.status == 10)
            #expect(certificate["catalog_moved"] == .bool(true))
            expectGolden(shop.normalized(output.stderr), "catalog-moved.txt")
        }
    }

    @Test(
        arguments: [
            ["plan", "--bogus"], ["frobnicate"], ["plan", "--max-delete", "-1"], ["export", "--json"],
            ["serve", "--api", "v2a,v2b"], ["apply"], ["frobnicate", "--json"], ["help", "frobnicate"],
            ["state", "mvoe", "--json"], ["validate", "-f.yaml"],
        ]
    )
    func `64 for wrong usage`(arguments: [String]) async throws {
        try await CommandSandbox.open { shop in
            let output = try await shop.program(arguments).run()
            #expect(output.status == 64)
            #expect(output.text == "")
            expectGolden(shop.normalized(output.stderr), "usage-\(arguments.joined(separator: "-")).txt")
            #expect(try shop.server.writes() == [])
        }
    }
}
