package import OpenMarket

/// The content and the format of an export, or the content of a comparison with one.
package struct ExportOptions: Hashable, Sendable {
    var format = ExportFormat.csv
    var columns = CatalogColumn.allCases
    /// Whether every product's details are read, for values that the list lacks.
    var details = false
    /// The folder for pictures; `nil` if they are not kept.
    var images: String?
    var delimiter = UInt8(ascii: ",")
    var isForSpreadsheets = false
    var isCompressed = false
    /// Whether an empty list is accepted without confirmation.
    var allowsEmpty = false
    /// The earlier export's fields that may be missing from all products.
    var allowsMissing: Set<CatalogColumn> = []
    /// Whether the checkpoint of an interrupted export is ignored.
    var restarts = false

    package init(
        columns: [CatalogColumn]? = nil,
        details: Bool = false,
        allowsEmpty: Bool = false,
        allowsMissing: Set<CatalogColumn> = []
    ) {
        self.columns = columns ?? CatalogColumn.allCases
        self.details = details
        self.allowsEmpty = allowsEmpty
        self.allowsMissing = allowsMissing
    }

    /// The options of an export; without a stated format, the name of a regular file determines it.
    package init(
        to target: ExportTarget,
        as stated: ExportFormat? = nil,
        columns: [CatalogColumn]? = nil,
        details: Bool = false,
        images: String? = nil,
        delimiter: UInt8? = nil,
        isForSpreadsheets: Bool = false,
        allowsEmpty: Bool = false,
        allowsMissing: Set<CatalogColumn> = [],
        restarts: Bool = false,
        market: MarketSettings
    ) throws(ExportOptionsError) {
        format = try ExportFormat(ofExportTo: target.path, stated: stated)
        isCompressed = ExportFormat.isCompressed(fileName: target.path)
        if format != .csv {
            guard !isForSpreadsheets else { throw .notForSpreadsheets(format) }
            guard delimiter == nil else { throw .noDelimiter(format) }
        }
        if format == .sqlite {
            // A pipe would block.
            guard target.isRegular else { throw .databaseNeedsRegularFile(target.path) }
            guard !isCompressed else { throw .compressedDatabase }
            guard columns?.contains(.id) ?? true else { throw .databaseNeedsID }
        }
        guard format != .manifest || columns == nil else { throw .manifestHasNoColumns }
        self.columns = columns ?? (format == .manifest ? ManifestEncoder.columns : CatalogColumn.allCases)
        let capabilities = market.profile?.capabilities
        // Without details, every sale would end when the export is applied.
        let needsSales =
            capabilities?.listOmitsSale == true && capabilities?.showsDetails == true
            && !Set(self.columns).isDisjoint(with: [.salePrice, .discount])
        let needsPictures = images != nil && capabilities?.listShowsPictures != true
        self.details = details || needsSales || needsPictures
        self.images = images
        self.delimiter = delimiter ?? self.delimiter
        self.isForSpreadsheets = isForSpreadsheets
        self.allowsEmpty = allowsEmpty
        self.allowsMissing = allowsMissing
        self.restarts = restarts
    }

    /// The encoding of products; `database` creates a SQLite database with the given columns.
    func encoding(
        _ manifest: ManifestEncoder?,
        database: ([CatalogColumn]) throws -> any CatalogEncoder
    ) rethrows -> CatalogEncoding {
        if let manifest { return .products(manifest) }
        return switch format {
        case .tsv: .text(CatalogCSV(columns: columns, delimiter: UInt8(ascii: "\t")))
        case .jsonl: .text(CatalogJSONLines(columns: columns))
        case .sqlite: .products(try database(columns))
        default: .text(CatalogCSV(columns: columns, delimiter: delimiter, isForSpreadsheets: isForSpreadsheets))
        }
    }
}

/// Options of an export that exclude each other.
package enum ExportOptionsError: Error, Hashable, Sendable {
    /// No format has the ending of this file's name.
    case unknownEnding(String, among: [ExportFormat])
    /// Only changes since an export can be written in this format.
    case onlyChanges(ExportFormat)
    /// Changes since an export cannot be written in this format.
    case onlyExports(ExportFormat)
    /// A JSON document and another format were requested.
    case notADocument(ExportFormat)
    /// Only CSV can be written for spreadsheets.
    case notForSpreadsheets(ExportFormat)
    /// Only CSV can have another delimiter.
    case noDelimiter(ExportFormat)
    case databaseNeedsRegularFile(String)
    case compressedDatabase
    /// A SQLite database needs the column of its primary key.
    case databaseNeedsID
    /// A manifest was requested with selected columns, but it always has all that it can express.
    case manifestHasNoColumns
}

extension ExportOptionsError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknownEnding(let path, let formats):
            "\(path): the format .\(ExportFormat.ending(of: path) ?? "") is unknown; the formats are "
                + formats.flatMap(\.endings).map { "." + $0 }.joined(separator: ", ") + ", and each with .gz"
                + (formats.contains(.sqlite) ? " but .sqlite" : "")
        case .onlyChanges(let format): "only the changes since an export are written as \(format.rawValue)"
        case .onlyExports(let format): "changes are not written as \(format.rawValue)"
        case .notADocument(let format): "the document for programs is not written as \(format.rawValue)"
        case .notForSpreadsheets(let format):
            "an export for spreadsheets is CSV, and this one is \(format.rawValue)"
        case .noDelimiter(let format): "only CSV takes another separator, and this export is \(format.rawValue)"
        case .databaseNeedsRegularFile("-"): "a SQLite database cannot go to stdout"
        case .databaseNeedsRegularFile(let path): "SQLite output needs a regular file, and \(path) is not one"
        case .compressedDatabase: "a SQLite database is not compressed, because it could not be read then"
        case .databaseNeedsID: "a SQLite database needs the column id"
        case .manifestHasNoColumns: "columns are for tables, and a manifest always has all its fields"
        }
    }
}
