@testable import OpenMarket
@testable import OpenMarketWorkflow
import Testing

struct ExportOptionsTests {
    private static let semicolon = UInt8(ascii: ";")

    private static func options(
        _ path: String,
        format: ExportFormat? = nil,
        columns: [CatalogColumn]? = nil,
        delimiter: UInt8? = nil,
        isForSpreadsheets: Bool = false
    ) throws -> ExportOptions {
        try ExportOptions(
            to: ExportTarget(path),
            as: format,
            columns: columns,
            delimiter: delimiter,
            isForSpreadsheets: isForSpreadsheets,
            market: MarketSettings()
        )
    }

    @Test func `what does not go together is refused`() {
        func expect(_ words: String, _ body: () throws -> ExportOptions) {
            expectEnd(.usage, words) { try body() }
        }
        expect(
            "a.xlsx: the format .xlsx is unknown; the formats are "
                + ".csv, .tsv, .jsonl, .sqlite, .yaml, .yml, and each with .gz but .sqlite"
        ) { try Self.options("a.xlsx") }
        expect("for spreadsheets is CSV, and this one is tsv") { try Self.options("a.tsv", isForSpreadsheets: true) }
        expect("this one is jsonl") { try Self.options("a.jsonl", isForSpreadsheets: true) }
        expect("this export is tsv") { try Self.options("a.tsv", delimiter: Self.semicolon) }
        expect("this export is jsonl") { try Self.options("a.jsonl.gz", delimiter: Self.semicolon) }
        for path in ["-", "/dev/null"] {
            #expect(throws: ExportOptions.notRegular(path)) { try Self.options(path, format: .sqlite) }
        }
        expect("is not compressed") { try Self.options("a.sqlite.gz") }
        expect("needs the column id") { try Self.options("a.sqlite", columns: [.name]) }
        expect("columns are for tables") { try Self.options("a.yaml", columns: [.id]) }
        for format in [ExportFormat.text, .markdown, .json] {
            expect("--format \(format.rawValue) is for --since") { try Self.options("a.xlsx", format: format) }
        }
    }

    @Test func `the name of a device says nothing of the format`() throws {
        #expect(try Self.options("/dev/null").format == .csv)
    }

    @Test(
        arguments: [
            ("a.csv", .csv, false), ("a.TSV.gz", .tsv, true), ("a.jsonl", .jsonl, false), ("a.yml", .manifest, false),
            ("catalog", .csv, false), ("c.2026", .csv, false), ("d.CSV", .csv, false),
        ] as [(String, ExportFormat, Bool)]
    )
    func `the name of a file says what is written`(name: String, format: ExportFormat, isCompressed: Bool) throws {
        let options = try Self.options(name)
        #expect(options.format == format)
        #expect(options.isCompressed == isCompressed)
        #expect(options.columns == (format == .manifest ? ManifestEncoder.columns : CatalogColumn.allCases))
    }
}
