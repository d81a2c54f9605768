/// The name of an export's format.
///
/// The raw value is what a certificate says.
package enum ExportFormat: String, Hashable, Sendable, CaseIterable {
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
    init(fileName: String) {
        let name = Self.uncompressed(fileName).lowercased()
        self = Self.allCases.first { $0.endings.contains { name.hasSuffix("." + $0) } } ?? .csv
    }

    /// The ending of a file's name that asks for some format, `.gz` left aside: what follows the last point, where that
    /// has a letter, so that `catalog` and `catalog.2026` ask for none.
    static func ending(of fileName: String) -> String? {
        let name = uncompressed(fileName).utf8.split(separator: UInt8(ascii: "/")).last.flatMap { String($0) } ?? ""
        guard let point = name.utf8.lastIndex(of: UInt8(ascii: ".")), point != name.startIndex else { return nil }
        let ending = String(name[name.utf8.index(after: point)...]).lowercased()
        return ending.contains(where: \.isLetter) ? ending : nil
    }

    private static func uncompressed(_ fileName: String) -> String {
        isCompressed(fileName: fileName) ? String(fileName.dropLast(3)) : fileName
    }

    /// How names of files of the format end.
    var endings: [String] { self == .manifest ? ["yaml", "yml"] : [rawValue] }

    /// Whether a file's name asks for compression with gzip.
    static func isCompressed(fileName: String) -> Bool { fileName.lowercased().hasSuffix(".gz") }
}
