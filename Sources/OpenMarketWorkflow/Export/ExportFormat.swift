/// The name of an export's format.
///
/// The raw value is what a certificate says.
public enum ExportFormat: String, Hashable, Sendable, CaseIterable {
    /// Comma-separated values.
    case csv
    /// Tab-separated values.
    case tsv
    /// A JSON object a line.
    case jsonl
    /// A SQLite database.
    case sqlite
    /// A manifest.
    case manifest

    /// The format that a file's name asks for, `.gz` left aside; CSV where it asks for none.
    public init(fileName: String) {
        var name = fileName.lowercased()
        if Self.isCompressed(fileName: name) { name.removeLast(3) }
        self = Self.allCases.first { $0.endings.contains { name.hasSuffix("." + $0) } } ?? .csv
    }

    /// How names of files of the format end.
    private var endings: [String] { self == .manifest ? ["yaml", "yml"] : [rawValue] }

    /// Whether a file's name asks for compression with gzip.
    public static func isCompressed(fileName: String) -> Bool { fileName.lowercased().hasSuffix(".gz") }
}
