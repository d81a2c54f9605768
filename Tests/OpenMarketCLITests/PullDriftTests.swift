import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// What was changed on the market is written back into the manifests, and nothing else of them changes.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct PullDriftTests {
    /// Three files, 500 lines: one in CRLF with a mark, one with anchors, one with products in braces.
    private static let files: [(name: String, text: String)] = {
        var first = "\u{FEFF}# The first shelf. 등\nmarket:\n  identifier: !env OPENMARKET_IDENTIFIER   # who we are\n"
        first += "  secret: !env OPENMARKET_SECRET\ndefaults: {currency: KRW}\n\nproducts:\n"
        for number in 1...26 {
            first += """
                  # Lamp \(number), second row.
                  - key: lamp-\(number)    # ours
                    name: "Lamp #\(number)"   # with its number
                    price:   \(1000 + number)    # won
                    description: |   # as printed
                      The lamp of number \(number).

                      Warm light.
                    stock: 5
                    images: [images/1.png]

                """ + "\n"
        }
        var second =
            "x-soft: &soft 7\nx-cloth: &cloth\n  price: 500 # for all\n  description: &words 'A cloth, it''s soft.'\nproducts:\n"
        for number in 1...20 {
            second +=
                "- key: cloth-\(number)\n  <<: *cloth\n\n  name:  Cloth \(number)  # plain\n  stock: \(number == 1 ? "*soft" : "\(number)")\n"
            second +=
                "  images: &pictures-\(number)\n  # the only one\n  - images/2.png\n  sale_price: 450     # spring\n"
        }
        var third = "products: [   # all in one list\n"
        for number in 1...20 {
            third += "  {key: cup-\(number), name: 'Cup \(number)', price: 900, stock: 4, # cup\n"
            third += "   description: !file text.txt,\n   images: [images/3.png]},\n"
        }
        return [
            ("first.yaml", first.replacing("\n", with: "\r\n")), ("second.yaml", second), ("third.yaml", third + "]"),
        ]
    }()

    private static let drift = """
        - {id: LAMP3, key: a, name: "Lamp: three", price: 1500}
        - {id: LAMP9, key: b, description: "Another text.\\n\\nOf three lines.\\n", stock: 2}
        - {id: CLOTH1, key: c, stock: 8}
        - {id: CLOTH2, key: d, name: 천 "2"}
        - {id: CLOTH4, key: e, price: 600, sale_price: 400}
        - {id: CLOTH5, key: f, price: 500, sale_price: 300}
        - {id: CUP7, key: g, name: "Cup, the 7th", stock: 0, description: Not from a file.}

        """

    /// What is written where: in each file some lines, and no other.
    private static let edits: [(file: String, old: String, new: String)] = [
        ("first.yaml", #"name: "Lamp #3"   # with"#, #"name: "Lamp: three"   # with"#),
        ("first.yaml", "price:   1003    # won", "price:   1500    # won"),
        (
            "first.yaml", "      The lamp of number 9.\r\n\r\n      Warm light.\r\n    stock: 5",
            "      Another text.\r\n\r\n      Of three lines.\r\n    stock: 2"
        ),
        ("second.yaml", "name:  Cloth 2  #", #"name:  천 "2"  #"#),
        (
            "second.yaml",
            "name:  Cloth 5  # plain\n  stock: 5\n  images: &pictures-5\n  # the only one\n  - images/2.png\n  sale_price: 450",
            "name:  Cloth 5  # plain\n  stock: 5\n  images: &pictures-5\n  # the only one\n  - images/2.png\n  sale_price: 300"
        ),
        (
            "second.yaml",
            "name:  Cloth 4  # plain\n  stock: 4\n  images: &pictures-4\n  # the only one\n  - images/2.png\n  sale_price: 450",
            "name:  Cloth 4  # plain\n  price: 600\n  stock: 4\n  images: &pictures-4\n  # the only one\n  - images/2.png\n  sale_price: 400"
        ),
        ("third.yaml", "name: 'Cup 7', price: 900, stock: 4", "name: 'Cup, the 7th', price: 900, stock: 0"),
    ]

    @Test func `500 lines in three files get the drifted values and keep everything else`() async throws {
        try await CommandSandbox.open("v2b") { shop in
            for (name, text) in Self.files { try shop.write(name, text) }
            try shop.write("text.txt", "A text from a file.")
            let names = Self.files.map(\.name)
            #expect(Self.files.reduce(0) { $0 + $1.text.utf8.count { $0 == 0x0A } } >= 500)
            let applied = try await shop.program(["apply", "--yes"] + names).run()
            try #require(applied.status == 0, "\(applied.errorText)")
            let none = try await shop.program(["pull", "--drift"] + names).run()
            #expect(none.status == 0 && none.text == "No drift.\n", "\(none.errorText)")

            var drift = Self.drift
            let rows = try StrictCSV(try await shop.program(["export", "--columns", "id,key"] + names).run().stdout)
                .rows
            // Longer keys first: lamp-9 begins no other.
            for row in rows.sorted(by: { $0["key"]?.count ?? 0 > $1["key"]?.count ?? 0 }) {
                let mark = (row["key"] ?? "").replacing("-", with: "").uppercased()
                drift = drift.replacing("id: \(mark),", with: "id: \(row["id"] ?? ""),")
            }
            try await shop.changeElsewhere(drift)
            try shop.server.setFaults()

            var expected = Dictionary(uniqueKeysWithValues: Self.files)
            for edit in Self.edits {
                let text = try #require(expected[edit.file])
                try #require(
                    text.split(separator: edit.old, omittingEmptySubsequences: false).count == 2,
                    "\(edit.old)"
                )
                expected[edit.file] = text.replacing(edit.old, with: edit.new)
            }
            let patched = try await shop.program(["pull", "--drift", "--write", "diff=drift.patch"] + names).run()
            #expect(patched.status == 3, "\(patched.errorText)")
            #expect(patched.text.hasSuffix("10 edits in a patch of 3 files.\n"))
            for (name, text) in Self.files { #expect(try shop.text(name).utf8.elementsEqual(text.utf8), "\(name)") }

            let written = try await shop.program(["pull", "--drift"] + names).run()
            #expect(written.status == 3)
            let edit = /edit-[0-9]{8}T[0-9]{6}Z-[0-9a-f]{6}/
            expectGolden(written.text.replacing(edit, with: "edit-ID").utf8, "pull-drift.txt")
            // Market, manifest and digest of the files.
            let head = #/market: .*\nmanifest: .*\ncontent: .*\n/#
            #expect(written.errorText.prefixMatch(of: head) != nil)
            let left = written.errorText.replacing(head, with: "")
            expectGolden(left.utf8, "pull-drift-left.txt")
            for name in names {
                #expect(try shop.text(name).utf8.elementsEqual((expected[name] ?? "").utf8), "\(name)")
            }

            // Both tools make the same of the patch.
            for tool in [
                ["git", "apply", "-p1", "../drift.patch"], ["patch", "-s", "-p1", "--binary", "-i", "../drift.patch"],
            ] {
                guard let program = Program.installed(tool[0]) else { continue }
                let folder = shop.folder + "/" + tool[0]
                for (name, text) in Self.files { try shop.write("\(tool[0])/\(name)", text) }
                // Outside of any repository, or the one above would be meant.
                let output = try await Program(
                    program,
                    Array(tool.dropFirst()),
                    environment: ["GIT_CEILING_DIRECTORIES": shop.folder],
                    folder: folder
                ).run()
                #expect(output.status == 0, "\(output.errorText)")
                for name in names {
                    #expect(
                        try shop.text("\(tool[0])/\(name)").utf8.elementsEqual((expected[name] ?? "").utf8),
                        "\(tool[0]) \(name)"
                    )
                }
            }
            // What was written is as the market has it; what was left alone is drift as before.
            let again = try await shop.program(["pull", "--drift"] + names).run()
            #expect(again.text == "No edits.\n")
            #expect(again.errorText.replacing(head, with: "") == left)
            #expect(try shop.server.writes() == [])
        }
    }

    @Test func `what the manifest changed as well is left alone, and so is a file whose manifest is not valid`()
        async throws
    {
        try await CommandSandbox.applied("v2b") { shop in
            let before = try shop.text("openmarket.yaml")
            try await shop.changeElsewhere("- {id: 1, key: x, price: 14000}\n")
            let mine = before.replacing("12000", with: "15000")
            try shop.write("openmarket.yaml", mine)
            let both = try await shop.openmarket("pull", "--drift", "--json")
            #expect(both.status == 3)
            let edits = try JSONValue.parse(both.stdout)["edits"]?.elements
            #expect(edits?.map { $0["written"] } == [.bool(false)])
            #expect(edits?.map { $0["reason"]?.text } == ["the manifest was also changed"])
            #expect(try shop.text("openmarket.yaml") == mine)
            try shop.write("openmarket.yaml", mine + "oops: 1\n")
            #expect(try await shop.openmarket("pull", "--drift").status == 4)
            #expect(try await shop.openmarket("pull", "--drift", "-").status == 64)
            #expect(try await shop.openmarket("pull", "-o", "x.csv").status == 64)
            try shop.write(
                "market.yaml",
                "market: {secret: !env OPENMARKET_SECRET, identifier: !env OPENMARKET_IDENTIFIER}\n"
            )
            try shop.write("x.csv", "id,key,price\n1,mug,14000\n")
            #expect(try await shop.openmarket("pull", "--drift", "market.yaml", "x.csv").status == 64)
        }
    }

    @Test func `a job needs no apply between its nights, and the file keeps mode and links`() async throws {
        try await CommandSandbox.applied("v2b") { shop in
            let files = FileManager.default
            try files.moveItem(atPath: shop.folder + "/openmarket.yaml", toPath: shop.folder + "/shop.yaml")
            try files.createSymbolicLink(atPath: shop.folder + "/openmarket.yaml", withDestinationPath: "shop.yaml")
            try files.setAttributes([.posixPermissions: 0o664], ofItemAtPath: shop.folder + "/shop.yaml")
            let owner = try files.attributesOfItem(atPath: shop.folder + "/shop.yaml")[.ownerAccountID] as? Int
            for price in ["13000", "14000", "15000"] {
                try await shop.changeElsewhere("- {id: 1, key: x, price: \(price)}\n")
                let night = try await shop.sh("umask 077; openmarket pull --drift")
                #expect(
                    night.status == 0 && night.text.contains("Wrote 1 edit into 1 file: edit-"),
                    "\(night.errorText)"
                )
                #expect(try await shop.openmarket("plan").text == "No changes.\n")
                let now = try files.attributesOfItem(atPath: shop.folder + "/shop.yaml")
                #expect(now[.posixPermissions] as? Int == 0o664 && now[.ownerAccountID] as? Int == owner)
                #expect(try files.destinationOfSymbolicLink(atPath: shop.folder + "/openmarket.yaml") == "shop.yaml")
            }
            // The other name would keep the old content.
            try files.linkItem(atPath: shop.folder + "/shop.yaml", toPath: shop.folder + "/other.yaml")
            try await shop.changeElsewhere("- {id: 1, key: x, price: 16000}\n")
            let before = try shop.read("shop.yaml")
            let linked = try await shop.openmarket("pull", "--drift")
            #expect(linked.status == 1 && linked.errorText.contains("has another name by a hard link"))
            #expect(try shop.read("shop.yaml") == before)
            // Nothing was recorded for a file that was not written.
            try files.removeItem(atPath: shop.folder + "/other.yaml")
            #expect(try await shop.openmarket("pull", "--drift").text.contains("Wrote 1 edit into 1 file: edit-"))
            // Which side changed is known by the state alone, and looking makes none.
            try files.removeItem(atPath: shop.folder + "/.openmarket")
            let unknown = try await shop.openmarket("pull", "--drift")
            #expect(unknown.status == 4 && unknown.text.isEmpty)
            #expect(unknown.errorText.contains("none of the manifest's 3 products is in "))
            #expect(!shop.exists(".openmarket/state.db"))
        }
    }
}
