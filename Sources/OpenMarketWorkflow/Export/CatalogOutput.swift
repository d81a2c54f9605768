import OpenMarket
import OpenMarketFiles

/// The formats of an export, and of what changed since one.
package enum CatalogOutput: String, Hashable, Sendable, CaseIterable {
    case csv
    case tsv
    case jsonl
    case sqlite
    case manifest
    case text
    case markdown
    case json

    /// Why what changed is not written in a format.
    package enum Fault: Error, Hashable, Sendable {
        /// No format has the ending of this file's name.
        case unknownEnding(String)
        /// Only exports are written so.
        case onlyExports(CatalogOutput)
        /// A document was asked for, and another format.
        case notADocument(CatalogOutput)
    }

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

    /// The format of what changed.
    ///
    /// - Parameters:
    ///   - path: where it is written; `-` is standard output.
    ///   - format: the format, where it is named; else the file's name decides, and text is the rest.
    ///   - isDocument: whether it has to be the document for programs, whatever the file's name says.
    /// - Throws: ``Fault``.
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

    /// The format that a file's name asks for; `nil` where it asks for none.
    private static func named(by fileName: String) -> CatalogOutput? {
        var name = fileName.lowercased()
        if ExportFormat.isCompressed(fileName: name) { name.removeLast(3) }
        let endings = allCases.map { ($0.rawValue, $0) } + [("md", .markdown), ("txt", .text)]
        return endings.first { name.hasSuffix("." + $0.0) }?.1
    }

    /// The same as a format of an export; `nil` where only changes are written so.
    var export: ExportFormat? { ExportFormat(rawValue: rawValue) }

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
