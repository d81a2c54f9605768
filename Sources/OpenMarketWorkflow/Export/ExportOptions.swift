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
    ) throws(CommandFailure) {
        format = try ExportFormat(ofExportTo: target.path, stated: stated)
        isCompressed = ExportFormat.isCompressed(fileName: target.path)
        if format != .csv {
            let name = format.rawValue
            let what =
                isForSpreadsheets
                ? "an export for spreadsheets is CSV, and this one is \(name)"
                : delimiter.map { _ in "only CSV takes another separator, and this export is \(name)" }
            if let what { throw CommandFailure(.usage, what, help: "use -o FILE.csv or --format csv") }
        }
        if format == .sqlite {
            // A pipe would block.
            guard target.isRegular else { throw Self.notRegular(target.path) }
            guard !isCompressed else {
                let what = "a SQLite database is not compressed, because it could not be read then"
                throw CommandFailure(.usage, what, help: "take .gz off the file's name")
            }
            guard columns?.contains(.id) ?? true else {
                throw CommandFailure(.usage, "a SQLite database needs the column id")
            }
        }
        guard format != .manifest || columns == nil else {
            let what = "columns are for tables, and a manifest always has all its fields"
            let help = "take fields out of the manifest afterwards: they are not managed then"
            throw CommandFailure(.usage, what, help: help)
        }
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

extension ExportOptions {
    static func notRegular(_ path: String) -> CommandFailure {
        let what =
            path == "-"
            ? "a SQLite database cannot go to stdout" : "SQLite output needs a regular file, and \(path) is not one"
        return CommandFailure(.usage, what, help: "use -o FILE.sqlite")
    }
}
