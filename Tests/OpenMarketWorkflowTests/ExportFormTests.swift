import OpenMarket
import OpenMarketWorkflow
import Testing

struct ExportFormTests {
    private static let semicolon = UInt8(ascii: ";")

    @Test func `what does not go together is refused`() {
        let market = MarketSettings()
        #expect(throws: ExportFormError.unknownEnding("a.xlsx")) { try ExportForm(fileName: "a.xlsx", market: market) }
        #expect(throws: ExportFormError.notForSpreadsheets(.tsv)) {
            try ExportForm(fileName: "a.tsv", isForSpreadsheets: true, market: market)
        }
        #expect(throws: ExportFormError.noDelimiter(.jsonl)) {
            try ExportForm(fileName: "a.jsonl.gz", delimiter: Self.semicolon, market: market)
        }
        #expect(throws: ExportFormError.databaseNeedsFile) {
            try ExportForm(fileName: nil, format: .sqlite, market: market)
        }
        #expect(throws: ExportFormError.compressedDatabase) { try ExportForm(fileName: "a.sqlite.gz", market: market) }
        #expect(throws: ExportFormError.databaseNeedsID) {
            try ExportForm(fileName: "a.sqlite", columns: [.name], market: market)
        }
        #expect(throws: ExportFormError.manifestHasNoColumns) {
            try ExportForm(fileName: "a.yaml", columns: [.id], market: market)
        }
    }

    @Test func `the name of a device says nothing of the format`() throws {
        let form = try ExportForm(fileName: "/dev/fd/3.xlsx", isRegular: false, market: MarketSettings())
        #expect(form.request.format == .csv)
    }

    @Test(
        arguments: [
            ("a.csv", .csv, false), ("a.TSV.gz", .tsv, true), ("a.jsonl", .jsonl, false), ("a.yml", .manifest, false),
            ("catalog", .csv, false),
        ] as [(String, ExportFormat, Bool)]
    )
    func `the name of a file says what is written`(name: String, format: ExportFormat, isCompressed: Bool) throws {
        let form = try ExportForm(fileName: name, market: MarketSettings())
        #expect(form.request.format == format)
        #expect(form.isCompressed == isCompressed)
        #expect((form.manifest != nil) == (format == .manifest))
        #expect(form.request.columns == (format == .manifest ? ManifestEncoder.columns : CatalogColumn.allCases))
    }
}
