@testable import OpenMarketTestSupport
import Testing

/// What looks the same is one key; what differs in bytes is another text, another file.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct CommandSpellingTests {
    private static let key = Spellings.korean

    /// The three products, the first of which has the key.
    private static func manifest(_ key: String, image: Int = 1) -> ShopManifest {
        var manifest = ShopManifest.three
        manifest["mug"].images = ["images/\(image).png"]
        manifest["mug"].key = key
        return manifest
    }

    @Test(arguments: ["v1b", "v2b"])
    func `a key that another editor wrote in another Unicode form makes nothing new and replaces nothing`(api: String)
        async throws
    {
        try await CommandSandbox.applied(api, Self.manifest(Self.key.composed)) { shop in
            try shop.change(to: Self.manifest(Self.key.decomposed))
            #expect(try await shop.openmarket("apply", "--yes").text == "No changes.\n")
            #expect(try shop.server.writes() == [])

            // A change is written once, to the product that is there.
            try shop.change(to: Self.manifest(Self.key.decomposed, image: 5))
            let changed = try await shop.openmarket("apply", "--yes")
            #expect(changed.status == 0, "\(changed.errorText)")
            let writes = try shop.server.writes().count
            #expect(writes == (api == "v1b" ? 1 : 3))
            for spelling in Self.key.both {
                try shop.change(to: Self.manifest(spelling, image: 5))
                #expect(try await shop.openmarket("apply", "--yes", "--refresh", "full").text == "No changes.\n")
            }

            // A product that is gone is made once.
            let id = api == "v1b" ? 1 : 4
            try await shop.changeElsewhere("  - {key: gone, id: \(id), state: absent}\n")
            try shop.server.setFaults()
            for spelling in [Self.key.decomposed, Self.key.composed, Self.key.decomposed] {
                try shop.change(to: Self.manifest(spelling, image: 5))
                #expect(try await shop.openmarket("apply", "--yes").status == 0)
            }
            #expect(try shop.server.writes().count { $0.method == "POST" } == 1)

            // What leaves the manifest leaves the market.
            try shop.change(to: Self.manifest(Self.key.decomposed).without(Self.key.decomposed))
            let removed = try await shop.openmarket("apply", "--yes")
            #expect(removed.text.hasSuffix("Apply complete: 0 added, 0 changed, 0 replaced, 1 deleted.\n"))
        }
    }

    @Test func `every command takes a key in either spelling`() async throws {
        try await CommandSandbox.open("v2b", Self.manifest(Self.key.decomposed)) { shop in
            for spelling in Self.key.both {
                let planned = try await shop.openmarket("plan", "--target", spelling)
                #expect(
                    planned.text.hasSuffix(
                        "Plan: 1 to add, 0 to change, 0 to replace, 0 to delete, 0 unchanged. (2 not selected)\n"
                    )
                )
                let others = try await shop.openmarket("plan", "--exclude", spelling)
                #expect(
                    others.text.hasSuffix(
                        "Plan: 2 to add, 0 to change, 0 to replace, 0 to delete, 0 unchanged. (1 not selected)\n"
                    )
                )
            }
            _ = try await shop.openmarket("apply", "--yes")
            for spelling in Self.key.both {
                #expect(
                    try await shop.openmarket("state", "list", spelling).text == "\(Self.key.composed)  1  Blue mug\n"
                )
                #expect(try await shop.openmarket("state", "show", spelling).status == 0)
                #expect(try await shop.openmarket("history", spelling).status == 0)
            }
            // The state goes out and in again, with its keys in either spelling.
            let exported = try await shop.openmarket("state", "export").text
            for spelling in Self.key.both {
                try shop.write("lines.jsonl", exported.replacing(Self.key.composed, with: spelling))
                let imported = try await shop.openmarket("state", "import", "lines.jsonl", "--replace")
                #expect(imported.status == 0, "\(imported.errorText)")
                let again = try await shop.openmarket("state", "export").text
                #expect(again.utf8.elementsEqual(exported.utf8))
            }
            #expect(try await shop.openmarket("plan").text == "No changes.\n")
            #expect(try await shop.openmarket("state", "move", Self.key.decomposed, "mug").status == 0)
            #expect(try await shop.openmarket("state", "forget", "mug").status == 0)
        }
    }

    @Test(arguments: TestScope.sweptProfiles)
    func `a name and a description in other bytes reach the market`(api: String) async throws {
        var manifest = ShopManifest.three
        manifest["mug"].name = Spellings.latin.composed
        manifest["mug"].description = "A pot for tea and \(Spellings.latin.composed)."
        try await CommandSandbox.applied(api, manifest) { shop in
            for now in [Spellings.latin.decomposed, Spellings.latin.composed] {
                try shop.server.setFaults()
                manifest["mug"].name = now
                try shop.change(to: manifest)
                let planned = try await shop.openmarket("plan", "--detailed-exitcode")
                #expect(planned.status == 2)
                #expect(planned.text.contains("(the same characters in other bytes)"))
                #expect(try await shop.openmarket("apply", "--yes", "--verify").status == 0)
                #expect(try shop.server.writes().map(\.method) == ["PATCH"])
                let exported = try await shop.openmarket("export", "--columns", "name").stdout
                #expect(exported.contains(Array("\r\n\(now)\r\n".utf8)))
            }
            manifest["mug"].description = "A pot for tea and \(Spellings.latin.decomposed)."
            try shop.change(to: manifest)
            #expect(try await shop.openmarket("apply", "--yes", "--verify").status == 0)
            let exported = try await shop.openmarket("export", "--details", "--columns", "description").stdout
            #expect(exported.contains(Array("A pot for tea and \(Spellings.latin.decomposed).\r\n".utf8)))
        }
    }

    @Test func `a saved plan whose keys are spelled otherwise is carried out`() async throws {
        try await CommandSandbox.applied("v2b", Self.manifest(Self.key.composed)) { shop in
            var manifest = Self.manifest(Self.key.composed)
            manifest[Self.key.composed].price = "13500"
            try shop.change(to: manifest)
            _ = try await shop.openmarket("plan", "-o", "plan.json")
            let plan = try shop.text("plan.json")
            #expect(plan.contains(Self.key.composed))
            try shop.write("plan.json", plan.replacing(Self.key.composed, with: Self.key.decomposed))
            let applied = try await shop.openmarket("apply", "plan.json")
            #expect(applied.status == 0, "\(applied.errorText)")
            #expect(try await shop.openmarket("plan").text == "No changes.\n")
            #expect(try await shop.openmarket("state", "list").text.hasPrefix("fan "))
            #expect(try await shop.openmarket("state", "export").text.split(separator: "\n").count == 4)
        }
    }
}

extension [UInt8] {
    /// Whether the bytes hold these bytes.
    func contains(_ part: [UInt8]) -> Bool {
        indices.contains { self[$0...].starts(with: part) }
    }
}
