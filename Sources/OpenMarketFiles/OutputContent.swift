import OpenMarket

/// The format of an output; its file's ending must not contradict it, because programs rely on endings.
package enum OutputContent: String, Hashable, Sendable, CaseIterable {
    case yaml, json, jsonl, csv, tsv
    /// A SQLite database of an export.
    case sqlite
    /// Text for people, a patch, or a list of names.
    case text
    case markdown, html, sarif
    /// Content that its reader verifies: a state, a shop, the replies of an export.
    case checkedByReader

    /// The `PRAGMA application_id` of exports as databases.
    package static let databaseID: Int32 = 0x4F4D_4558

    var name: String { form.name }

    /// The endings of this format; an ending that belongs to no format is also accepted.
    var endings: [String] { form.endings }

    private var form: (name: String, endings: [String]) {
        switch self {
        case .yaml: ("YAML", ["yaml", "yml"])
        case .json: ("JSON", ["json"])
        case .jsonl: ("JSON Lines", ["jsonl", "ndjson", "json"])
        case .csv: ("CSV", ["csv"])
        case .tsv: ("TSV", ["tsv"])
        case .sqlite: ("a SQLite database", ["sqlite", "sqlite3", "db"])
        case .text: ("text", [])
        case .markdown: ("Markdown", ["md", "markdown"])
        case .html: ("HTML", ["html", "htm"])
        case .sarif: ("SARIF", ["sarif", "json"])
        case .checkedByReader: ("a file of the tool's", [])
        }
    }

    /// Endings that belong to a format.
    private static let formats: Set<String> = [
        "yaml", "yml", "json", "jsonl", "ndjson", "csv", "tsv", "md", "markdown", "html", "htm", "sarif", "sqlite",
        "sqlite3", "db", "xlsx", "xlsm", "xls", "ods", "parquet", "pdf", "doc", "docx", "odt", "rtf", "xml",
        "zip", "gz", "bz2", "xz", "zst", "7z", "rar", "tar", "tgz",
        "png", "jpg", "jpeg", "gif", "webp", "avif", "heic", "bmp", "tif", "tiff", "svg",
    ]

    /// The ending of a file's name that belongs to another format; `nil` if none does.
    ///
    /// With `mayBeCompressed`, `.gz` only means that the file is compressed.
    func foreignEnding(of path: String, mayBeCompressed: Bool) -> String? {
        guard self != .checkedByReader else { return nil }
        var name = FileSystem.name(of: path)
        if mayBeCompressed, name.lowercased().hasSuffix(".gz") { name.removeLast(3) }
        guard let point = name.lastIndex(of: ".") else { return nil }
        let ending = name[name.index(after: point)...].lowercased()
        return Self.formats.contains(ending) && !endings.contains(ending) ? ending : nil
    }
}
