@testable import OpenMarket
@testable import OpenMarketFiles
@testable import OpenMarketWorkflow
import Testing

/// The formats of an export and of what changed, by their names and those of files.
struct CatalogOutputTests {
    @Test(
        arguments: [
            ("-", nil, .text), ("changes", nil, .text), ("a.txt", nil, .text), ("a.MD", nil, .markdown),
            ("a.markdown.gz", nil, .markdown), ("a.json", nil, .json), ("a.csv.gz", nil, .csv), ("a.tsv", nil, .tsv),
            ("a.jsonl", nil, .jsonl), ("a.csv", .markdown, .markdown), ("a.xlsx", .json, .json), ("-", .csv, .csv),
        ] as [(String, CatalogOutput?, CatalogOutput)]
    )
    func `a name, else the name of the file, says how changes are written`(
        path: String,
        named: CatalogOutput?,
        format: CatalogOutput
    ) throws {
        #expect(try CatalogOutput(ofChangesAt: path, named: named) == format)
    }

    @Test(
        arguments: [
            ("a.xlsx", nil, .unknownEnding("a.xlsx")), ("a.yaml", nil, .unknownEnding("a.yaml")),
            ("a.sqlite", nil, .onlyExports(.sqlite)), ("a.csv", .sqlite, .onlyExports(.sqlite)),
            ("-", .manifest, .onlyExports(.manifest)),
        ] as [(String, CatalogOutput?, CatalogOutput.Fault)]
    )
    func `changes are not written in every format`(path: String, named: CatalogOutput?, fault: CatalogOutput.Fault) {
        #expect(throws: fault) { try CatalogOutput(ofChangesAt: path, named: named) }
    }

    @Test func `the document for programs is JSON, whatever the name of the file says`() throws {
        for path in ["-", "a.csv", "a.xlsx", "a.sqlite"] {
            #expect(try CatalogOutput(ofChangesAt: path, named: nil, isDocument: true) == .json)
            #expect(try CatalogOutput(ofChangesAt: path, named: .json, isDocument: true) == .json)
        }
        for format in CatalogOutput.allCases where format != .json {
            #expect(throws: CatalogOutput.Fault.notADocument(format)) {
                try CatalogOutput(ofChangesAt: "a.json", named: format, isDocument: true)
            }
        }
    }

    @Test func `every format of an export is one of them`() {
        #expect(ExportFormat.allCases.map { CatalogOutput($0).export } == ExportFormat.allCases)
        #expect(CatalogOutput.allCases.filter { $0.export == nil } == [.text, .markdown, .json])
        let contents: [OutputContent] = [.csv, .tsv, .jsonl, .sqlite, .yaml, .text, .markdown, .json]
        #expect(CatalogOutput.allCases.map(\.content) == contents)
    }
}
