/// The name of an export's format.
///
/// The raw value is the file's ending, and what a certificate says.
public enum ExportFormat: String, Hashable, Sendable, CaseIterable {
    /// Comma-separated values.
    case csv
    /// Tab-separated values.
    case tsv
    /// A JSON object a line.
    case jsonl
    /// A SQLite database.
    case sqlite

    /// The format that a file's name asks for, `.gz` left aside; CSV where it asks for none.
    public init(fileName: String) {
        var name = fileName.lowercased()
        if Self.isCompressed(fileName: name) { name.removeLast(3) }
        self = Self.allCases.first { name.hasSuffix("." + $0.rawValue) } ?? .csv
    }

    /// Whether a file's name asks for compression with gzip.
    public static func isCompressed(fileName: String) -> Bool { fileName.lowercased().hasSuffix(".gz") }
}
