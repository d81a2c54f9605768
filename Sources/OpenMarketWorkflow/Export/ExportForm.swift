import OpenMarket

/// What does not go together in an export.
package enum ExportFormError: Error, Hashable, Sendable {
    /// No format has the ending of this file's name.
    case unknownEnding(String)
    /// Only what changed since an export is written so.
    case onlyChanges(CatalogOutput)
    /// A format other than CSV was to be made for spreadsheets.
    case notForSpreadsheets(ExportFormat)
    /// A format other than CSV was to have another delimiter.
    case noDelimiter(ExportFormat)
    /// A SQLite database without a file.
    case databaseNeedsFile
    /// A compressed SQLite database, which nothing could read.
    case compressedDatabase
    /// A SQLite database without the column of the primary key.
    case databaseNeedsID
    /// A manifest of some columns: it has all that it can say.
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

/// How an export is written: what the options and the file's name say together.
struct ExportForm {
    /// The format and the columns.
    let request: ExportRequest
    /// Whether the file is compressed.
    let isCompressed: Bool
    /// The manifest that is made of the products, if one is.
    let manifest: ManifestEncoder?
    private let delimiter: UInt8
    private let isForSpreadsheets: Bool

    /// - Parameters:
    ///   - target: where the export goes; the name of a regular file says something about the format.
    ///   - format: the format, where it is named.
    ///   - columns: which, in order.
    ///   - details: whether every product's details are read.
    ///   - keepsPictures: whether pictures are kept; where the list does not show them, details are read for them.
    ///   - delimiter: what separates the values of CSV.
    ///   - isForSpreadsheets: whether the CSV is for a spreadsheet.
    ///   - market: the market that a manifest names.
    ///   - credentials: what no product of a manifest may hold.
    /// - Throws: ``ExportFormError``.
    init(
        _ target: ExportTarget,
        format: CatalogOutput? = nil,
        columns: [CatalogColumn]? = nil,
        details: Bool = false,
        keepsPictures: Bool = false,
        delimiter: UInt8? = nil,
        isForSpreadsheets: Bool = false,
        market: MarketSettings,
        credentials: Set<Secret> = []
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
        // Without them every sale would be over where the export is applied.
        let needsSales =
            capabilities?.listOmitsSale == true && capabilities?.showsDetails == true
            && !Set(columns ?? standard).isDisjoint(with: [.salePrice, .discount])
        request = ExportRequest(
            format: format,
            columns: columns ?? standard,
            details: details || needsSales || keepsPictures && !listShowsPictures
        )
        manifest = format == .manifest ? ManifestEncoder(market, credentials: CredentialTexts(credentials)) : nil
        self.delimiter = delimiter ?? UInt8(ascii: ",")
        self.isForSpreadsheets = isForSpreadsheets
    }

    /// How products are written.
    ///
    /// - Parameter database: makes a SQLite database with these columns.
    /// - Returns: the encoding.
    /// - Throws: what `database` throws.
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
    /// How names of files of all formats end.
    static var knownEndings: [String] { allCases.flatMap(\.endings) }
}
