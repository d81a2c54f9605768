import FoundationEssentials
@testable import OpenMarketTestSupport
import Testing

/// Flags that choose products and override policies, with the real program.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ChoosingCommandTests {
    /// A shop of three whose prices all change, and one product leaves.
    private static func open(_ body: (CommandSandbox) async throws -> Void) async throws {
        try await CommandSandbox.applied { shop in
            var manifest = ShopManifest.three
            for key in manifest.products.map(\.key) { manifest[key].price = "99000" }
            manifest.products.removeLast()
            try shop.change(to: manifest)
            try await body(shop)
        }
    }

    @Test func `a file of keys, and no deletes`() async throws {
        try await Self.open { shop in
            let keys = ShopManifest.three.products.map(\.key)
            try shop.write("keys.txt", "# by hand\r\n  \(keys[0])  \n\n")
            let plan = try await shop.openmarket("plan", "--target-file", "keys.txt")
            #expect(
                plan.text.hasSuffix(
                    "Plan: 0 to add, 1 to change, 0 to replace, 0 to delete, 0 unchanged. (2 not selected)\n"
                )
            )

            let both = try await shop.sh("echo \(keys[1]) | openmarket plan --target-file - --target '\(keys[0])'")
            #expect(both.text.contains("2 to change"))

            let kept = try await shop.openmarket("plan", "--no-delete")
            #expect(
                kept.text.hasSuffix(
                    "Plan: 0 to add, 2 to change, 0 to replace, 0 to delete, 0 unchanged. (1 not selected)\n"
                )
            )

            try shop.write("keys.txt", "missing\n")
            let unknown = try await shop.openmarket("plan", "--target-file", "keys.txt")
            #expect(unknown.status != 0)
            #expect(unknown.errorText.contains("'missing'"))

            try shop.write("keys.txt", "# nothing changed today\n")
            let none = try await shop.openmarket("plan", "--target-file", "keys.txt")
            #expect(none.text == "No changes. (3 not selected)\n")

            let missing = try await shop.openmarket("plan", "--target-file", "none.txt")
            #expect(missing.status == 4)
            let twice = try await shop.sh("openmarket plan - --target-file - </dev/null")
            #expect(twice.status == 64)
        }
    }

    @Test func `conditions over the manifest's values`() async throws {
        try await Self.open { shop in
            let keys = ShopManifest.three.products.map(\.key)
            let plan = try await shop.sh("openmarket plan --target \(keys[0]) --where 'price>=99000' --where id=none")
            #expect(
                plan.text.hasSuffix(
                    "Plan: 0 to add, 1 to change, 0 to replace, 0 to delete, 0 unchanged. (2 not selected)\n"
                )
            )

            let none = try await shop.openmarket("plan", "--where", "price>99000")
            #expect(none.status == 64)
            #expect(none.errorText.hasPrefix("error: no product fits 'price>99000'"))
            let fault = try await shop.openmarket("apply", "--yes", "--where", "prise>1")
            #expect(fault.status == 64)
            #expect(fault.errorText.contains("unknown field 'prise'"))
        }
    }

    @Test func `a product is replaced where it is asked for, once`() async throws {
        try await CommandSandbox.applied { shop in
            let key = ShopManifest.three.products[0].key
            let plan = try await shop.openmarket("plan", "--recreate", key, "-o", "plan.json")
            #expect(plan.text.contains("-/+ \(key) "))
            #expect(plan.text.contains("# asked for"))
            #expect(plan.text.hasSuffix("Plan: 0 to add, 0 to change, 1 to replace, 0 to delete, 2 unchanged.\n"))
            let saved = try await shop.openmarket("apply", "plan.json")
            #expect(saved.status == 0, "\(saved.errorText)")
            let again = try await shop.openmarket("apply", "plan.json")
            #expect(again.status == 6)
            let other = try await shop.openmarket("apply", "plan.json", "--recreate", key)
            #expect(other.status == 64 && other.errorText.contains("--recreate"))

            let all = try await shop.openmarket("apply", "--yes", "--verify", "--recreate", "*")
            #expect(all.status == 0, "\(all.errorText)")
            #expect(all.text.contains("3 to replace"))
            let unknown = try await shop.openmarket("plan", "--recreate", "missing")
            #expect(unknown.status != 0 && unknown.errorText.contains("'missing'"))
            let blind = try await shop.openmarket("plan", "--recreate", key, "--refresh", "none")
            #expect(blind.status == 64)
            // What switches something on for `pull` does not name a product.
            let variable = try await shop.openmarket("plan", environment: ["OPENMARKET_REPLACE": "1"])
            #expect(variable.text == "No changes.\n")
        }
    }

    @Test func `an override needs a reason, and history shows it with the user`() async throws {
        try await Self.open { shop in
            var manifest = ShopManifest.three
            manifest.sections += "policies: {max_price_change: 10%, min_price: 50000}\n"
            manifest[manifest.products[0].key].price = "9"
            try shop.change(to: manifest)
            let refused = try await shop.openmarket("apply", "--yes")
            #expect(refused.status == 5)
            #expect(refused.errorText.contains("if you mean it: --max-price-change 100%"))
            #expect(refused.errorText.contains("would be 9, less than 50000\n  help: if you mean it: --min-price 9\n"))

            let silent = try await shop.openmarket("apply", "--yes", "--override", "max_price_change")
            #expect(silent.status == 64)
            #expect(silent.errorText.contains("give the reason with --reason TEXT"))
            let one = try await shop.sh("openmarket apply --yes --override min_price --reason 'end of season'")
            #expect(one.status == 5)

            let done = try await shop.sh(
                "openmarket apply --yes --override max_price_change --min-price none --reason 'end of season'"
            )
            #expect(done.status == 0, "\(done.errorText)")
            let user = ProcessInfo.processInfo.userName
            let history = try await shop.openmarket("history", "--limit", "1")
            #expect(history.text.contains("\n  max_price_change, min_price overridden by \(user): end of season\n"))
            let json = try await shop.openmarket("history", "--limit", "2", "--json")
            #expect(json.text.ranges(of: "\"approval\"").count == 1)
            #expect(json.text.contains("\"reason\": \"end of season\""))
            #expect(json.text.contains("\"user\": \"\(user)\""))
        }
    }
}
