import OpenMarket
import OpenMarketReview
import OpenMarketWorkflow

extension CommandFailure {
    /// A file that is not what its certificate says.
    init(_ mismatch: ExportMismatch, path: String) {
        switch mismatch {
        case .digest(let found, let certified):
            self.init(
                .invalidInput,
                "\(path.terminalSafe) does not match its certificate: its SHA-256 is \(found.hexadecimal), "
                    + "and the certificate has \(certified.hexadecimal)",
                help: "it was changed, cut off or replaced since; export again, or take both files from a backup"
            )
        case .rows(let found, let certified):
            self.init(
                .invalidInput,
                "\(path.terminalSafe) has \(counted(found, "product")), and its certificate counts \(certified)"
            )
        }
    }

    /// An empty list that is not believed.
    init(_ refusal: EmptyCatalogGuard.Refusal, earlier path: String) {
        let why =
            switch refusal {
            case .isListed(let id): "product \(id) is on the market"
            case .unconfirmed: "nothing confirms that the products in \(path.terminalSafe) are gone"
            }
        self.init(
            .refused,
            "the market's list is empty, and \(why); nothing was written",
            help: "try again; \(Setting.allowEmpty.flag) writes an export without products all the same"
        )
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

extension ExportCheckpoint.Event {
    /// What is said of a checkpoint.
    func words(path: String) -> String {
        switch self {
        case .damaged: "warning: \(path.terminalSafe), left by an interrupted export, is damaged: starting again"
        case .unlike:
            "What an interrupted export has kept is of another market, \(Setting.details.flag) or version: starting again"
        case .outdated(let began):
            "The interrupted export began at \(began.iso8601), more than a day from now: starting again"
        case .locked: "Another export of the same file is running: this one cannot be resumed"
        case .resumed(let began, let pages):
            "Resuming the export that began at \(began.iso8601): \(counted(pages, "page")) "
                + "\(pages == 1 ? "is" : "are") there already"
        case .catalogMoved(let start): "The catalog moved since \(start.iso8601): starting again"
        case .failed(let reason): "warning: what is read cannot be kept in \(path.terminalSafe): \(reason)"
        case .kept(let pages):
            "Kept \(counted(pages, "page")): run the same export again within a day to resume there"
        }
    }
}
