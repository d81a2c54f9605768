import OpenMarket
import OpenMarketCatalogFiles
import OpenMarketFiles
import OpenMarketManifest
import OpenMarketReview
import OpenMarketWorkflow

extension CommandFailure {
    /// An export, a comparison or a verification that is not done.
    init(_ error: ExportError) {
        let date = DatedFiles.placeholder
        let (status, help): (ExitStatus, String?) =
            switch error {
            case .misplacedDate: (.usage, "name such a file with \(Setting.out.flag)")
            case .keepNeedsDate:
                (
                    .usage,
                    "\(Setting.keep.flag) needs \(date) in the file's name: \(Setting.out.flag) 'catalog-\(date).csv.gz'"
                )
            case .folderUnreadable: (.failure, "make the folder, or name another one")
            case .databaseNeedsRegularFile: (.usage, nil)
            case .notAnExport: (.failure, "name another file with \(Setting.out.flag)")
            case .emptyList:
                (.refused, "try again; \(Setting.allowEmpty.flag) writes an export without products all the same")
            case .missing, .notACertificate, .mismatch(.rows, _): (.invalidInput, nil)
            case .uncertified: (.invalidInput, "an export writes one beside its file; keep the two together")
            case .mismatch(.digest, _):
                (
                    .invalidInput,
                    "it was changed, cut off or replaced since; export again, or take both files from a backup"
                )
            case .unreadable(_, let reason):
                (
                    .invalidInput,
                    error.foreignKind == nil
                        ? (reason as? CatalogFileError)?.help : "name a file that `openmarket export -o FILE` wrote"
                )
            case .comparedManifest: (.invalidInput, "`openmarket plan` compares the market with a manifest")
            }
        self.init(status, "\(error)", help: help)
    }

    /// Hosts of pictures that cannot be used.
    init(_ fault: TablePictures.Fault) {
        switch fault {
        case .notAHost(let host, let fault):
            self.init(
                .usage,
                "\(Setting.fetchFrom.flag): '\(host.terminalSafe)' \(fault.message)",
                help: fault.help
            )
        case .noFolder:
            self.init(
                .usage,
                "\(Setting.fetchFrom.flag) needs \(Setting.images.flag), the folder to keep the pictures in"
            )
        }
    }

    /// Options of an export that do not go together.
    init(_ error: ExportFormError, path: String) {
        func csvOnly(_ setting: Setting, _ format: ExportFormat) -> CommandFailure {
            CommandFailure(
                .usage,
                "\(setting.flag) is for CSV, and this export is \(format.rawValue)",
                help: "use -o FILE.csv or \(Setting.format.flag) csv"
            )
        }
        switch error {
        case .unknownEnding(let ending):
            self.init(
                .usage,
                "\(Setting.out.flag) \(path): there is no format .\(ending); there are "
                    + ExportFormat.knownEndings.map { "." + $0 }.joined(separator: ", ")
                    + ", and each with .gz but .sqlite",
                help: "name such a file, or say what is written with \(Setting.format.flag)"
            )
        case .notForSpreadsheets(let format): self = csvOnly(.excel, format)
        case .noDelimiter(let format): self = csvOnly(.separator, format)
        case .databaseNeedsFile:
            self.init(.usage, "a SQLite database cannot go to stdout", help: "use -o FILE.sqlite")
        case .compressedDatabase:
            self.init(
                .usage,
                "a SQLite database is not compressed, because nothing could read it then",
                help: "take .gz off the file's name"
            )
        case .databaseNeedsID:
            self.init(.usage, "\(Setting.columns.flag): a SQLite database needs the column id")
        case .manifestHasNoColumns:
            self.init(
                .usage,
                "\(Setting.columns.flag) is for tables, and a manifest has all that it can say",
                help: "take fields out of the manifest afterwards: they are not managed then"
            )
        }
    }
}
