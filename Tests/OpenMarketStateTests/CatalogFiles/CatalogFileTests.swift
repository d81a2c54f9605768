@testable import OpenMarket
@testable import OpenMarketState
@testable import OpenMarketFiles
@testable import OpenMarketTestSupport
import Testing

struct CatalogFileTests {
    private static let products: [LiveProduct] = [
        LiveProduct(
            id: MarketID(193),
            vendorID: 29,
            vendorName: "=shop",
            name: "'=1; \"x\", e\u{301} 램프\u{0}",
            description: "two\r\nlines\n\u{FEFF}",
            price: ExactDecimal("16.99"),
            currency: .usd,
            sale: .price(ExactDecimal("5") ?? 0),
            stock: 0,
            thumbnailURL: "",
            images: [.init(id: 1, url: "https://m.example/1.png"), .init(id: 2, url: "https://m.example/2.png")],
            createdAt: "2022-11-15T00:00:00",
            issuedAt: "-"
        ),
        LiveProduct(id: MarketID(8), name: "", description: "+1", images: []),
        LiveProduct(id: MarketID(7)),
    ]

    private static func text(_ format: some CatalogFormat, _ products: [LiveProduct] = products) -> [UInt8] {
        var format = format
        for (index, product) in products.enumerated() { format.append(product, key: index == 0 ? "@key" : nil) }
        return format.takeBytes()
    }

    private static func rows(_ directory: borrowing TemporaryDirectory, _ name: String) throws -> [CatalogRow] {
        var rows: [CatalogRow] = []
        try CatalogLibraries().rows(of: directory.path + "/" + name, as: .earlierExport, ids: .number, isLines: false) {
            rows.append($0)
        }
        return rows
    }

    @Test func `an export of any format reads back as the same rows`() throws {
        let directory = try TemporaryDirectory()
        let lines = Self.text(CatalogJSONLines())
        try directory.write("a.jsonl", lines)
        try directory.write("a.csv", Self.text(CatalogCSV()))
        try directory.write("a.tsv", Self.text(CatalogCSV(delimiter: UInt8(ascii: "\t"))))
        let table = Self.text(CatalogCSV(delimiter: UInt8(ascii: ";"), isForSpreadsheets: true))
        try directory.write("excel.csv", table)
        try directory.write("a.csv.gz", GzipWriter.compressed(table))
        try directory.write("named-otherwise", GzipWriter.compressed(lines))
        let database = try CatalogDatabase(
            path: directory.path + "/a.sqlite",
            columns: CatalogColumn.allCases,
            ids: .number
        )
        for (index, product) in Self.products.enumerated() { database.append(product, key: index == 0 ? "@key" : nil) }
        try database.end()

        var expected: [CatalogRow] = []
        var reader = CatalogLineReader(ids: .number)
        try reader.read(lines) { expected.append($0) }
        #expect(expected.count == 3)
        for name in ["a.jsonl", "a.csv", "a.tsv", "excel.csv", "a.csv.gz", "named-otherwise", "a.sqlite"] {
            #expect(try Self.rows(directory, name) == expected, "\(name)")
        }
        withExtendedLifetime(directory) {}
    }

    @Test func `rows that are larger than a piece of the file read back whole`() throws {
        let directory = try TemporaryDirectory()
        let products = (1...40).map { number in
            LiveProduct(id: MarketID(Int64(number)), name: String(repeating: "\"램, \n", count: 2000))
        }
        try directory.write("a.jsonl", Self.text(CatalogJSONLines(), products))
        try directory.write("a.csv", Self.text(CatalogCSV(), products))
        let rows = try Self.rows(directory, "a.jsonl")
        #expect(rows.map(\.id) == products.map(\.id))
        #expect(rows.allSatisfy { $0.text(.name) == products[0].name })
        #expect(try Self.rows(directory, "a.csv") == rows)
        withExtendedLifetime(directory) {}
    }

    @Test(
        arguments: [
            ("", "it is empty"),
            ("name,price\r\nx,1\r\n", "the column 'id' is missing from its first line, so it cannot identify products"),
            ("id,price\r\n7,cheap\r\n", "row 2: price 'cheap' is not a number"),
            ("id,price\r\n7\r\n", "row 2: this row has 1 cell, and the header 2"),
            ("id,name\r\n,x\r\n", "row 2: the id is missing"),
            ("id,id\r\n1,1\r\n", "a column appears twice"),
            ("_change,_fields,id,name\r\nnew,,1,x\r\n", "it holds the changes since an export, not a whole catalog"),
            ("{\"_change\":\"new\",\"id\":1}\n", "it holds the changes since an export, not a whole catalog"),
            ("{\"id\":7}\n{\"id\":8", "line 2 does not end: the file is cut off"),
            (
                "{\"id\":7}\n{\"id\":\"8\"}\n",
                "line 2 is not a product: 'id' is not a whole number, as the market's ids are"
            ),
        ]
    )
    func `what is not an export is an error at its place`(text: String, message: String) throws {
        let directory = try TemporaryDirectory()
        try directory.write("a", text)
        #expect {
            try Self.rows(directory, "a")
        } throws: { error in
            (error as? CatalogFileError)?.message == message
        }
        withExtendedLifetime(directory) {}
    }
}

extension GzipWriter {
    /// A whole text as one member.
    fileprivate static func compressed(_ bytes: [UInt8]) throws -> [UInt8] {
        let writer = try GzipWriter()
        return writer.compress(bytes) + writer.finish()
    }
}
