import OpenMarket
import OpenMarketCatalogFiles
import OpenMarketWorkflow

/// How an export is written: what the flags and the file's name say together.
struct ExportForm {
    /// The format and the columns.
    let request: ExportRequest
    /// What becomes of the bytes of the format.
    let encoding: ExportFile.Encoding
    private let delimiter: UInt8
    private let isForSpreadsheets: Bool

    /// - Parameters:
    ///   - path: where the export goes.
    ///   - format: what the flag says, if anything.
    ///   - columns: which, in order.
    ///   - details: whether every product's details are read.
    ///   - separator: what separates the values of CSV.
    ///   - isForSpreadsheets: whether the CSV is for a spreadsheet.
    /// - Throws: ``CommandFailure`` with exit 64 when these do not go together.
    init(
        path: String,
        format: ExportFormat?,
        columns: [CatalogColumn],
        details: Bool,
        separator: SeparatorOption?,
        isForSpreadsheets: Bool
    ) throws {
        let format = format ?? ExportFormat(fileName: path)
        let isCompressed = ExportFormat.isCompressed(fileName: path)
        if format != .csv, isForSpreadsheets || separator != nil {
            let flag = isForSpreadsheets ? Setting.excel.flag : Setting.separator.flag
            throw CommandFailure(
                .usage,
                "\(flag) is for CSV, and this export is \(format.rawValue)",
                help: "use -o FILE.csv or \(Setting.format.flag) csv"
            )
        }
        if format == .sqlite {
            guard path != "-" else {
                throw CommandFailure(.usage, "a SQLite database cannot go to stdout", help: "use -o FILE.sqlite")
            }
            guard !isCompressed else {
                throw CommandFailure(
                    .usage,
                    "a SQLite database is not compressed, for nothing could read it then",
                    help: "take .gz off the file's name"
                )
            }
            guard columns.contains(.id) else {
                throw CommandFailure(.usage, "\(Setting.columns.flag): a SQLite database needs the column id")
            }
        }
        request = ExportRequest(format: format, columns: columns, details: details)
        encoding = format == .sqlite ? .database(columns) : isCompressed ? .gzip(try GzipWriter()) : .plain
        delimiter = separator?.byte ?? UInt8(ascii: ",")
        self.isForSpreadsheets = isForSpreadsheets
    }

    /// Writes products so, with the header written.
    var writer: any CatalogFormat {
        switch request.format {
        case .csv:
            CatalogCSV(columns: request.columns, delimiter: delimiter, isForSpreadsheets: isForSpreadsheets)
        case .tsv: CatalogCSV(columns: request.columns, delimiter: UInt8(ascii: "\t"))
        // A database takes products as lines.
        case .jsonl, .sqlite: CatalogJSONLines(columns: request.columns)
        }
    }
}
