import ArgumentParser
import OpenMarketFiles
import OpenMarketWorkflow

/// The formats of an export, and of what changed since one.
enum ExportFormatOption: String, ExpressibleByArgument, CaseIterable {
    case csv
    case tsv
    case jsonl
    case sqlite
    case manifest
    case text
    case markdown
    case json

    /// The format of what changed that a file's name asks for; `nil` where it asks for none.
    init?(fileName: String) {
        var name = fileName.lowercased()
        if ExportFormat.isCompressed(fileName: name) { name.removeLast(3) }
        let endings: [(String, Self)] =
            Self.allCases.map { ($0.rawValue, $0) } + [("md", .markdown), ("txt", .text)]
        guard let format = endings.first(where: { name.hasSuffix("." + $0.0) })?.1 else { return nil }
        self = format
    }

    /// What is written in it.
    var content: OutputContent {
        switch self {
        case .csv: .csv
        case .tsv: .tsv
        case .jsonl: .jsonl
        case .sqlite: .sqlite
        case .manifest: .yaml
        case .text: .text
        case .markdown: .markdown
        case .json: .json
        }
    }

    /// The same as a format of an export; `nil` where only changes are written so.
    var export: ExportFormat? { ExportFormat(rawValue: rawValue) }

    /// The format of an export.
    init(_ format: ExportFormat) {
        self =
            switch format {
            case .csv: .csv
            case .tsv: .tsv
            case .jsonl: .jsonl
            case .sqlite: .sqlite
            case .manifest: .manifest
            }
    }
}
