import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// `edit` and `undo` with the real program, offline.
@Suite(.timeLimit(.minutes(2)))
struct EditCommandTests {
    private final class Shop {
        let folder: TemporaryDirectory

        init(_ files: (name: String, text: String)...) throws {
            folder = try TemporaryDirectory()
            for file in files { try folder.write(file.name, file.text) }
        }

        func program(_ arguments: [String]) -> Program {
            Program(Openmarket.path, arguments, folder: folder.path)
        }

        func openmarket(_ arguments: String...) async throws -> Program.Output { try await program(arguments).run() }

        func text(_ name: String) throws -> String { String(decoding: try folder.read(name), as: UTF8.self) }
    }

    private static let manifest = """
        products:
          # The blue one.
          - key: mug
            id: 1
            name: "Blue mug 2026"   # as printed
            price: 12000   # won
            currency: KRW
          - {key: lamp, id: 2, name: 책상 조명, price: 35000, sale_price: 31500, currency: KRW, stock: 3}

        """

    @Test func `prices move at their lines, and undo gives the same bytes back`() async throws {
        let shop = try Shop(("openmarket.yaml", Self.manifest))
        let edited = try await shop.openmarket("edit", "prices=+10%", "--round", "100", "--yes")
        #expect(edited.status == 0, "\(edited.errorText)")
        let lines = edited.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(
            lines.dropLast(2) == [
                #"  ~   mug "Blue mug 2026"  # prices=+10%"#,
                "      price        12000 → 13200  openmarket.yaml:6:12", "",
                #"  ~   lamp "책상 조명"  # prices=+10%"#,
                "      price        35000 → 38500  openmarket.yaml:8:44",
                "      sale_price   31500 → 34700  openmarket.yaml:8:63", "",
                "Edit: 0 products to add, 2 to change, 0 to remove.",
            ]
        )
        #expect(lines[8].wholeMatch(of: /Wrote 3 edits into 1 file: edit-[0-9]{8}T[0-9]{6}Z-[0-9a-f]{6}/) != nil)
        let expected = Self.manifest.replacing("12000", with: "13200").replacing("35000", with: "38500")
            .replacing("31500", with: "34700")
        #expect(try shop.text("openmarket.yaml") == expected)
        let id = try #require(lines[8].split(separator: " ").last.map(String.init))
        let listed = try await shop.openmarket("undo")
        #expect(listed.text.hasPrefix(id) && listed.text.hasSuffix("prices=+10%: openmarket.yaml\n"), "\(listed.text)")
        let undone = try await shop.openmarket("undo", id, "--yes")
        #expect(undone.status == 0 && undone.text == "openmarket.yaml is as before \(id).\n", "\(undone.errorText)")
        #expect(try shop.text("openmarket.yaml") == Self.manifest)
        #expect(try await shop.openmarket("undo").text == "No edits to undo.\n")
        #expect(try await shop.openmarket("undo", "edit-x", "--yes").status == 1)
    }

    @Test func `values are inserted and removed, and the patch makes the same`() async throws {
        let shop = try Shop(("openmarket.yaml", Self.manifest))
        let arguments = ["edit", "sale_price=none", "stock=5", "--replace", "2026", "--with", "2027"]
        let patched = try await shop.program(arguments + ["--write", "diff=edit.diff"]).run()
        #expect(patched.status == 0 && patched.text.hasSuffix("\n4 edits in a patch of 1 file.\n"), "\(patched.text)")
        #expect(try shop.text("openmarket.yaml") == Self.manifest)
        #expect(try shop.text("edit.diff").hasPrefix("--- a/openmarket.yaml\n+++ b/openmarket.yaml\n@@ "))
        let document = try await shop.program(arguments + ["--yes", "--json"]).run()
        let edits = try JSONValue.parse(document.stdout)["edits"]?.elements ?? []
        #expect(edits.map { $0["field"]?.text } == ["stock", "name", "sale_price", "stock"], "\(document.text)")
        #expect(edits.map { $0["old"] } == [nil, .string("Blue mug 2026"), .number(31500), .integer(3)])
        #expect(edits.map { $0["new"] } == [.integer(5), .string("Blue mug 2027"), nil, .integer(5)])
        let expected = Self.manifest.replacing("2026", with: "2027").replacing(", sale_price: 31500", with: "")
            .replacing("stock: 3", with: "stock: 5").replacing(
                "currency: KRW\n  - ",
                with: "currency: KRW\n    stock: 5\n  - "
            )
        #expect(try shop.text("openmarket.yaml") == expected)
        #expect(try await shop.program(arguments + ["--yes"]).run().text == "No edits.\n")
    }

    @Test(arguments: [
        (["price=+10%"], 64, "the command asks for confirmation, which needs a terminal"),
        (["--yes"], 64, "a field's change or a table is missing"),
        (["price=+10%", "--yes", "--where", "name~moon"], 64, "no product fits 'name~moon'"),
        (["price=+10%", "--yes", "--target", "mgu"], 64, "no product has a key like 'mgu'"),
        (["colour=red", "--yes"], 64, "unknown field 'colour'"),
        (["price=1", "--yes", "--round", "1", "--ending", "9"], 64, "do not go together"),
        (["name=x", "--yes"], 4, "name=x of 'mug': "),
        (["price=1", "--yes", "t.csv"], 64, "'t.csv' is not an assignment"),
        (["price=1", "--yes", "-f", "openmarket.yaml", "-f", "t.csv"], 64, "t.csv is a table"),
    ])
    func `what cannot be edited is refused, and nothing is written`(
        arguments: [String],
        status: Int32,
        message: String
    ) async throws {
        let shop = try Shop(("openmarket.yaml", Self.manifest), ("t.csv", "id,price\n1,5\n"))
        let ran = try await shop.program(["edit"] + arguments).run()
        #expect(ran.status == status && ran.errorText.contains(message), "\(ran.status) \(ran.errorText)")
        #expect(try shop.text("openmarket.yaml") == Self.manifest)
    }

    @Test func `what cannot be written is left alone, and the rest is written`() async throws {
        let text = Self.manifest.replacing("price: 12000 ", with: "price: *p ")
        let shop = try Shop(("openmarket.yaml", "x-p: &p 12000\n" + text))
        let edited = try await shop.openmarket("edit", "price=40000", "--yes")
        #expect(edited.status == 3)
        #expect(edited.errorText.contains("  because: the value is the alias *p\n"), "\(edited.errorText)")
        #expect(try shop.text("openmarket.yaml") == "x-p: &p 12000\n" + text.replacing("35000", with: "40000"))
    }

    /// The record and the files are as a kill between the two files leaves them.
    @Test func `an edit that is killed between two files is not planned, and done once by the same command`()
        async throws
    {
        let price = { (shop: Shop, name: String) in
            try shop.text(name).firstMatch(of: /price: ([0-9]+)/).map { String($0.1) } ?? ""
        }
        let shop = try Shop()
        for (id, key) in ["a", "b"].enumerated() {
            try shop.folder.write(
                "shop/\(key).yaml",
                "products:\n- {key: \(key), id: \(id + 1), name: Lamp \(key), price: 1000}\n"
            )
        }
        let last = try shop.text("shop/b.yaml")
        let program = shop.program(["edit", "price=+10%", "-f", "shop", "--yes"])
        #expect(try await program.run().status == 0)
        let edits = shop.folder.path + "/shop/.openmarket/edits"
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: edits).first)
        let record = try shop.text("shop/.openmarket/edits/\(name)")
        try shop.folder.write("shop/.openmarket/edits/\(name)", "{\"complete\": false," + record.dropFirst())
        try shop.folder.write("shop/b.yaml", last)
        let planned = try await shop.openmarket("plan", "-f", "shop")
        #expect(planned.status == 1)
        #expect(planned.errorText.contains(" was interrupted between two files; no change was sent or written\n"))
        #expect(planned.errorText.contains("help: take it back first: openmarket undo edit-"))
        #expect(try await program.run().status == 0)
        #expect(try price(shop, "shop/a.yaml") == "1100")
        #expect(try price(shop, "shop/b.yaml") == "1100")
    }
}
