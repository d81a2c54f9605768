import OpenMarket
import OpenMarketFiles

/// The formats of an export, and of the changes since one.
///
/// The raw value is stored in certificates.
package enum ExportFormat: String, Hashable, Sendable, CaseIterable {
    case csv
    case tsv
    /// One JSON object per line.
    case jsonl
    case sqlite
    case manifest
    case text
    case markdown
    case json

    static let ofExports: [ExportFormat] = [.csv, .tsv, .jsonl, .sqlite, .manifest]
    static let ofChanges: [ExportFormat] = [.csv, .tsv, .jsonl, .text, .markdown, .json]

    /// The format of an export for its file's name; CSV if the name implies none.
    init(fileName: String) { self = Self.named(by: fileName, among: Self.ofExports) ?? .csv }

    /// The format of an export written to a path: the stated one, or else that of the file's name.
    init(ofExportTo path: String, stated: ExportFormat?) throws(CommandFailure) {
        if let stated, !Self.ofExports.contains(stated) {
            let help = "an export is csv, tsv, jsonl, sqlite or manifest"
            throw CommandFailure(.usage, "--format \(stated.rawValue) is for --since", help: help)
        }
        self = if let stated { stated } else { try Self.named(by: path, among: Self.ofExports, otherwise: .csv) }
    }

    /// The format of the changes written to a path; `-` is standard output.
    ///
    /// `isDocument` requires the JSON document, whatever the file's name is.
    package init(
        ofChangesTo path: String,
        stated: ExportFormat?,
        isDocument: Bool = false
    ) throws(CommandFailure) {
        if isDocument, let stated, stated != .json {
            throw CommandFailure(.usage, "--json does not go with --format \(stated.rawValue)")
        }
        if let stated, !Self.ofChanges.contains(stated) {
            let help = "take text, markdown, json, csv, tsv or jsonl"
            throw CommandFailure(.usage, "changes are not written as \(stated.rawValue)", help: help)
        }
        self =
            if let format = isDocument ? .json : stated {
                format
            } else {
                try Self.named(by: path, among: Self.ofChanges, otherwise: .text)
            }
    }

    // MARK: - File names

    /// The endings of a file's name that imply the format.
    var endings: [String] {
        switch self {
        case .manifest: ["yaml", "yml"]
        case .text: ["txt", "text"]
        case .markdown: ["md", "markdown"]
        case .csv, .tsv, .jsonl, .sqlite, .json: [rawValue]
        }
    }

    /// The format of a file's name, ignoring `.gz`; `nil` if it implies none of these.
    private static func named(by fileName: String, among formats: [ExportFormat]) -> ExportFormat? {
        let name = uncompressed(fileName).lowercased()
        return formats.first { $0.endings.contains { name.hasSuffix("." + $0) } }
    }

    /// The same, or the usual format for a name without an ending and for a device.
    private static func named(
        by path: String,
        among formats: [ExportFormat],
        otherwise usual: ExportFormat
    ) throws(CommandFailure) -> ExportFormat {
        if let format = named(by: path, among: formats) { return format }
        guard path == "-" || ending(of: path) == nil || !FileSystem.mayBecomeRegular(path) else {
            throw CommandFailure(
                .usage,
                "\(path): the format .\(ending(of: path) ?? "") is unknown; the formats are "
                    + formats.flatMap(\.endings).map { "." + $0 }.joined(separator: ", ") + ", and each with .gz"
                    + (formats.contains(.sqlite) ? " but .sqlite" : ""),
                help: "name such a file, or choose the format with --format"
            )
        }
        return usual
    }

    /// The ending of a file's name, ignoring `.gz`.
    ///
    /// It is the text after the last point, if that has a letter, so `catalog` and `catalog.2026` lack one.
    static func ending(of fileName: String) -> String? {
        let name = FileSystem.name(of: uncompressed(fileName))
        guard let point = name.utf8.lastIndex(of: UInt8(ascii: ".")), point != name.startIndex else { return nil }
        let ending = String(name[name.utf8.index(after: point)...]).lowercased()
        return ending.contains(where: \.isLetter) ? ending : nil
    }

    private static func uncompressed(_ fileName: String) -> String {
        isCompressed(fileName: fileName) ? String(fileName.dropLast(3)) : fileName
    }

    static func isCompressed(fileName: String) -> Bool { fileName.lowercased().hasSuffix(".gz") }

    var content: OutputContent { self == .manifest ? .yaml : OutputContent(rawValue: rawValue) ?? .text }
}
