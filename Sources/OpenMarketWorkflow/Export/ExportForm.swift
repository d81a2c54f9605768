import OpenMarket

/// Options of an export that exclude each other.
package enum ExportFormError: Error, Hashable, Sendable {
    case unknownEnding(String)
    /// Only changes since an export can be written in this format.
    case onlyChanges(CatalogOutput)
    /// Only CSV can be written for spreadsheets.
    case notForSpreadsheets(ExportFormat)
    /// Only CSV can have another delimiter.
    case noDelimiter(ExportFormat)
    case databaseNeedsFile
    case compressedDatabase
    /// A SQLite database needs the column of its primary key.
    case databaseNeedsID
    /// A manifest of selected columns: it always has all that it can express.
    case manifestHasNoColumns
}

extension ExportFormError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknownEnding(let path):
            "\(path): there is no format .\(ExportFormat.ending(of: path) ?? ""); there are "
                + ExportFormat.knownEndings.map { "." + $0 }.joined(separator: ", ") + ", and each with .gz but .sqlite"
        case .onlyChanges(let format):
            "only what changed since an export is written as \(format.rawValue)"
        case .notForSpreadsheets(let format):
            "an export for spreadsheets is CSV, and this one is \(format.rawValue)"
        case .noDelimiter(let format): "only CSV takes another separator, and this export is \(format.rawValue)"
        case .databaseNeedsFile: "a SQLite database cannot go to stdout"
        case .compressedDatabase: "a SQLite database is not compressed, because nothing could read it then"
        case .databaseNeedsID: "a SQLite database needs the column id"
        case .manifestHasNoColumns: "columns are for tables, and a manifest has all that it can say"
        }
    }
}

/// How an export is written, from the options and the file's name together.
struct ExportForm {
    let request: ExportRequest
    let isCompressed: Bool
    /// `nil` if the export is not a manifest.
    let manifest: ManifestEncoder?
    private let delimiter: UInt8
    private let isForSpreadsheets: Bool

    /// The name of a regular file determines the format unless `format` is stated.
    ///
    /// With `keepsPictures`, details are read if the list does not show pictures.
    init(
        _ target: ExportTarget,
        format: CatalogOutput? = nil,
        columns: [CatalogColumn]? = nil,
        details: Bool = false,
        keepsPictures: Bool = false,
        delimiter: UInt8? = nil,
        isForSpreadsheets: Bool = false,
        market: MarketSettings
    ) throws(ExportFormError) {
        let path = target.path
        if let format, format.export == nil { throw .onlyChanges(format) }
        if format == nil, target.isRegular, let ending = ExportFormat.ending(of: path),
            !ExportFormat.knownEndings.contains(ending)
        {
            throw .unknownEnding(path)
        }
        let format = format?.export ?? ExportFormat(fileName: path)
        isCompressed = ExportFormat.isCompressed(fileName: path)
        if format != .csv {
            guard !isForSpreadsheets else { throw .notForSpreadsheets(format) }
            guard delimiter == nil else { throw .noDelimiter(format) }
        }
        if format == .sqlite {
            guard !target.isStandardOutput else { throw .databaseNeedsFile }
            guard !isCompressed else { throw .compressedDatabase }
            guard columns?.contains(.id) ?? true else { throw .databaseNeedsID }
        }
        guard format != .manifest || columns == nil else { throw .manifestHasNoColumns }
        let standard = format == .manifest ? ManifestEncoder.columns : CatalogColumn.allCases
        let capabilities = market.profile?.capabilities
        let listShowsPictures = capabilities?.listShowsPictures ?? false
        // Without them every sale would end when the export is applied.
        let needsSales =
            capabilities?.listOmitsSale == true && capabilities?.showsDetails == true
            && !Set(columns ?? standard).isDisjoint(with: [.salePrice, .discount])
        request = ExportRequest(
            format: format,
            columns: columns ?? standard,
            details: details || needsSales || keepsPictures && !listShowsPictures
        )
        manifest = format == .manifest ? ManifestEncoder(market) : nil
        self.delimiter = delimiter ?? UInt8(ascii: ",")
        self.isForSpreadsheets = isForSpreadsheets
    }

    /// The encoding of products; `database` creates a SQLite database with the given columns.
    func encoding(database: ([CatalogColumn]) throws -> any CatalogEncoder) rethrows -> CatalogEncoding {
        if let manifest { return .products(manifest) }
        let columns = request.columns
        return switch request.format {
        case .tsv: .text(CatalogCSV(columns: columns, delimiter: UInt8(ascii: "\t")))
        case .jsonl: .text(CatalogJSONLines(columns: columns))
        case .sqlite: .products(try database(columns))
        case .csv, .manifest:
            .text(CatalogCSV(columns: columns, delimiter: delimiter, isForSpreadsheets: isForSpreadsheets))
        }
    }
}

extension ExportFormat {
    static var knownEndings: [String] { allCases.flatMap(\.endings) }
}
