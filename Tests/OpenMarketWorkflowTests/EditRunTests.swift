import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketManifest
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import Testing

/// Edits of a manifest in two files: all of it or none, and the way back.
struct EditRunTests {
    private static let first = "products:\n- {key: a, id: 1, name: Lamp one, price: 5}  # ours\n"
    private static let second = "products:\n- {key: b, id: 2, name: Lamp two, price: 6}\n"

    private final class Shop {
        let folder: TemporaryDirectory

        init() throws {
            folder = try TemporaryDirectory()
            try folder.write("first.yaml", EditRunTests.first)
            try folder.write("second.yaml", EditRunTests.second)
        }

        var paths: [String] { ["first.yaml", "second.yaml"].map { "\(folder.path)/\($0)" } }
        var records: EditRecords { EditRecords(beside: paths) }
        var texts: [String] {
            get throws {
                try ["first.yaml", "second.yaml"].map { String(decoding: try folder.read($0), as: UTF8.self) }
            }
        }

        func run() async throws -> EditRun {
            let loaded = try await EditRun.load(paths, ManifestOptions()) { _ in }
            return try EditRun(#require(loaded.manifest, "\(loaded.diagnostics)"))
        }

        /// Sets the prices of both products.
        func edit(_ prices: Int64...) async throws -> String? {
            let run = try await run()
            let planned = try run.planned(EditRunTests.prices(prices))
            try await run.requireValid(planned)
            return try run.write(planned, from: EditSource(.expression, "price"), tool: "test")
        }
    }

    private static func prices(_ prices: [Int64]) -> [ProductEdit] {
        zip(["a", "b"], prices).map { key, price in
            let edit = FieldEdit(.value(.price), .value(.number(ExactDecimal(price))))
            return ProductEdit(key: key, .change([edit]), reason: "price=\(price)")
        }
    }

    private static let edited = [
        first.replacing("price: 5", with: "price: 7"), second.replacing("price: 6", with: "price: 8"),
    ]

    @Test func `an edit is written, listed and taken back`() async throws {
        let shop = try Shop()
        #expect(try await shop.edit(5, 6) == nil)
        let id = try #require(try await shop.edit(7, 8))
        #expect(try shop.texts == Self.edited)
        let record = try #require(try shop.records.undoable().first)
        #expect(record.id == id && record.isComplete && record.files.map(\.path) == ["first.yaml", "second.yaml"])
        #expect(try shop.records.undo(id).restored.count == 2)
        #expect(try shop.texts == [Self.first, Self.second])
        #expect(try shop.records.undoable().isEmpty && shop.records.undo(id).restored.isEmpty)
        #expect(throws: CommandFailure.self) { try shop.records.undo("edit-x") }
    }

    @Test func `undo leaves a file alone that was changed since, and restores the others`() async throws {
        let shop = try Shop()
        let id = try #require(try await shop.edit(7, 8))
        try shop.folder.write("first.yaml", Self.edited[0] + "# mine\n")
        let (restored, fault) = try shop.records.undo(id)
        #expect(restored.count == 1 && restored[0].hasSuffix("second.yaml"))
        #expect(fault?.message?.contains("first.yaml was changed since the edit") == true)
        #expect(fault?.help?.contains(".openmarket/kept/") == true)
        #expect(try shop.texts == [Self.edited[0] + "# mine\n", Self.second])
    }

    @Test func `an edit stays if the state knows the market's values that it took, or manages its products`()
        async throws
    {
        let shop = try Shop()
        let added = AddedProduct(values: ProductValues(name: "Lamp three", price: 9))
        func write(_ edit: ProductEdit, from kind: EditSource.Kind) async throws -> String {
            var run = try await shop.run()
            run.destination = shop.paths[0]
            return try #require(try run.write(run.planned([edit]), from: EditSource(kind, "x"), tool: "test"))
        }
        let listing = ProductEdit(key: "c", .add(added, file: nil), reason: "new")
        let table = try await write(listing, from: .table)
        let others = StateSnapshot(entries: ["a": StateEntry(key: "a", id: 1, applied: ProductValues())])
        try shop.records.requireUndoable(table, in: nil)
        try shop.records.requireUndoable(table, in: others)
        let managing = StateSnapshot(entries: ["c": StateEntry(key: "c", id: 3, applied: ProductValues())])
        expectEnd(.failure, "'c' is managed by now") { try shop.records.requireUndoable(table, in: managing) }
        let market = try await write(Self.prices([7])[0], from: .market)
        #expect(throws: CommandFailure.self) { try shop.records.requireUndoable(market, in: nil) }
        #expect(try shop.records.undoable().isEmpty)
    }

    @Test func `the edit that created a manifest is taken back with the file`() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/openmarket.yaml"
        let loaded = try await EditRun.load([path], ManifestOptions(), created: path) { _ in }
        let run = try EditRun(#require(loaded.manifest, "\(loaded.diagnostics)"))
        let added = AddedProduct(values: ProductValues(name: "Lamp three", price: 9))
        let planned = try run.planned([ProductEdit(key: "c", .add(added, file: nil), reason: "new")])
        let id = try #require(try run.write(planned, from: EditSource(.table, "new.csv"), tool: "test"))
        let records = EditRecords(beside: [path])
        #expect(FileManager.default.fileExists(atPath: path))
        #expect(try records.undo(id).restored.count == 1)
        #expect(!FileManager.default.fileExists(atPath: path))
        let again = try records.undo(id)
        #expect(again.restored.isEmpty && again.fault == nil)
    }

    @Test func `where one file changed meanwhile, none is written and nothing is recorded`() async throws {
        let shop = try Shop()
        let run = try await shop.run()
        let planned = try run.planned(Self.prices([7, 8]))
        try shop.folder.write("second.yaml", Self.second + "# mine\n")
        expectEnd(.failure, "\(shop.paths[1]) changed meanwhile") {
            try run.write(planned, from: EditSource(.expression, "price"), tool: "test")
        }
        #expect(try shop.texts == [Self.first, Self.second + "# mine\n"])
        #expect(try shop.records.undoable().isEmpty)
    }

    @Test func `a fault that an edit would bring names the edit, and nothing is written`() async throws {
        let shop = try Shop()
        let error = await #expect(throws: CommandFailure.self) { try await shop.edit(7, -1) }
        let faults = error?.faults ?? []
        #expect(faults.count == 1 && faults[0].message.hasPrefix("price=-1 of 'b': "), "\(faults)")
        #expect(faults[0].location == nil)
        #expect(try shop.texts == [Self.first, Self.second])
    }

    /// The second file is as before the edit, and the record does not end.
    @Test func `an edit that was killed between two files is taken back before the next`() async throws {
        let shop = try Shop()
        let id = try #require(try await shop.edit(7, 8))
        try shop.folder.write("second.yaml", Self.second)
        let path = ".openmarket/edits/\(id).json"
        let record = String(decoding: try shop.folder.read(path), as: UTF8.self)
        try shop.folder.write(path, record.replacing("\"files\"", with: "\"complete\": false, \"files\""))
        #expect(throws: CommandFailure.interruptedEdit(id)) { try shop.records.requireWhole() }
        var takenBack: [String] = []
        let loaded = try await EditRun.load(shop.paths, ManifestOptions()) { takenBack.append($0) }
        #expect(takenBack == [id])
        try shop.records.requireWhole()
        #expect(try shop.texts == [Self.first, Self.second])
        #expect(loaded.manifest?.listings.map(\.values.price) == [5, 6])
        // A file that a person changed by now is not touched, and the other is not edited twice.
        _ = try await shop.edit(7, 8)
        let last = try #require(try shop.records.undoable().first)
        let other = ".openmarket/edits/\(last.id).json"
        let text = String(decoding: try shop.folder.read(other), as: UTF8.self)
        try shop.folder.write(other, text.replacing("\"files\"", with: "\"complete\": false, \"files\""))
        try shop.folder.write("second.yaml", Self.second + "# mine\n")
        await #expect(throws: CommandFailure.interruptedEdit(last.id)) { try await shop.edit(9, 9) }
        #expect(try shop.texts == [Self.edited[0], Self.second + "# mine\n"])
        #expect(try shop.records.undo(last.id).fault != nil)
        #expect(try await shop.edit(9, 9) != nil)
    }

    @Test func `a fault of the planned manifest is placed at the row that it comes from`() async throws {
        let shop = try Shop()
        var run = try await shop.run()
        run.destination = shop.paths[0]
        let added = AddedProduct(values: ProductValues(name: "Lamp three", price: 9), id: MarketID(3))
        let row = SourceLocation(file: "t.csv", position: SourcePosition(line: 2, column: 1))
        let edits = [ProductEdit(key: "c", .add(added, file: nil), reason: "new", source: row)]
        let planned = try run.planned(edits)
        let line = SourceLocation(file: shop.paths[0], position: SourcePosition(line: 3, column: 3))
        let fault = Diagnostic(.error, .pinnedID, "the market has no product 3", location: line)
        #expect(planned.placed(fault).location == row)
        let other = SourceLocation(file: shop.paths[0], position: SourcePosition(line: 2, column: 3))
        #expect(planned.placed(Diagnostic(.error, .pinnedID, "no", location: other)).location == other)
    }

    @Test func `a product that comes back takes the place of its tombstone`() async throws {
        let shop = try Shop()
        try shop.folder.write("first.yaml", Self.first + "# gone\n- {key: c, id: 3, state: absent}\n")
        let run = try await shop.run()
        let added = AddedProduct(values: ProductValues(name: "Lamp three", price: 9))
        let planned = try run.planned([ProductEdit(key: "c", .add(added, file: nil), reason: "deleted by run-1")])
        #expect(planned.items.map(\.refusal) == [nil])
        _ = try run.write(planned, from: EditSource(.run, "run-1"), tool: "test")
        #expect(try shop.texts == [Self.first + "- key: c\n  name: Lamp three\n  price: 9\n", Self.second])
    }

    @Test func `a value that 'adjust' gives is no change of the manifest`() async throws {
        let shop = try Shop()
        try shop.folder.write("first.yaml", "adjust: [{price: x2}]\n" + Self.first)
        let fields = [
            FieldEdit(.value(.price), .value(.number(9)), base: .value(.number(10))),
            FieldEdit(.value(.name), .value(.text("Lamp")), base: .value(.text("Lamp 1"))),
        ]
        let planned = try await shop.run().planned([
            ProductEdit(key: "a", .change(fields), reason: "rejected update"),
            ProductEdit(key: "b", .remove(base: ProductValues(name: "Lamp two", price: 12)), reason: "rejected create"),
        ])
        #expect(
            planned.items.map(\.refusal) == [
                "its value came from 'adjust' for this market", "the manifest was also changed",
                "its values came from 'adjust' for this market",
            ]
        )
    }

    @Test func `new products need a file where several list products`() async throws {
        let shop = try Shop()
        var run = try await shop.run()
        let added = AddedProduct(values: ProductValues(name: "Lamp three", price: 9), id: MarketID(3))
        let edits = [
            ProductEdit(key: "c", .add(added, file: nil), reason: "new"),
            ProductEdit(key: "a", .add(added, file: shop.paths[0]), reason: "new"),
            ProductEdit(key: "b", .remove(base: ProductValues(price: 7)), reason: "gone"),
            ProductEdit(key: "b", .remove(base: ProductValues(price: 6)), reason: "gone"),
            ProductEdit(key: "d", .remove(base: nil), reason: "gone"),
            ProductEdit(key: "e", .change([]), reason: "x"),
        ]
        expectEnd(.usage, "several files list products, and new ones need one of them") { try run.planned(edits) }
        run.destination = "other.yaml"
        #expect(throws: CommandFailure.noDestination("other.yaml is not a file of the manifest")) {
            try run.planned(edits)
        }
        run.destination = shop.paths[0]
        let planned = try run.planned(edits)
        #expect(
            planned.items.map(\.refusal) == [
                nil, "it is listed already", "the manifest was also changed", nil, "no file lists it",
            ]
        )
        _ = try run.write(planned, from: EditSource(.table, "new.csv"), tool: "test")
        #expect(
            try shop.texts == [
                Self.first + "- key: c\n  name: Lamp three\n  price: 9\n  id: 3\n", "products: []\n",
            ]
        )
    }

    @Test func `only the newest edits are kept, and their files are private`() async throws {
        let shop = try Shop()
        let oldest = try #require(try await shop.edit(1000, 6))
        for price in 0..<100 as Range<Int64> { _ = try await shop.edit(2000 + price, 6) }
        let folder = shop.folder.path + "/.openmarket"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder + "/edits")
        #expect(names.count == 100 && !names.contains("\(oldest).json"))
        let kept = try FileManager.default.contentsOfDirectory(atPath: folder + "/kept")
        #expect(kept.count == 100)
        for path in ["edits/\(names[0])", "kept/\(kept[0])"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(path)")
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }
}
