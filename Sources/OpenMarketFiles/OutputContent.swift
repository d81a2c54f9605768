/// The name of an output's file says that it is something else than what is written.
package struct ContentConflict: Error, Hashable, Sendable {
    /// What is wrong.
    package let message: String
    /// What to do about it.
    package let help: String
}

/// What an output is written as; its file's name must not say that it is something else.
///
/// Programs go by a file's ending: YAML under the name of a table is a damaged table, and a plan under the name of a manifest
/// is mostly a slip that would cost the manifest.
package enum OutputContent: Sendable {
    case yaml, json, jsonl, text, markdown, html, sarif, diff

    /// The endings that name it; any other that names no format does as well.
    private var endings: [String] {
        switch self {
        case .yaml: ["yaml", "yml"]
        case .json: ["json"]
        case .jsonl: ["jsonl", "ndjson", "json"]
        case .text, .diff: []
        case .markdown: ["md", "markdown"]
        case .html: ["html", "htm"]
        case .sarif: ["sarif", "json"]
        }
    }

    /// The name for people.
    private var name: String {
        switch self {
        case .yaml: "YAML"
        case .json: "JSON"
        case .jsonl: "JSON Lines"
        case .text: "text"
        case .markdown: "Markdown"
        case .html: "HTML"
        case .sarif: "SARIF"
        case .diff: "a patch"
        }
    }

    /// The endings of formats that people and programs know files by.
    private static let formats: Set<String> = [
        "yaml", "yml", "json", "jsonl", "ndjson", "csv", "tsv", "md", "markdown", "html", "htm", "sarif", "sqlite",
        "db", "xlsx",
        "xls", "ods", "parquet", "zip", "gz", "pdf",
    ]

    /// Makes sure that a file's name does not name another format.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - option: what it is called in messages.
    /// - Throws: ``ContentConflict``.
    package func requireName(_ path: String, of option: String) throws(ContentConflict) {
        let file = FileSystem.name(of: path)
        guard let point = file.lastIndex(of: "."), FileSystem.mayBecomeRegular(path) else { return }
        let ending = file[file.index(after: point)...].lowercased()
        guard Self.formats.contains(ending), !endings.contains(ending) else { return }
        throw ContentConflict(
            message:
                "\(option)\(option.hasSuffix("=") ? "" : " ")\(path): what is written is \(name), and .\(ending) is not",
            help: "name a file that ends in .\(endings.first ?? "txt")"
        )
    }
}
