public import OpenMarket

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

    /// The format that a file's name asks for; CSV where it asks for none.
    public init(fileName: String) {
        self = Self.allCases.first { fileName.lowercased().hasSuffix("." + $0.rawValue) } ?? .csv
    }

    /// A writer of the format, with the header written.
    public func writer(columns: [CatalogColumn]) -> any CatalogFormat {
        switch self {
        case .csv: CatalogCSV(columns: columns)
        case .tsv: CatalogCSV(columns: columns, delimiter: UInt8(ascii: "\t"))
        case .jsonl: CatalogJSONLines(columns: columns)
        }
    }
}
