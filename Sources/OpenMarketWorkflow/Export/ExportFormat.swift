/// The name of an export's format.
///
/// The raw value is stored in certificates.
package enum ExportFormat: String, Hashable, Sendable, CaseIterable {
    case csv
    case tsv
    /// One JSON object per line.
    case jsonl
    case sqlite
    case manifest

    /// The format for a file's name, ignoring `.gz`; CSV if the name implies none.
    init(fileName: String) {
        let name = Self.uncompressed(fileName).lowercased()
        self = Self.allCases.first { $0.endings.contains { name.hasSuffix("." + $0) } } ?? .csv
    }

    /// The ending of a file's name that implies a format, ignoring `.gz`.
    ///
    /// It is the text after the last point, if that has a letter, so that `catalog` and `catalog.2026` have none.
    static func ending(of fileName: String) -> String? {
        let name = uncompressed(fileName).utf8.split(separator: UInt8(ascii: "/")).last.flatMap { String($0) } ?? ""
        guard let point = name.utf8.lastIndex(of: UInt8(ascii: ".")), point != name.startIndex else { return nil }
        let ending = String(name[name.utf8.index(after: point)...]).lowercased()
        return ending.contains(where: \.isLetter) ? ending : nil
    }

    private static func uncompressed(_ fileName: String) -> String {
        isCompressed(fileName: fileName) ? String(fileName.dropLast(3)) : fileName
    }

    var endings: [String] { self == .manifest ? ["yaml", "yml"] : [rawValue] }

    static func isCompressed(fileName: String) -> Bool { fileName.lowercased().hasSuffix(".gz") }
}
