@testable import OpenMarket
@testable import OpenMarketFiles
@testable import OpenMarketWorkflow
import Testing

/// The formats of an export and of what changed, by their names and those of files.
struct ExportFormatTests {
    @Test(
        arguments: [
            ("-", nil, .text), ("changes", nil, .text), ("a.txt", nil, .text), ("a.MD", nil, .markdown),
            ("a.markdown.gz", nil, .markdown), ("a.json", nil, .json), ("a.csv.gz", nil, .csv), ("a.tsv", nil, .tsv),
            ("a.jsonl", nil, .jsonl), ("a.csv", .markdown, .markdown), ("a.xlsx", .json, .json), ("-", .csv, .csv),
        ] as [(String, ExportFormat?, ExportFormat)]
    )
    func `a name, else the name of the file, says how changes are written`(
        path: String,
        named: ExportFormat?,
        format: ExportFormat
    ) throws {
        #expect(try ExportFormat(ofChangesTo: path, stated: named) == format)
    }

    @Test(
        arguments: [
            ("a.xlsx", nil, "the format .xlsx is unknown"), ("a.yaml", nil, "the format .yaml is unknown"),
            (
                "a.sqlite.gz", nil,
                "a.sqlite.gz: the format .sqlite is unknown; the formats are "
                    + ".csv, .tsv, .jsonl, .txt, .text, .md, .markdown, .json, and each with .gz"
            ),
            ("a.csv", .sqlite, "changes are not written as sqlite"),
            ("-", .manifest, "changes are not written as manifest"),
        ] as [(String, ExportFormat?, String)]
    )
    func `changes are not written in every format`(path: String, named: ExportFormat?, fault: String) {
        expectEnd(.usage, fault) { try ExportFormat(ofChangesTo: path, stated: named) }
    }

    @Test func `the document for programs is JSON, whatever the name of the file says`() throws {
        for path in ["-", "a.csv", "a.xlsx", "a.sqlite"] {
            #expect(try ExportFormat(ofChangesTo: path, stated: nil, isDocument: true) == .json)
            #expect(try ExportFormat(ofChangesTo: path, stated: .json, isDocument: true) == .json)
        }
        for format in ExportFormat.allCases where format != .json {
            #expect(throws: CommandFailure(.usage, "--json does not go with --format \(format.rawValue)")) {
                try ExportFormat(ofChangesTo: "a.json", stated: format, isDocument: true)
            }
        }
    }

    @Test func `a format is of exports, of changes or of both, and has a content`() {
        let both: Set<ExportFormat> = [.csv, .tsv, .jsonl]
        #expect(Set(ExportFormat.ofExports) == both.union([.sqlite, .manifest]))
        #expect(Set(ExportFormat.ofChanges) == both.union([.text, .markdown, .json]))
        let contents: [OutputContent] = [.csv, .tsv, .jsonl, .sqlite, .yaml, .text, .markdown, .json]
        #expect(ExportFormat.allCases.map(\.content) == contents)
    }
}
