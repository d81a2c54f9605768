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
        #expect(throws: ExportOptionsError.unknownEnding("a.xlsx", among: ExportFormat.ofExports)) {
            try Self.options("a.xlsx")
        }
        #expect(throws: ExportOptionsError.notForSpreadsheets(.tsv)) {
            try Self.options("a.tsv", isForSpreadsheets: true)
        }
        #expect(throws: ExportOptionsError.notForSpreadsheets(.jsonl)) {
            try Self.options("a.jsonl", isForSpreadsheets: true)
        }
        #expect(throws: ExportOptionsError.noDelimiter(.tsv)) { try Self.options("a.tsv", delimiter: Self.semicolon) }
        #expect(throws: ExportOptionsError.noDelimiter(.jsonl)) {
            try Self.options("a.jsonl.gz", delimiter: Self.semicolon)
        }
        for path in ["-", "/dev/null"] {
            #expect(throws: ExportOptionsError.databaseNeedsRegularFile(path)) {
                try Self.options(path, format: .sqlite)
            }
        }
        #expect(throws: ExportOptionsError.compressedDatabase) { try Self.options("a.sqlite.gz") }
        #expect(throws: ExportOptionsError.databaseNeedsID) { try Self.options("a.sqlite", columns: [.name]) }
        #expect(throws: ExportOptionsError.manifestHasNoColumns) { try Self.options("a.yaml", columns: [.id]) }
        for format in [ExportFormat.text, .markdown, .json] {
            #expect(throws: ExportOptionsError.onlyChanges(format)) { try Self.options("a.xlsx", format: format) }
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
