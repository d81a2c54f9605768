@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

struct CatalogComparisonTests {
    private static func rows(_ products: [LiveProduct], columns: [CatalogColumn] = CatalogColumn.allCases) throws
        -> [CatalogRow]
    {
        var lines = CatalogJSONLines(columns: columns)
        for product in products { lines.append(product, key: nil) }
        var rows: [CatalogRow] = []
        var reader = CatalogLineReader(ids: .number)
        try reader.read(lines.takeBytes()) { rows.append($0) }
        return rows
    }

    /// The comparison, written down without hashes.
    private static func slowly(_ later: [CatalogRow], since earlier: [CatalogRow], columns: [CatalogColumn]) -> [String]
    {
        var changes: [String] = []
        for row in later {
            guard let before = earlier.first(where: { $0.id == row.id }) else {
                changes.append("new \(row.id)")
                continue
            }
            let fields = columns.filter { row[$0] != before[$0] }
            if !fields.isEmpty { changes.append("changed \(row.id) \(fields)") }
        }
        for row in earlier where !later.contains(where: { $0.id == row.id }) { changes.append("gone \(row.id)") }
        return changes.sorted()
    }

    @Test func `lines read back as the values that were written`() throws {
        let product = LiveProduct(
            id: MarketID(193),
            vendorID: 29,
            name: "e\u{301} \u{0}\"\n",
            description: "",
            price: ExactDecimal("16.99"),
            sale: .price(3),
            images: [.init(id: 1, url: "u"), .init(id: 2, url: "v")]
        )
        let row = try #require(try Self.rows([product]).first)
        #expect(row.columns == CatalogColumn.allCases)
        let name = try #require(row.text(.name))
        #expect(Array(name.utf8) == Array("e\u{301} \u{0}\"\n".utf8))
        #expect(row[.description] == .text(""))
        #expect(row[.stock] == .unset)
        #expect(row[.images] == .texts(["u", "v"]))
        #expect(
            [row.number(.price), row.number(.salePrice), row.number(.discount)].map { $0?.description } == [
                "16.99", "3", "13.99",
            ]
        )
    }

    @Test(arguments: [#"{"name":"x"}"#, #"{"id":"7"}"#, #"{"id":7,"price":"8"}"#, #"{"id":7,"name":8}"#, #"{"id":7"#])
    func `a line that is not a product is an error`(line: String) {
        var reader = CatalogLineReader(ids: .number)
        #expect(throws: JSONError.self) { try reader.read(Array(line.utf8)) { _ in } }
    }

    @Test func `a name of one line is not taken for that of the line before`() throws {
        var reader = CatalogLineReader(ids: .number)
        var rows: [CatalogRow] = []
        let lines = #"{"id":7,"name":"Lamp"}"# + "\n" + #"{"id":8,"nope":"Mug"}"# + "\n" + #"{"id":9}"#
        try reader.read(Array(lines.utf8)) { rows.append($0) }
        #expect(rows.map(\.id) == [MarketID(7), MarketID(8), MarketID(9)])
        #expect(rows.map { $0.text(.name) } == ["Lamp", nil, nil])
    }

    @Test func `what the earlier export never shows for want of details is not compared`() throws {
        let bare = try Self.rows([LiveProduct(id: MarketID(1), name: "a"), LiveProduct(id: MarketID(2), name: "b")])
        let full = try Self.rows([
            LiveProduct(id: MarketID(1), name: "a", description: "x", images: []),
            LiveProduct(id: MarketID(2), name: "b", description: "y", sale: .price(3), images: []),
        ])
        let changes = CatalogChanges.between(bare, and: full)
        #expect(changes.changes == [CatalogChange(kind: .changed, row: full[1], before: bare[1], fields: [.salePrice])])
        #expect(!changes.columns.contains(.description))
        #expect(changes.unchanged == 1)
    }

    @Test func `only columns that the earlier export has are compared`() throws {
        let names = try Self.rows([LiveProduct(id: MarketID(1), name: "a", price: 3)], columns: [.id, .name])
        let all = try Self.rows([LiveProduct(id: MarketID(1), name: "a", price: 4)])
        #expect(CatalogChanges.between(names, and: all).changes == [])
        #expect(CatalogChanges.between(names, and: all).columns == [.name])
        // Of nothing nothing is known, so that all is new.
        #expect(CatalogChanges.between([], and: all).changes == [CatalogChange(kind: .new, row: all[0])])
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `random catalogs differ as a comparison row by row says`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        func catalog() throws -> [CatalogRow] {
            let ids = (1...40).filter { _ in Int.random(in: 0..<4, using: &random) > 0 }.reversed()
            return try Self.rows(
                ids.map { id in
                    LiveProduct(
                        id: MarketID(Int64(id)),
                        name: ["a", "b", "e\u{301}", "\u{E9}"].randomElement(using: &random),
                        description: ["", "x"].randomElement(using: &random),
                        price: [3, 4].randomElement(using: &random),
                        stock: Bool.random(using: &random) ? 0 : nil,
                        images: Bool.random(using: &random) ? [] : [.init(id: 1, url: "u")]
                    )
                }
            )
        }
        for _ in 0..<50 {
            let (earlier, later) = (try catalog(), try catalog())
            let changes = CatalogChanges.between(earlier, and: later)
            let words = changes.changes.map { change in
                "\(change.kind) \(change.row.id)" + (change.fields.isEmpty ? "" : " \(change.fields)")
            }
            #expect(words.sorted() == Self.slowly(later, since: earlier, columns: changes.columns), "seed \(seed)")
            #expect(changes.count(.new) + changes.count(.changed) + changes.unchanged == later.count)
        }
    }

    @Test func `a change file has what is and what was`() throws {
        let columns: [CatalogColumn] = [.id, .key, .name, .price]
        let earlier = try Self.rows(
            [LiveProduct(id: MarketID(2), name: "b, c", price: 3), LiveProduct(id: MarketID(1), name: "gone")],
            columns: columns
        )
        let later = try Self.rows(
            [LiveProduct(id: MarketID(3), name: "new"), LiveProduct(id: MarketID(2), name: "b, c", price: 4)],
            columns: columns
        )
        let changes = CatalogChanges.between(earlier, and: later)
        #expect(
            String(decoding: CatalogChangeTable.bytes(changes, as: .table(delimiter: UInt8(ascii: ","))), as: UTF8.self)
                == """
                _change,_fields,id,key,name,price,_old_name,_old_price\r
                new,,3,,new,,,\r
                changed,price,2,,"b, c",4,"b, c",3\r
                gone,,1,,gone,,,\r

                """
        )
        #expect(
            String(decoding: CatalogChangeTable.bytes(changes, as: .lines), as: UTF8.self) == """
                {"_change":"new","_fields":[],"id":3,"key":null,"name":"new","price":null,"_old":{}}
                {"_change":"changed","_fields":["price"],"id":2,"key":null,"name":"b, c","price":4,"_old":{"price":3}}
                {"_change":"gone","_fields":[],"id":1,"key":null,"name":"gone","price":null,"_old":{}}

                """
        )
    }
}
