import OpenMarket
import OpenMarketCatalogFiles
import OpenMarketFiles
import OpenMarketWorkflow

/// How an export is written: what the flags and the file's name say together.
struct ExportForm {
    /// The format and the columns.
    let request: ExportRequest
    /// Whether the file is compressed.
    let isCompressed: Bool
    /// The manifest that is made of them, if one is.
    let manifest: ManifestExport?
    private let delimiter: UInt8
    private let isForSpreadsheets: Bool

    /// - Parameters:
    ///   - path: where the export goes.
    ///   - format: what the flag says, if anything.
    ///   - columns: which, in order.
    ///   - details: whether every product's details are read.
    ///   - separator: what separates the values of CSV.
    ///   - isForSpreadsheets: whether the CSV is for a spreadsheet.
    ///   - market: the market that a manifest names.
    /// - Throws: ``CommandFailure`` with exit 64 when these do not go together.
    init(
        path: String,
        format: ExportFormat?,
        columns: [CatalogColumn]?,
        details: Bool,
        separator: SeparatorOption?,
        isForSpreadsheets: Bool,
        market: MarketSettings
    ) throws {
        if format == nil, path != "-" { try Self.requireKnownEnding(path) }
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
            guard columns?.contains(.id) ?? true else {
                throw CommandFailure(.usage, "\(Setting.columns.flag): a SQLite database needs the column id")
            }
        }
        guard format != .manifest || columns == nil else {
            throw CommandFailure(
                .usage,
                "\(Setting.columns.flag) is for tables, and a manifest has all that it can say",
                help: "take fields out of the manifest afterwards: they are not managed then"
            )
        }
        let columns = format == .manifest ? ManifestExport.columns : columns ?? CatalogColumn.allCases
        request = ExportRequest(format: format, columns: columns, details: details)
        let manifest = format == .manifest ? ManifestExport(market) : nil
        self.manifest = manifest
        self.isCompressed = isCompressed
        delimiter = separator?.byte ?? UInt8(ascii: ",")
        self.isForSpreadsheets = isForSpreadsheets
    }

    /// Makes sure that a file's name asks for a format that there is, or for none.
    ///
    /// - Throws: ``CommandFailure`` with exit 64.
    private static func requireKnownEnding(_ path: String) throws {
        let known = ExportFormat.allCases.flatMap(\.endings)
        guard let ending = ExportFormat.ending(of: path), !known.contains(ending), FileSystem.mayBecomeRegular(path)
        else {
            return
        }
        throw CommandFailure(
            .usage,
            "\(Setting.out.flag) \(path): there is no format .\(ending); there are "
                + known.map { "." + $0 }.joined(separator: ", ") + ", and each with .gz but .sqlite",
            help: "name such a file, or say what is written with \(Setting.format.flag)"
        )
    }

    /// How products are written to a file.
    ///
    /// - Throws: ``CommandFailure`` where a database cannot be made there.
    func encoding(in file: borrowing ExportFile) throws -> CatalogEncoding {
        switch request.format {
        case .csv:
            .text(CatalogCSV(columns: request.columns, delimiter: delimiter, isForSpreadsheets: isForSpreadsheets))
        case .tsv: .text(CatalogCSV(columns: request.columns, delimiter: UInt8(ascii: "\t")))
        case .jsonl: .text(CatalogJSONLines(columns: request.columns))
        case .sqlite: .products(try CatalogDatabase(path: file.place(), columns: request.columns))
        case .manifest: .products(manifest ?? ManifestExport(MarketSettings()))
        }
    }
}
