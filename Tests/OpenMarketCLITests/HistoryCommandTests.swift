import FoundationEssentials
@testable import OpenMarketTestSupport
import Testing

/// `openmarket history`: what past runs did, as it is seen the morning after.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct HistoryCommandTests {
    /// Three runs: all is listed; one change succeeds and one is refused; one is killed while its request is under way.
    private static func open(_ body: (CommandSandbox) async throws -> Void) async throws {
        try await CommandSandbox.applied { shop in
            var manifest = ShopManifest.three
            manifest["mug"].price = "9500"
            manifest["fan"].price = "19000"
            try shop.change(to: manifest)
            try shop.server.setFaults("rules:\n  - {method: PATCH, nth: 2, fault: {status: 418}}\n")
            #expect(try await shop.openmarket("apply", "--yes").status == 3)
            try shop.server.setFaults("rules:\n  - {method: PATCH, fault: {latency: 3600s}}\n")
            let ended = try await shop.program(["apply", "--yes"]).run { process in
                try await shop.server.arrived(1)
                process.send(.kill)
            }
            #expect(ended.output.status == 128 + 9)
            try await body(shop)
        }
    }

    /// A result without the times of the runs.
    private static func timeless(_ output: Program.Output, _ shop: CommandSandbox) -> [UInt8] {
        let text = output.text.replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}(\.[0-9]+)?Z/, with: "THEN")
        return shop.normalized(Array(text.utf8))
    }

    @Test
    func `each run says what it did, what went wrong first`() async throws {
        try await Self.open { shop in
            let all = try await shop.openmarket("history")
            #expect(all.status == 0)
            expectGolden(Self.timeless(all, shop), "history.txt")
            let one = try await shop.openmarket("history", "mug", "--limit", "2")
            expectGolden(Self.timeless(one, shop), "history-key.txt")
            let json = try await shop.openmarket("history", "--limit", "2", "--json")
            expectGolden(Self.timeless(json, shop), "history.json")

            // The last run's name leads to all of it.
            let run = String(all.text.prefix { $0 != " " })
            let named = try await shop.openmarket("history", "--run", run)
            #expect(all.text.hasPrefix(named.text + "\n"))
        }
    }

    @Test
    func `a run is taken back: what it deleted is shown, listed again, and created again`() async throws {
        try await CommandSandbox.applied { shop in
            var manifest = ShopManifest.three.without("fan")
            manifest["mug"].price = "9500"
            try shop.change(to: manifest)
            #expect(try await shop.openmarket("apply", "--yes").status == 0)
            let json = try await shop.openmarket("history", "fan", "--limit", "1", "--json").text
            #expect(json.contains("\"live\":") && json.contains("\"price\":"), "\(json)")

            let run = String(try await shop.openmarket("history").text.prefix { $0 != " " })
            for (choice, edits) in [
                (["--target", "f*"], "1 product to add, 0 to change"),
                (["--exclude", "fan"], "0 products to add, 1 to"),
                (["--where", "price<9000"], "1 product to add, 0 to"),
                (["--where", "key=m*"], "0 products to add, 1 to"),
            ] {
                let chosen = try await shop.program(["undo", run, "--write", "diff=undo.diff"] + choice).run()
                #expect(chosen.status == 0 && chosen.text.contains(edits), "\(choice): \(chosen.text)")
            }
            #expect(try await shop.openmarket("undo", run, "--yes", "--target", "fun").status == 64)
            #expect(try await shop.openmarket("undo", run, "--yes", "--where", "price>9999999").status == 64)

            let undone = try await shop.openmarket("undo", run, "--yes")
            #expect(undone.status == 0, "\(undone.text)\(undone.errorText)")
            #expect(undone.text.contains("Edit: 1 product to add, 1 to change, 0 to remove."), "\(undone.text)")
            let runs = try await shop.openmarket("history").text.split(separator: "\n").filter { !$0.hasPrefix(" ") }
            #expect(runs.count == 2)
            let listed = try await shop.openmarket("undo").text.split(separator: "\n")
            #expect(listed.first?.hasPrefix("edit-") == true && Array(listed.dropFirst()) == runs, "\(listed)")
            #expect(try await shop.openmarket("apply", "--yes").status == 0)
            try shop.change(to: .three)
            let left = try await shop.openmarket("plan")
            #expect(left.text.contains("No changes."), "\(left.text)")
        }
    }

    /// The fan's file is gone from the folder when its picture comes back.
    @Test(arguments: ["v1b", "v2b"])
    func `a run gives back the picture that it deleted, unless it was told to keep none`(_ api: String) async throws {
        try await CommandSandbox.applied(api) { shop in
            try shop.change(to: ShopManifest.three.without("fan"))
            let deleted = try await shop.openmarket("apply", "--yes")
            #expect(
                deleted.status == 0 && deleted.errorText.contains("Kept 1 old picture for undo, "),
                "\(deleted.errorText)"
            )
            try FileManager.default.removeItem(atPath: shop.folder + "/images/4.png")
            let run = String(try await shop.openmarket("history").text.prefix { $0 != " " })
            let undone = try await shop.openmarket("undo", run, "--yes")
            #expect(undone.status == 0, "\(undone.text)\(undone.errorText)")
            #expect(try shop.text("openmarket.yaml").contains("images/fan-1.png"))
            #expect(try shop.read("images/fan-1.png") == SmallPicture.png(4))
            #expect(try await shop.openmarket("apply", "--yes", "--verify").status == 0)

            try shop.change(to: ShopManifest.three.without("fan"))
            try FileManager.default.removeItem(atPath: shop.folder + "/images/fan-1.png")
            try FileManager.default.removeItem(atPath: shop.folder + "/.openmarket/kept")
            #expect(try await shop.openmarket("apply", "--yes", "--keep-pictures", "0").status == 0)
            #expect(!shop.exists(".openmarket/kept"))
            let last = String(try await shop.openmarket("history").text.prefix { $0 != " " })
            let left = try await shop.openmarket("undo", last, "--yes")
            #expect(left.status == 3 && left.errorText.contains("its pictures were not kept here"), "\(left.errorText)")
        }
    }

    @Test
    func `a deleted product goes back to the file that listed it, with its picture in that file's folder`()
        async throws
    {
        try await CommandSandbox.open { shop in
            // Its name is the one that it comes back under.
            try shop.write("more/images/small-1.png", SmallPicture.png(6))
            try shop.write(
                "more/more.yaml",
                "products:\n  - {key: small, name: Small thing, description: A very small thing., price: 10, stock: 1, images: [images/small-1.png]}\n"
            )
            let apply = ["apply", "openmarket.yaml", "more", "--yes"]
            #expect(try await shop.program(apply).run().status == 0)
            try shop.write("more/more.yaml", "products: []\n")
            try FileManager.default.removeItem(atPath: shop.folder + "/more/images/small-1.png")
            #expect(try await shop.program(apply).run().status == 0)
            let run = String(try await shop.openmarket("history").text.prefix { $0 != " " })
            let undone = try await shop.openmarket("undo", run, "--yes", "-f", "openmarket.yaml", "-f", "more")
            #expect(undone.status == 0, "\(undone.text)\(undone.errorText)")
            #expect(try shop.text("more/more.yaml").contains("images/small-1.png"))
            #expect(try shop.read("more/images/small-1.png") == SmallPicture.png(6))
            #expect(try await shop.program(apply + ["--verify"]).run().status == 0)
        }
    }

    @Test
    func `a picture that the market lacks is named, and the run goes on; a market out of reach ends it`() async throws {
        try await CommandSandbox.applied { shop in
            try shop.change(to: ShopManifest.three.without("fan"))
            func faults(_ fault: String) throws {
                try shop.server.setFaults("rules:\n  - path: /training-resources/*\n    fault: {\(fault)}\n")
            }
            try faults("status: 503")
            let failed = try await shop.openmarket("apply", "--yes")
            #expect(failed.status == 9, "\(failed.errorText)")
            #expect(try shop.server.writes().allSatisfy(\.isQuestion))
            try faults("status: 410")
            let deleted = try await shop.openmarket("apply", "--yes")
            #expect(deleted.status == 0, "\(deleted.errorText)")
            #expect(deleted.errorText.contains("the old picture of 'fan' for undo is missing"), "\(deleted.errorText)")
        }
    }

    @Test
    func `no run at all is nothing`() async throws {
        try await CommandSandbox.open { shop in
            let none = try await shop.openmarket("history")
            #expect(none.status == 0)
            #expect(none.text == "")
            #expect(!shop.exists(".openmarket"))
        }
    }

    /// A long run shows its failures and how to see the rest.
    @Test
    func `a long run is cut short, its failures never`() async throws {
        let refusal = "rules:\n  - {method: POST, nth: 28, fault: {status: 418}}\n"
        try await CommandSandbox.open("v2b", .plain(28), faults: refusal) { shop in
            #expect(try await shop.openmarket("apply", "--yes").status == 3)
            let lines = try await shop.openmarket("history").text.split(separator: "\n")
            #expect(lines.count == 22)
            #expect(lines[1].contains("failed: "))
            let run = lines[0].prefix { $0 != " " }
            #expect(lines[21] == "  … and 8 more: openmarket history --run \(run)")
            let whole = try await shop.openmarket("history", "--run", String(run))
            #expect(whole.text.split(separator: "\n").count == 29)
        }
    }
}
