@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketManifest
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import Testing

/// A table as an edit of the manifest: each cell by what it was, and each row by what lists its product.
struct TableEditTests {
    private struct Shop {
        var yaml = ""
        var copy: String?
        var known: [StateEntry] = []
        var rules = TableEdits.Rules()
        var vendorID: Int64?
        var origins = Origins(names: ["m.yaml": "m.yaml"])
        var deleted: Set<String> = []
        var filter = KeyFilter()
        var furtherFiles: Set<ExactText> = []

        func read(_ yaml: String) throws -> Manifest {
            var options = ManifestOptions()
            options.adjusts = false
            let loaded = ManifestLoader(options: options).decode(Array(yaml.utf8), name: "m.yaml")
            #expect(!loaded.hasErrors, "\(loaded.diagnostics)")
            var manifest = try #require(loaded.manifest)
            manifest.market.vendorID = vendorID
            return manifest
        }

        func rows(_ table: String) throws -> Manifest {
            let loaded = ManifestLoader().decode(table: Array(table.utf8), name: "t.csv")
            #expect(!loaded.hasErrors, "\(loaded.diagnostics)")
            return try #require(loaded.manifest)
        }

        func edit(_ table: String) throws -> (edits: TableEdits, planned: PlannedEdits, yaml: String) {
            let manifest = try read(yaml)
            var source = TableEdits.Source(
                table: try rows(table),
                manifest: manifest,
                state: StateSnapshot(entries: StateEntries(known.map { ($0.key, $0) }) { $1 }),
                origins: origins
            )
            source.copy = try copy.map { try rows($0) }
            source.deleted = deleted
            source.furtherFiles = furtherFiles
            let edits = TableEdits(source, rules, filter: filter) { picture, _ in picture.path }
            let file = ManifestFile(name: "m.yaml", bytes: Array(yaml.utf8))
            let planned = try EditRun(manifest, [file]).planned(edits.edits)
            return (edits, planned, String(decoding: planned.files.first?.editor.bytes ?? file.bytes, as: UTF8.self))
        }

        /// The products of a manifest, each in one line.
        func products(of yaml: String) throws -> [String] {
            try read(yaml).listings.map { listing in
                let id = listing.pinnedID.map { " #\($0)" } ?? ""
                let values = ProductField.allCases.compactMap { field in
                    listing.values[field].map { " \(field.rawValue)=\(FieldValueText().text($0))" }
                }
                return listing.key + id + (listing.isAbsent ? " absent" : "") + values.joined()
            }
        }
    }

    private static func listed(_ price: Int, _ more: String = "") -> String {
        "products:\n  - {key: lamp, id: 7, name: Desk lamp, price: \(price)\(more)}\n"
    }

    private static func exported(_ price: Int) -> String { "id,key,name,price\n7,lamp,Desk lamp,\(price)\n" }

    private static func known(
        _ key: String,
        _ id: MarketID,
        _ name: String,
        _ price: Int,
        origin: String? = nil
    ) -> StateEntry {
        let applied = ProductValues(name: name, price: ExactDecimal(Int64(price)))
        return StateEntry(key: key, id: id, applied: applied, origin: origin)
    }

    private static let conflict = "the manifest was also changed: from 100 to 120; --prefer table takes the cell"

    private struct CellCase {
        var copy: Int?
        var applied: Int?
        var yaml: Int
        var cell: Int
        var prefers: TableEdits.Side?
        var result: Int
        var refusal: String?
        var isTouched = true
        var warnings = 0
    }

    private static let cells = [
        CellCase(copy: 100, yaml: 120, cell: 100, result: 120, isTouched: false),
        CellCase(copy: 100, yaml: 100, cell: 90, result: 90),
        CellCase(copy: 100, yaml: 90, cell: 90, result: 90),
        CellCase(copy: 100, yaml: 120, cell: 90, result: 120, refusal: conflict),
        CellCase(copy: 100, yaml: 120, cell: 90, prefers: .table, result: 90),
        CellCase(copy: 100, yaml: 120, cell: 90, prefers: .manifest, result: 120, isTouched: false),
        // The export is newer than the last apply.
        CellCase(copy: 100, applied: 80, yaml: 100, cell: 90, result: 90),
        // Another person changed the market before the export.
        CellCase(copy: 110, applied: 100, yaml: 100, cell: 90, result: 90),
        CellCase(copy: 110, applied: 100, yaml: 100, cell: 110, result: 100, isTouched: false),
        CellCase(applied: 100, yaml: 120, cell: 100, result: 120, isTouched: false),
        CellCase(applied: 100, yaml: 100, cell: 90, result: 90),
        CellCase(applied: 100, yaml: 120, cell: 90, result: 120, refusal: conflict),
        CellCase(yaml: 120, cell: 90, result: 90, warnings: 1),
        CellCase(yaml: 90, cell: 90, result: 90),
    ]

    @Test(arguments: cells.indices) func `a cell is compared with what it was`(index: Int) throws {
        let cell = Self.cells[index]
        var shop = Shop(yaml: Self.listed(cell.yaml), copy: cell.copy.map(Self.exported))
        shop.rules.prefers = cell.prefers
        if let price = cell.applied { shop.known = [Self.known("lamp", 7, "Desk lamp", price, origin: "m.yaml")] }
        let outcome = try shop.edit(Self.exported(cell.cell))
        #expect(outcome.yaml == Self.listed(cell.result))
        #expect(outcome.planned.items.compactMap(\.refusal) == (cell.refusal.map { [$0] } ?? []))
        #expect(outcome.edits.touched["lamp"]?.contains(.price) ?? false == cell.isTouched)
        #expect(outcome.edits.diagnostics.count == cell.warnings && outcome.edits.refusals == [])
        if cell.isTouched, cell.refusal == nil, cell.yaml != cell.result {
            let source = SourceLocation(
                file: "t.csv",
                position: SourcePosition(line: 2, column: 4),
                table: .cell(column: "price")
            )
            let price = FieldEdit(.value(.price), .value(.number(ExactDecimal(Int64(cell.cell)))), source: source)
            let reason = "edited in the table, t.csv:2:price"
            #expect(
                outcome.edits.edits == [ProductEdit(key: "lamp", .change([price]), reason: reason, source: source)]
            )
        }
    }

    @Test func `an exported stock without its copy may be an old one`() throws {
        var shop = Shop(yaml: Self.listed(100, ", stock: 12"))
        let applied = ProductValues(name: "Desk lamp", price: 100, stock: 12)
        shop.known = [StateEntry(key: "lamp", id: 7, applied: applied, origin: "m.yaml")]
        let exported = "id,key,stock\n7,lamp,10\n"
        let outcome = try shop.edit(exported)
        #expect(outcome.yaml == Self.listed(100, ", stock: 10") && outcome.edits.oldStocks == ["lamp"])
        // A table without ids is a person's.
        #expect(try shop.edit("key,stock\nlamp,10\n").edits.oldStocks == [])
        shop.copy = "id,key,stock\n7,lamp,11\n"
        #expect(try shop.edit(exported).edits.oldStocks == [])
        shop.copy = nil
        shop.rules.prefers = .manifest
        #expect(try shop.edit(exported).yaml == shop.yaml)
    }

    @Test func `a field that the manifest does not say is inserted where its cell was edited`() throws {
        let shop = Shop(yaml: Self.listed(100), copy: "id,key,price,stock\n7,lamp,100,3\n")
        #expect(try shop.edit("id,key,price,stock\n7,lamp,100,3\n").yaml == Self.listed(100))
        #expect(try shop.edit("id,key,price,stock\n7,lamp,100,4\n").yaml == Self.listed(100, ", stock: 4"))
    }

    @Test func `a sale is written, and ends, where its cell was edited`() throws {
        let header = "id,key,price,sale_price\n"
        var shop = Shop(yaml: Self.listed(100), copy: header + "7,lamp,100,\n")
        #expect(try shop.edit(header + "7,lamp,100,80\n").yaml == Self.listed(100, ", sale_price: 80"))
        shop = Shop(yaml: Self.listed(100, ", sale_price: 80"), copy: header + "7,lamp,100,80\n")
        #expect(try shop.edit(header + "7,lamp,100,\n").yaml == Self.listed(100))
        // The manifest ended it since.
        shop.yaml = Self.listed(100)
        #expect(try shop.edit(header + "7,lamp,100,80\n").yaml == Self.listed(100))
        #expect(try shop.edit(header + "7,lamp,100,70\n").planned.items.map { $0.refusal != nil } == [true])
    }

    @Test(arguments: [
        (", stock: 5, ignore_changes: [stock]", "'ignore_changes' or 'initial' leaves 'stock' to the market"),
        (", stock: {initial: 5}", "'ignore_changes' or 'initial' leaves 'stock' to the market"),
    ])
    func `a field that is the market's is left alone`(more: String, reason: String) throws {
        let shop = Shop(yaml: Self.listed(100, more), copy: "id,key,stock\n7,lamp,3\n")
        // Units that were sold are no edit.
        #expect(try shop.edit("id,key,stock\n7,lamp,3\n").edits.edits == [])
        let edited = try shop.edit("id,key,stock\n7,lamp,9\n")
        #expect(edited.planned.items.map(\.refusal) == [reason] && edited.yaml == shop.yaml)
    }

    @Test func `a field that 'adjust' changes is left alone`() throws {
        let adjust = "adjust:\n  - {key: lamp, price: x2}\n"
        let shop = Shop(yaml: adjust + Self.listed(100), copy: Self.exported(200))
        #expect(try shop.edit(Self.exported(200)).edits.edits == [])
        let edited = try shop.edit("id,key,name,price\n7,lamp,Reading lamp,210\n")
        #expect(
            edited.planned.items.compactMap(\.refusal).map { $0.hasPrefix("'price' is adjusted by m.yaml:2:") } == [
                true
            ]
        )
        #expect(edited.yaml == adjust + Self.listed(100).replacing("Desk lamp", with: "Reading lamp"))
    }

    @Test func `rows add, remove and leave products alone, by what is known of them`() throws {
        var shop = Shop(
            yaml: """
                products:
                  - {key: lamp, id: 7, name: Desk lamp, price: 100}
                  - {key: mug, id: 8, name: Blue mug, price: 5}

                """,
            copy:
                "id,key,name,price,vendor_id\n7,lamp,Desk lamp,100,1\n8,mug,Blue mug,5,1\n9,,Old chair,50,1\n10,,Sofa,70,2\n",
            known: [
                Self.known("bag", 11, "Linen bag", 30, origin: "bags.yaml"),
                Self.known("vase", 12, "Tall vase", 40),
                Self.known("mug", 8, "Blue mug", 5, origin: "m.yaml"),
                Self.known("fan", 13, "Green fan", 60, origin: "m.yaml"),
            ],
            vendorID: 1
        )
        let header = "_action,id,key,name,price,vendor_id\n"
        let outcome = try shop.edit(
            header + "DELETE,8,mug,Blue mug,,1\n,9,,Old chair,55,1\n,10,,Sofa,71,2\n,11,bag,Linen bag,31,1\n"
                + ",12,vase,Tall vase,41,1\n,13,fan,Green fan,61,1\n,14,,Stool,20,1\n,,poster,Big poster,15,\n"
        )
        #expect(outcome.edits.refusals == [])
        let poster = "  - key: poster\n    name: Big poster\n    price: 15\n"
        #expect(outcome.yaml.hasSuffix(poster), "\(outcome.yaml)")
        shop.yaml = outcome.yaml.replacing(poster, with: "")
        #expect(
            try shop.products(of: shop.yaml) == [
                "lamp #7 name=\"Desk lamp\" price=100", "product-9 #9 price=55", "vase #12 name=\"Tall vase\" price=41",
            ]
        )
        #expect(
            outcome.planned.items.filter { $0.refusal != nil }.map { "\($0.key): \($0.refusal ?? "")" } == [
                "bag: bags.yaml lists it, and is not read", "fan: m.yaml does not list it any more",
                "product-14: no file lists it; 'openmarket pull --id 14' takes it in",
            ]
        )
        #expect(
            outcome.edits.diagnostics.map(\.message) == [
                "1 edited row is of other vendors' products, which stay as they are"
            ]
        )
        #expect(outcome.edits.touched["mug"] == .all && outcome.edits.touched["poster"] == .all)
        #expect(outcome.edits.touched["product-9"] == [.price] && outcome.edits.touched["lamp"] == nil)
        // The same table finds nothing more to do.
        let again = try shop.edit(
            header + "DELETE,8,mug,Blue mug,,1\n,9,,Old chair,55,1\n,12,vase,Tall vase,41,1\n"
        )
        #expect(again.planned.items.isEmpty && again.edits.touched["mug"] == .all)
    }

    @Test func `a deleted product that no file lists gets a tombstone`() throws {
        let shop = Shop(yaml: "products: []\n", known: [Self.known("vase", 12, "Tall vase", 40)])
        let outcome = try shop.edit("_action,key\nDELETE,vase\n")
        #expect(try shop.products(of: outcome.yaml) == ["vase #12 absent"])
        #expect(outcome.edits.touched == ["vase": .all])
    }

    @Test func `a row that deleted its product says nothing more`() throws {
        let row = "id,key,name,price\n12,vase,Tall vase,40\n"
        var shop = Shop(yaml: "products: []\n", copy: row)
        let again = "_action,id,key\nDELETE,12,vase\n"
        #expect(try shop.products(of: shop.edit(again).yaml) == ["vase #12 absent"])
        shop.deleted = ["vase"]
        #expect(try shop.edit(again).edits.edits == [])
        // `undo` listed the product again, under a new id.
        shop.yaml = "products:\n  - {key: vase, id: 13, name: Tall vase, price: 40}\n"
        shop.known = [Self.known("vase", 13, "Tall vase", 40)]
        let outcome = try shop.edit(again)
        #expect(outcome.edits.edits == [] && outcome.edits.touched == [:])
    }

    @Test func `a key that is written into a row with only an id keeps the row's edits`() throws {
        let shop = Shop(yaml: "products: []\n", copy: "id,key,name,price\n9,,Old chair,50\n")
        let outcome = try shop.edit("id,key,name,price\n9,chair,Old chair,55\n")
        #expect(outcome.planned.items.map(\.refusal) == [nil])
        #expect(try shop.products(of: outcome.yaml) == ["chair #9 price=55"])
    }

    /// `lamp` was exported as `old-lamp`, and nothing but the state tells so.
    @Test func `a table from before a rename edits the product under its present key`() throws {
        let row = { (price: Int) in "id,key,name,price\n7,old-lamp,Desk lamp,\(price)\n" }
        let known = [Self.known("lamp", 7, "Desk lamp", 100, origin: "m.yaml")]
        var shop = Shop(yaml: Self.listed(100), copy: row(100), known: known)
        var outcome = try shop.edit(row(90))
        #expect(outcome.edits.refusals == [] && outcome.edits.diagnostics == [])
        #expect(outcome.yaml == Self.listed(90))
        #expect(try shop.edit(row(100)).edits.edits == [])
        // Without the copy it may be a slip.
        shop.copy = nil
        shop.rules.isComplete = true
        outcome = try shop.edit(row(90))
        #expect(outcome.planned.items.map(\.refusal) == ["product 7 is 'lamp' here; write that key"])
        #expect(outcome.yaml == Self.listed(100))
    }

    @Test func `a complete table removes what it has no row of, within the limit`() throws {
        let yaml =
            "products:\n" + (1...12).map { "  - {key: p\($0), id: \($0), name: Lamp \($0), price: 5}\n" }.joined()
        var shop = Shop(yaml: yaml)
        shop.rules.isComplete = true
        let rows = "id,key\n" + (1...8).map { "\($0),p\($0)\n" }.joined()
        #expect(
            try shop.edit(rows).edits.refusals.map(\.message) == [
                "4 of 12 managed products would be deleted or replaced, more than 30%"
            ]
        )
        shop.rules.maximumDelete = .count(4)
        let outcome = try shop.edit(rows)
        #expect(outcome.edits.refusals == [] && outcome.edits.edits.map(\.key) == ["p9", "p10", "p11", "p12"])
        #expect(try shop.products(of: outcome.yaml).count == 8)
    }

    @Test func `a complete table removes nothing of a file that was read only for its rows`() throws {
        let second = "  - {key: mug, id: 8, name: Blue mug, price: 5}\n"
        var shop = Shop(yaml: Self.listed(100) + second)
        shop.rules.isComplete = true
        shop.rules.maximumDelete = .count(9)
        let row = "id,key,price\n7,lamp,90\n"
        #expect(try shop.edit(row).yaml == Self.listed(90))
        shop.furtherFiles = ["m.yaml"]
        #expect(try shop.edit(row).yaml == Self.listed(90) + second)
    }

    @Test func `slips, slid columns and protected products are refused, and NEW is not an update`() throws {
        let yaml = """
            products:
              - {key: c-01, id: 1, name: Desk lamp, price: 5, protected: true}
              - {key: c-02, id: 2, name: Tall vase, price: 6}

            """
        let shop = Shop(yaml: yaml)
        func refusals(_ table: String) throws -> [String] { try shop.edit(table).edits.refusals.map(\.message) }
        #expect(
            try refusals("key,name,price\nc-1,Desk lamp,5\n") == [
                "'c-1' would be created although 'c-01', which is product 1, is probably the same key"
            ]
        )
        #expect(try refusals("id,name\n1,Tall vase\n2,Desk lamp\n").count == 1)
        #expect(try refusals("_action,key\nDELETE,c-01\n").count == 1)
        let errors = try shop.edit("_action,key,price\nNEW,c-02,7\nUPDATE,sofa,8\n").edits.diagnostics
        #expect(
            errors.map { "\($0.location?.description ?? ""): \($0.message)" } == [
                "t.csv:2: 'c-02' is to be created, but exists already with other values",
                "t.csv:3: product 'sofa' does not exist and cannot be updated",
            ]
        )
    }

    @Test(arguments: [("1E5", "100000"), ("1.10", "1.1"), ("+7", "7"), ("1-2", "2-Jan"), ("MAR1", "46082")])
    func `a key that a spreadsheet rewrote names no other product`(key: String, new: String) throws {
        var shop = Shop(yaml: "products:\n  - {key: '\(key)', id: 7, name: Tall vase, price: 5}\n")
        let refusal = "a spreadsheet writes '\(new)' for '\(key)', which has no row"
        func isRefused(_ rows: String) throws -> Bool {
            let refusals = try shop.edit("_action,key,name,price\n" + rows).edits.refusals
            #expect(refusals.allSatisfy { $0.override == .rewriting(of: key) })
            #expect(refusals.isEmpty || refusals.map(\.message) == [refusal])
            return !refusals.isEmpty
        }
        // Nobody confirms a new key.
        for action in ["", "NEW", "UPDATE", "DELETE"] { #expect(try isRefused("\(action),\(new),Tall vase,6\n")) }
        #expect(try !isRefused(",\(new),Desk lamp,6\n,\(key),,\n"))
        // The name of its product confirms a managed one.
        shop.yaml += "  - {key: '\(new)', id: 8, name: Desk lamp, price: 5}\n"
        shop.known = [Self.known(new, 8, "Desk lamp", 5)]
        for row in ["Tall vase,6", ",6"] { #expect(try isRefused(",\(new),\(row)\n"), "\(row)") }
        for row in [",5", "Desk lamp,6", ",6\n,\(key),,"] { #expect(try !isRefused(",\(new),\(row)\n"), "\(row)") }
        #expect(try shop.edit("id,key,price\n8,\(new),6\n").edits.refusals == [])
        shop.filter = KeyFilter(targets: [new])
        #expect(try !isRefused(",\(new),,6\n,\(key),,9\n"))
        // A table of all products would remove the other one.
        (shop.filter, shop.rules.isComplete) = (KeyFilter(), true)
        for row in ["IGNORE,\(new),,\n", ",\(new),,5\n"] { #expect(try isRefused(row), "\(row)") }
        #expect(try !isRefused(",\(new),Desk lamp,\n"))
        shop.rules.allowsNamesakes = true
        #expect(try !isRefused(",\(new),,6\n"))
        // Only the state has the product, or a listing has a new key for it.
        shop.rules = TableEdits.Rules()
        shop.known = [Self.known(key, 7, "Tall vase", 5)]
        shop.yaml = "products: []\n"
        #expect(try isRefused(",\(new),Tall vase,6\n"))
        shop.yaml = "products:\n  - {key: '\(new)', id: 7, previously: ['\(key)'], name: Tall vase, price: 5}\n"
        #expect(try !isRefused(",\(new),,6\n"))
    }

    @Test func `what is not chosen is neither edited nor a reason to refuse the rest`() throws {
        let yaml = """
            products:
              - {key: lamp, id: 1, name: Desk lamp, price: 5, protected: true}
              - {key: mug, id: 2, name: Blue mug, price: 6}

            """
        var shop = Shop(yaml: yaml)
        let table = "_action,key,price\nDELETE,lamp,\n,mug,7\nUPDATE,sofa,8\n"
        #expect(try shop.edit(table).edits.refusals.count == 1)
        shop.filter = KeyFilter(targets: ["mug"])
        let outcome = try shop.edit(table)
        #expect(outcome.edits.refusals == [] && !outcome.edits.diagnostics.contains { $0.severity == .error })
        #expect(outcome.edits.edits.map(\.key) == ["mug"] && outcome.edits.isPartial)
        #expect(outcome.yaml == yaml.replacing("price: 6", with: "price: 7"))
    }

    @Test func `edited cells that nothing writes are reported`() throws {
        let header = "id,key,price,sale_price,discount,vendor\n"
        let shop = Shop(
            yaml: Self.listed(100, ", sale_price: 90"),
            copy: header + "7,lamp,100,90,10,Ann\n"
        )
        func messages(_ row: String) throws -> [String] {
            try shop.edit(header + row).edits.diagnostics.map { "\($0.severity) \($0.message)" }
        }
        #expect(try messages("7,lamp,100,90,10,Ann\n") == [])
        #expect(
            try messages("7,lamp,100,90,10,Bob\n") == [
                "warning 1 cell of 'vendor' was edited, and only the market changes the column"
            ]
        )
        #expect(
            try messages("7,lamp,100,90,15,Ann\n") == [
                "warning 1 cell of 'discount' was edited, and 'sale_price' counts"
            ]
        )
    }

    /// Cells that only the table changed are in the manifest, values that only the manifest changed stay, and what both
    /// changed is left alone; and the second time there is nothing to do.
    @Test(arguments: 0..<200) func `a table and a manifest commute`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var last = 1000
        func next() -> Int {
            last += 1
            return last
        }
        let fields = ["name", "price", "stock"]
        func text(_ field: String, _ value: Int) -> String { field == "name" ? "Lamp \(value)" : String(value) }
        let header = (["id", "key"] + fields).joined(separator: ",") + "\n"
        var (yaml, copy, table, expected) = ("products:\n", header, header, "products:\n")
        var left: Set<String> = []
        for id in 1...Int.random(in: 1...8, using: &random) {
            let head = "- key: k\(id)\n  id: \(id)\n"
            yaml += head
            expected += head
            var (before, after) = (["\(id)", "k\(id)"], ["\(id)", "k\(id)"])
            for field in fields {
                let base = next()
                let isListed = field == "name" || Bool.random(using: &random)
                let listed = Bool.random(using: &random) ? base : next()
                let choices = isListed ? [base, base, listed, next()] : [base, next()]
                let cell = choices.randomElement(using: &random) ?? base
                before.append(text(field, base))
                after.append(text(field, cell))
                if isListed { yaml += "  \(field): \(text(field, listed))\n" }
                let isConflict = isListed && cell != base && listed != base && cell != listed
                if isConflict { left.insert("k\(id) \(field)") }
                let result = isConflict || cell == base ? (isListed ? listed : nil) : cell
                if let result { expected += "  \(field): \(text(field, result))\n" }
            }
            copy += before.joined(separator: ",") + "\n"
            table += after.joined(separator: ",") + "\n"
        }
        var shop = Shop(yaml: yaml, copy: copy)
        for _ in 0..<2 {
            let outcome = try shop.edit(table)
            #expect(outcome.edits.refusals == [] && outcome.edits.diagnostics == [])
            let refused = outcome.planned.items.filter { $0.refusal != nil }
            #expect(Set(refused.map { "\($0.key) \($0.place.field?.name ?? "")" }) == left)
            #expect(outcome.yaml == expected)
            #expect(outcome.planned.isEmpty == (shop.yaml == expected))
            shop.yaml = outcome.yaml
        }
    }
}
