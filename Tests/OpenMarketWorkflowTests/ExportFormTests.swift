@testable import OpenMarket
@testable import OpenMarketWorkflow
import Testing

struct ExportFormTests {
    private static let semicolon = UInt8(ascii: ";")

    private static func form(
        _ path: String,
        format: CatalogOutput? = nil,
        columns: [CatalogColumn]? = nil,
        delimiter: UInt8? = nil,
        isForSpreadsheets: Bool = false
    ) throws -> ExportForm {
        try ExportForm(
            ExportTarget(path),
            format: format,
            columns: columns,
            delimiter: delimiter,
            isForSpreadsheets: isForSpreadsheets,
            market: MarketSettings()
        )
    }

    @Test func `what does not go together is refused`() {
        #expect(throws: ExportFormError.unknownEnding("a.xlsx")) { try Self.form("a.xlsx") }
        #expect(throws: ExportFormError.notForSpreadsheets(.tsv)) { try Self.form("a.tsv", isForSpreadsheets: true) }
        #expect(throws: ExportFormError.notForSpreadsheets(.jsonl)) {
            try Self.form("a.jsonl", isForSpreadsheets: true)
        }
        #expect(throws: ExportFormError.noDelimiter(.tsv)) { try Self.form("a.tsv", delimiter: Self.semicolon) }
        #expect(throws: ExportFormError.noDelimiter(.jsonl)) {
            try Self.form("a.jsonl.gz", delimiter: Self.semicolon)
        }
        #expect(throws: ExportFormError.databaseNeedsFile) { try Self.form("-", format: .sqlite) }
        #expect(throws: ExportFormError.compressedDatabase) { try Self.form("a.sqlite.gz") }
        #expect(throws: ExportFormError.databaseNeedsID) { try Self.form("a.sqlite", columns: [.name]) }
        #expect(throws: ExportFormError.manifestHasNoColumns) { try Self.form("a.yaml", columns: [.id]) }
        for format in [CatalogOutput.text, .markdown, .json] {
            #expect(throws: ExportFormError.onlyChanges(format)) { try Self.form("a.xlsx", format: format) }
        }
    }

    @Test func `the name of a device says nothing of the format`() throws {
        #expect(try Self.form("/dev/null").request.format == .csv)
    }

    @Test(
        arguments: [
            ("a.csv", .csv, false), ("a.TSV.gz", .tsv, true), ("a.jsonl", .jsonl, false), ("a.yml", .manifest, false),
            ("catalog", .csv, false),
        ] as [(String, ExportFormat, Bool)]
    )
    func `the name of a file says what is written`(name: String, format: ExportFormat, isCompressed: Bool) throws {
        let form = try Self.form(name)
        #expect(form.request.format == format)
        #expect(form.isCompressed == isCompressed)
        #expect((form.manifest != nil) == (format == .manifest))
        #expect(form.request.columns == (format == .manifest ? ManifestEncoder.columns : CatalogColumn.allCases))
    }
}
