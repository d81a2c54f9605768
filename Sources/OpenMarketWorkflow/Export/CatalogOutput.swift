import OpenMarket
import OpenMarketFiles

/// The formats of an export, and of the changes since one.
package enum CatalogOutput: String, Hashable, Sendable, CaseIterable {
    case csv
    case tsv
    case jsonl
    case sqlite
    case manifest
    case text
    case markdown
    case json

    package enum Fault: Error, Hashable, Sendable {
        /// No format has the extension of this file's name.
        case unknownEnding(String)
        /// The format is for exports only.
        case onlyExports(CatalogOutput)
        /// A JSON document and another format were requested.
        case notADocument(CatalogOutput)
    }

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

    /// The format of the changes written to a path; `-` is standard output.
    ///
    /// Without a named format the file's name decides, and the default is text. `isDocument` requires the JSON
    /// document, whatever the file's name is.
    package init(ofChangesAt path: String, named format: CatalogOutput?, isDocument: Bool = false) throws(Fault) {
        if isDocument, let format, format != .json { throw .notADocument(format) }
        let format = isDocument ? .json : format
        let named = Self.named(by: path)
        if format == nil, named == nil, path != "-", ExportFormat.ending(of: path) != nil,
            FileSystem.mayBecomeRegular(path)
        {
            throw .unknownEnding(path)
        }
        self = format ?? named ?? .text
        guard self != .sqlite, self != .manifest else { throw .onlyExports(self) }
    }

    /// The format of a file's name; `nil` if it has none.
    private static func named(by fileName: String) -> CatalogOutput? {
        var name = fileName.lowercased()
        if ExportFormat.isCompressed(fileName: name) { name.removeLast(3) }
        let endings = allCases.map { ($0.rawValue, $0) } + [("md", .markdown), ("txt", .text)]
        return endings.first { name.hasSuffix("." + $0.0) }?.1
    }

    /// The format of an export; `nil` if the format is for changes only.
    var export: ExportFormat? { ExportFormat(rawValue: rawValue) }

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
}

extension CatalogOutput.Fault: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknownEnding(let path):
            "\(path): there is no format .\(ExportFormat.ending(of: path) ?? "") of what changed"
        case .onlyExports(let format): "what changed is not written as \(format.rawValue)"
        case .notADocument(let format): "the document for programs is not written as \(format.rawValue)"
        }
    }
}
