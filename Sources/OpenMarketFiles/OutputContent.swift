import OpenMarket

/// The kind of content of an output.
///
/// Neither the name nor the content of the file that it replaces may be of another kind. Programs rely on a file's
/// ending, and one slip would lose the file that a person keeps under a name. So a file is replaced only if it begins
/// as this output does, or is empty.
package enum OutputContent: Hashable, Sendable, CaseIterable {
    case yaml
    /// A JSON document of the tool.
    case json
    /// The lines of an export.
    case jsonl
    /// The lines of a state.
    case state
    case csv, tsv
    /// A SQLite database of an export.
    case sqlite
    /// A plan for people, or the changes since an export.
    case text
    case markdown, html, sarif, diff
    /// The names of pictures, one per line.
    case pictureNames
    case certificate
    /// Content that its reader checks: a state, a shop, the replies of an export.
    case checkedByReader

    /// The `PRAGMA application_id` of exports as databases.
    package static let databaseID: Int32 = 0x4F4D_4558

    // MARK: - Names

    /// The endings that name it; an ending that names no format is accepted, too.
    private var endings: [String] {
        switch self {
        case .yaml: ["yaml", "yml"]
        case .json, .certificate: ["json"]
        case .jsonl, .state: ["jsonl", "ndjson", "json"]
        case .csv: ["csv"]
        case .tsv: ["tsv"]
        case .sqlite: ["sqlite", "sqlite3", "db"]
        case .text, .diff, .pictureNames, .checkedByReader: []
        case .markdown: ["md", "markdown"]
        case .html: ["html", "htm"]
        case .sarif: ["sarif", "json"]
        }
    }

    var name: String {
        switch self {
        case .yaml: "YAML"
        case .json: "JSON"
        case .jsonl: "JSON Lines"
        case .state: "an exported state"
        case .csv: "CSV"
        case .tsv: "TSV"
        case .sqlite: "a SQLite database"
        case .text: "text"
        case .markdown: "Markdown"
        case .html: "HTML"
        case .sarif: "SARIF"
        case .diff: "a patch"
        case .pictureNames: "a list of pictures"
        case .certificate: "a certificate"
        case .checkedByReader: "a file of the tool's"
        }
    }

    /// The endings of formats by which people and programs know files.
    private static let formats: Set<String> = [
        "yaml", "yml", "json", "jsonl", "ndjson", "csv", "tsv", "md", "markdown", "html", "htm", "sarif", "sqlite",
        "sqlite3", "db", "xlsx", "xlsm", "xls", "ods", "parquet", "pdf", "doc", "docx", "odt", "rtf", "xml",
        "zip", "gz", "bz2", "xz", "zst", "7z", "rar", "tar", "tgz",
        "png", "jpg", "jpeg", "gif", "webp", "avif", "heic", "bmp", "tif", "tiff", "svg",
    ]

    /// The ending of a file's name that names another format; `nil` if none does.
    ///
    /// `mayBeCompressed` states whether `.gz` only means that the file is compressed.
    func foreignEnding(of path: String, mayBeCompressed: Bool) -> String? {
        guard self != .checkedByReader else { return nil }
        var name = FileSystem.name(of: path)
        if mayBeCompressed, name.lowercased().hasSuffix(".gz") { name.removeLast(3) }
        guard let point = name.lastIndex(of: ".") else { return nil }
        let ending = name[name.index(after: point)...].lowercased()
        return Self.formats.contains(ending) && !endings.contains(ending) ? ending : nil
    }

    var nameHelp: String { "name a file that ends in .\(endings.first ?? "txt")" }

    // MARK: - Contents

    /// The number of bytes of a file that are examined.
    static let headSize = 16_384

    /// Whether a file that begins so may be replaced: it is of the same kind, or empty.
    ///
    /// `head` holds the first ``headSize`` bytes, or all. `isCompressed` states whether the file's name means
    /// compression.
    func mayReplace(_ head: [UInt8], isCompressed: Bool) -> Bool {
        guard self != .checkedByReader, !head.isEmpty else { return true }
        // The name means the compressed form of the kind that the rest of the name gives.
        if isCompressed { return head.starts(with: [0x1F, 0x8B]) }
        if self == .sqlite { return Self.isExportedDatabase(head) }
        guard !head.contains(0) else { return false }
        var text = String(
            decoding: head.starts(with: [0xEF, 0xBB, 0xBF]) ? head.dropFirst(3) : head[...],
            as: UTF8.self
        )[...]
        text = text.drop(while: \.isWhitespace)
        let isState = Self.firstMember(text) == "format" && text.contains("openmarket-state")
        // It is JSON, has a version, and may be all that remains of a state.
        guard self == .state || !isState else { return false }
        let isObject = text.first == "{"
        return switch self {
        case .yaml: Self.isManifest(text)
        case .json: isObject && text.contains(#""format_version""#)
        case .certificate: isObject && text.contains(#""tool": "openmarket "#) && text.contains(#""sha256""#)
        case .jsonl: Self.firstMember(text).map { Self.isColumn($0) } ?? false
        case .state: isState
        case .csv, .tsv: Self.isTable(text)
        case .text: text.contains("content:  sha256:") || Self.isListOfChanges(text)
        case .markdown: ["## Plan: ", "## No changes.", "## What changed since "].contains(where: text.hasPrefix)
        case .html:
            text.lowercased().hasPrefix("<!doctype html>") && text.contains("default-src &#39;none&#39;; img-src data:")
        case .sarif: isObject && text.contains("sarif") && text.contains(#""openmarket""#)
        case .diff: text.hasPrefix("--- a/") && text.contains("\n+++ b/")
        case .pictureNames: Self.arePictures(text)
        case .sqlite, .checkedByReader: false
        }
    }

    private static func isExportedDatabase(_ head: [UInt8]) -> Bool {
        guard head.starts(with: "SQLite format 3\0".utf8), head.count >= 100 else { return false }
        return head[68..<72].reduce(0) { $0 << 8 | Int32($1) } == databaseID
    }

    /// Whether a text is a manifest: after comments, it begins with one of its sections.
    private static func isManifest(_ text: Substring) -> Bool {
        for line in text.split(whereSeparator: \.isNewline) {
            guard let first = line.first(where: { !$0.isWhitespace }) else { continue }
            if first == "#" || ["---", "%YAML", "%TAG"].contains(where: line.hasPrefix) { continue }
            if first == "\"" || first == "'" { return line.contains(":") }
            if ["{", "x-", "<<:", "? "].contains(where: line.hasPrefix) { return true }
            // What follows a section is in the next lines, in brackets, or elsewhere.
            guard let section = ["market:", "defaults:", "policies:", "products:"].first(where: line.hasPrefix) else {
                return false
            }
            let rest = line.dropFirst(section.count).drop(while: \.isWhitespace)
            return rest.first.map { "{[&*!#".contains($0) } ?? true
        }
        return false
    }

    /// Whether the header of a table consists mostly of export columns, however a spreadsheet has saved it.
    private static func isTable(_ text: Substring) -> Bool {
        let lines = text.split(maxSplits: 2, omittingEmptySubsequences: true, whereSeparator: \.isNewline)
        guard let header = lines.first(where: { !$0.lowercased().hasPrefix("sep=") }) else { return false }
        let names = header.split { $0 == "," || $0 == ";" || $0 == "\t" }.map { $0.filter { $0 != "\"" && $0 != " " } }
        return 2 * names.count(where: isColumn) >= max(names.count, 1)
    }

    private static func isColumn(_ name: some StringProtocol) -> Bool {
        let name = name.hasPrefix("_old_") ? String(name.dropFirst(5)) : String(name)
        return ["_change", "_fields"].contains(name) || CatalogColumn(rawValue: name) != nil
    }

    /// The name of the first member of a line that is an object, as programs write lines: without a blank.
    private static func firstMember(_ text: Substring) -> Substring? {
        let parts = text.split(separator: "\"", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "{", parts[2].hasPrefix(":"), parts[2].dropFirst().first != " " else {
            return nil
        }
        return parts[1]
    }

    private static func isListOfChanges(_ text: Substring) -> Bool {
        text.hasPrefix("No changes.") || text.prefixMatch(of: #/[~+-] [0-9]+ /#) != nil
    }

    private static func arePictures(_ text: Substring) -> Bool {
        var lines = text.split(whereSeparator: \.isNewline)
        // The last one may be cut.
        if lines.count > 1 { lines.removeLast() }
        return lines.allSatisfy { line in
            line.contains("://") && !line.contains(" ")
                || [".jpg", ".jpeg", ".png", ".gif", ".webp"].contains(where: line.lowercased().hasSuffix)
        }
    }
}
