import ArgumentParser
import OpenMarket
import OpenMarketDescription
import OpenMarketFiles
import OpenMarketManifest
import OpenMarketServer
import OpenMarketWorkflow

extension CommandFailure {
    /// Explains an error from any module; `nil` for ArgumentParser's own errors.
    ///
    /// Modules are independent of exit codes. An error without a case here has exit 1 and its own message.
    init?(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as LostRun: self.init(error.reason)
        case is CancellationError: self.init(.interrupted, "interrupted")
        case is ExitCode, is ValidationError, is CleanExit: return nil
        case RunFailure.incomplete: self.init(.partialFailure)
        // Errors about a single option.
        case let error as ExpressionError: self.init(.usage, error.message, help: error.help)
        case let error as KeyList.NotText:
            self.init(.invalidInput, "--target-file: \(error.name) is not UTF-8 text", help: "save the file as UTF-8")
        case let error as PullRequest.NotAnID:
            let kind = error.kind == .number ? "number" : "id"
            self.init(.usage, "--id takes the \(kind) of a product, and not '\(error.text)'")
        case ExportOptionsError.onlyChanges(let format):
            let help = "an export is csv, tsv, jsonl, sqlite or manifest"
            self.init(.usage, "--format \(format.rawValue) is for --since", help: help)
        case ExportOptionsError.notADocument(let format):
            self.init(.usage, "--json does not go with --format \(format.rawValue)")
        case TablePictures.Fault.notAHost(let host, let fault):
            self.init(.usage, "--fetch-from: '\(host.terminalSafe)' \(fault.message)", help: fault.help)
        case TablePictures.Fault.noFolder:
            self.init(.usage, "--fetch-from needs --images, the folder to keep the pictures in")
        case let error as ConversionError:
            let place = error.location.map { "\($0): " } ?? ""
            self.init(.invalidInput, place + error.message, help: error.help)
        case let error as SavedPlanError: self.init(.invalidInput, error.message, help: error.code.help)
        default:
            // ArgumentParser's parse errors are not public.
            guard !String(reflecting: type(of: error)).hasPrefix("ArgumentParser.") else { return nil }
            let (status, help) = Self.explanation(of: error)
            self.init(status, "\(error)", help: help)
        }
    }

    private static func explanation(of error: any Error) -> (status: ExitStatus, help: String?) {
        switch error {
        case let error as MarketError: (error.code.status, error.code.help)
        case let error as StateError: (error.code.status, error.code.help)
        case let error as StateChoiceError: error.explanation
        case let error as SessionError: error.explanation
        case let error as RunFailure: error.explanation
        case let error as JoiningError: error.explanation
        case let error as MarketTargetError: error.explanation
        case let error as FileConflict: error.explanation
        case let error as ExportError: error.explanation
        case let error as ExportOptionsError: (.usage, error.help)
        case let error as PullError: error.explanation
        case let error as EditError: error.explanation

        case MarketTrustError.otherDescription(_, let digest, _):
            (
                .refused,
                "review its requests (openmarket market check), and accept it with --accept-market sha256:\(digest)"
            )
        case WriteProbe.Fault.remains: (.partialFailure, "the next apply tries again")
        case WriteProbe.Fault.otherwise: (.invalidInput, nil)
        case let error as MarketCheck.Unknown: (.invalidInput, error.help)
        case let error as MarketProfileError:
            (.usage, error.parameterFaults.compactMap(\.help).first ?? "--market-parameter NAME=VALUE")
        case is RunHistory.Unknown: (.failure, "openmarket history")
        case is UnusableKey: (.usage, nil)
        case is SecretLookupError: (.invalidInput, nil)
        case let error as FileError where error.reason == .taken: (.refused, error.help)
        case let error as FileError: (error.action == .read ? .invalidInput : .failure, error.help)
        case let error as ApplyInput.NoPlan:
            (
                .invalidInput,
                error.nearest.map { "did you mean '\($0)'?" }
                    ?? "save a plan there first: openmarket plan -o \(error.path)"
            )
        case StarterShop.Fault.manifestExists: (.refused, "name another file with --out")
        case StarterShop.Fault.pictureExists: (.refused, "name a manifest in another folder with --out")
        case is CatalogGap: (.catalogMoved, nil)
        case TableConversion.Fault.manifestExists:
            (.refused, "name another file with --out, or write over it with --replace")
        case TableConversion.Fault.noProducts(_, let help): (.invalidInput, help)
        case TableConversion.Fault.picturesMissing:
            (.partialFailure, "the same command with --replace fetches the missing pictures")
        case let error as ServerError where error.code == .input: (.invalidInput, nil)
        case let error as ServerError where error.code == .configuration:
            (.usage, "--api takes at most one of v1a, v1b and one of v2a, v2b")
        default: (.failure, nil)
        }
    }
}

private typealias Explanation = (status: ExitStatus, help: String?)

extension MarketError.Code {
    fileprivate var status: ExitStatus {
        switch self {
        case .unreachable: .unreachable
        case .credentials: .credentials
        case .unreadable, .refused, .foreignHost: .failure
        case .undescribed: .refused
        case .input, .profile: .invalidInput
        }
    }

    fileprivate var help: String? {
        switch self {
        case .profile: "`openmarket ping` finds it; set `market.api`, --api or OPENMARKET_API"
        case .credentials:
            "check the credentials in `market`, or the variables that are named there; if they are right, the market's reply above shows why"
        default: nil
        }
    }
}

extension StateError.Code {
    fileprivate var status: ExitStatus {
        switch self {
        case .locked, .superseded: .locked
        case .input, .otherMarket: .invalidInput
        case .missing, .damaged, .otherVersion, .readOnly, .moved, .diskFull, .io, .conflict, .taken, .unresolved:
            .failure
        }
    }

    fileprivate var help: String? {
        switch self {
        case .locked:
            "wait, with --lock-timeout of apply; `openmarket state unlock` removes the lock of a dead run on another machine"
        case .missing:
            "no file was written; name the manifest with -f or the state with --state, and on a machine that has "
                + "lost it begin with `openmarket state import`"
        case .readOnly: "name another state with --state"
        case .moved: "name that one with --state, or as `state:` of the manifest"
        case .unresolved: "`openmarket apply` settles it"
        case .otherMarket: "--accept-other-market takes them for this one's, if the ids are the same"
        default: nil
        }
    }
}

extension StateChoiceError {
    fileprivate var explanation: Explanation {
        switch self {
        case .severalStates: (.failure, "choose the right one with --state, and move the other one away")
        case .severalMarkets: (.invalidInput, "choose one with --url and --api, or with -f the manifest")
        }
    }
}

extension SessionError {
    fileprivate var explanation: Explanation {
        switch self {
        case .unmatchedKey: (.usage, "--target and --exclude name keys; * and ? in them are wild")
        case .incompleteExport: (.failure, nil)
        case .unsoundPlan: (.refused, nil)
        case .unexpectedPlan: (.stalePlan, "have this plan reviewed, and give its digest with --expect-plan")
        case .otherPlan: (.stalePlan, "have this plan decided, on its own page")
        case .unresolved: (.partialFailure, "run apply again when the market answers; until then its key is left alone")
        case .stateMissing: (.stalePlan, "bring that state here, or name it with --state")
        case .pictureNotServed: (.refused, "serve the manifest's folder at `market.pictures_url` as it is here")
        case .readOnlyMarket: (.refused, "`openmarket export` and `openmarket ping` read it")
        case .noDetails(_, .export): (.refused, "describe it; or export the list's fields, without --details")
        case .noDetails(_, .pictures), .noPictures: (.refused, "describe it; or export without --images")
        case .noDetails(_, .missingProducts):
            (.refused, "describe it; or correct the description, so that every row can be read")
        case .impossibleTrial: (.refused, "correct the description: `openmarket market check` prints the same")
        case .openPut: (.invalidInput, MarketCheck.openPutHelp)
        case .visibleTrial: (.refused, "write which values hide it, such as hidden: {/status: draft}")
        case .unacceptedMarket: (.refused, "`openmarket apply` shows its requests, and asks")
        }
    }
}

extension RunFailure {
    fileprivate var explanation: Explanation {
        switch self {
        case .interrupted, .stopped(_, isPart: true): (.interrupted, nil)
        case .stopped: (.locked, "finished operations are in the state; run apply again")
        case .credentials([]):
            (
                .credentials,
                "no credentials are sent: the market's reply above shows why, or add 'auth' to its description"
            )
        case .credentials(let keys):
            (
                .credentials,
                "check \(keys.map { "`market.\($0)`" }.listed("and")), or the variables that are named there; if they are "
                    + "right, the market's reply above shows why"
            )
        case .identity:
            (
                .refused,
                "the market shows the vendor number: correct or remove `market.vendor_id` or the `id`, then plan again"
            )
        case .unreachable: (.unreachable, "finished operations are in the state; apply again when the market is back")
        case .incomplete, .changesLeft: (.partialFailure, nil)
        case .stale: (.stalePlan, "plan again")
        }
    }
}

extension JoiningError {
    fileprivate var explanation: Explanation {
        switch self {
        case .noRun: (.failure, "`openmarket apply` begins one, and --wait waits for that")
        case .notShared: (.failure, "`openmarket status` shows how far it is")
        case .otherManifest, .pictureMissing:
            (.invalidInput, "bring manifest and pictures to the revision that the run was begun with")
        case .otherDescription: (.refused, "use the description that the run was begun with")
        }
    }
}

extension MarketTargetError {
    fileprivate var explanation: Explanation {
        if case .unencrypted = self { return (.refused, "write https://, or accept that with --insecure-http") }
        return (.invalidInput, help)
    }

    private var help: String? {
        switch self {
        case .nothingNamed:
            "name a market with --url or OPENMARKET_URL; or begin with a manifest: "
                + ManifestOptions.waysToManifest
        case .urlMissing: "set `market.url` in the manifest, --url or OPENMARKET_URL"
        case .profileMissing:
            "set `market.api` in the manifest, --api or OPENMARKET_API; `openmarket ping` finds out which"
        case .identifierMissing, .credentialsMissing(["identifier"], _):
            "set OPENMARKET_IDENTIFIER, or `market.identifier` in the manifest"
        case .credentialsMissing(let names, _):
            "set \(names.map { "`market.\($0): !env OPENMARKET_\($0.uppercased())`" }.listed("and")) in the manifest, "
                + "and the variable\(names.count == 1 ? "" : "s")"
        case .secretUnset, .unencrypted: nil
        }
    }
}

extension SavedPlanError.Code {
    fileprivate var help: String {
        switch self {
        case .notAPlan: "`openmarket plan -o FILE` saves one"
        case .manifest(let file): "to show its changes: openmarket plan \(file)"
        case .unreadable: "create it again: openmarket plan -o FILE"
        case .decisions: "the page of the plan saves such a file: openmarket show PLAN --write html=FILE"
        }
    }
}

extension FileConflict {
    fileprivate var explanation: Explanation {
        (isOfContent ? .refused : .usage, help)
    }
}

extension ExportError {
    fileprivate var explanation: Explanation {
        let date = DatedFiles.placeholder
        return switch self {
        case .misplacedDate: (.usage, "name such a file with --out")
        case .keepNeedsDate: (.usage, "--keep needs \(date) in the file's name: --out 'catalog-\(date).csv.gz'")
        case .folderUnreadable: (.failure, "create the folder, or name another one")
        case .databaseInUse:
            (.failure, "end the programs that have the database open; then remove the files that stay next to it")
        case .notAnExport(_, isEdited: true):
            (.refused, "`openmarket pull` keeps edits; --discard-edits writes over them")
        case .notAnExport: (.refused, "`openmarket pull` updates it; or name another file with --out")
        case .emptyList: (.refused, "try again; --allow-empty writes an export without products all the same")
        case .missingMembers(let columns, _):
            (
                .refused,
                "try again; --allow-missing \(columns.map(\.rawValue).joined(separator: ",")) writes an export without "
                    + "them all the same"
            )
        case .vendor: (.refused, "correct `market.vendor_id`, or remove the line: the market shows the vendor number")
        case .othersOnly:
            (.refused, "correct or set `market.vendor_id`; --allow-empty writes a manifest without products")
        case .missing, .notACertificate, .mismatch(.rows, _): (.invalidInput, nil)
        case .uncertified: (.invalidInput, "an export writes one next to its file; keep the two together")
        case .mismatch(.digest, _):
            (.invalidInput, "it was changed, cut off or replaced since; export again, or take both files from a backup")
        case .unreadable(_, let reason): (.invalidInput, help(for: reason as? CatalogFileError))
        case .comparedManifest: (.invalidInput, "`openmarket plan` compares the market with a manifest")
        case .unsettled:
            (.failure, "try again when the market changes less; of a described market, `market probe` shows its pages")
        case .unwritable(_, let reason): (.failure, reason.help)
        case .picturesMissing: (.partialFailure, "run it again; only missing pictures are fetched")
        case .outdated: (.failure, "export again")
        }
    }

    private func help(for reason: CatalogFileError?) -> String? {
        let export = "name a file that `openmarket export -o FILE` wrote"
        if foreignKind != nil { return export }
        return reason == .changes ? "\(export) without --since" : reason?.help
    }
}

extension ExportOptionsError {
    fileprivate var help: String? {
        switch self {
        case .unknownEnding: "name such a file, or choose the format with --format"
        case .notForSpreadsheets, .noDelimiter: "use -o FILE.csv or --format csv"
        case .databaseNeedsRegularFile: "use -o FILE.sqlite"
        case .compressedDatabase: "take .gz off the file's name"
        case .onlyExports: "take text, markdown, json, csv, tsv or jsonl"
        case .databaseNeedsID, .onlyChanges, .notADocument: nil
        case .manifestHasNoColumns: "take fields out of the manifest afterwards: they are not managed then"
        }
    }
}

extension PullError {
    fileprivate var explanation: Explanation {
        switch self {
        case .ownerUnknown(let vendors) where vendors.count > 1:
            (.invalidInput, "give the vendor number with --vendor-id, or name products with --id")
        case .ownerUnknown:
            (
                .invalidInput,
                "give the vendor number with --vendor-id, confirm all with --adopt, or name products with --id"
            )
        case .missing: (.invalidInput, nil)
        case .destinationUnnamed: (.invalidInput, "it needs `market.api`")
        case .foreign: (.invalidInput, "name your own, or correct --vendor-id")
        case .vendor:
            (.refused, "correct --vendor-id or `market.vendor_id`, or omit it: the market shows the vendor number")
        case .empty, .allElsewhere: (.refused, nil)
        case .inTheWay: (.refused, "name another file with --out, or remove this one")
        case .picturesOutside: (.usage, "--images names a folder below the manifest's own")
        case .stateKnowsNone:
            (.invalidInput, "name the state with --state; or let `openmarket apply` take the products over first")
        case .pictureTaken: (.refused, "move it away")
        case .vendorsAreTexts: (.usage, "omit --vendor-id")
        case .picturesMissing:
            (
                .partialFailure,
                "when they are available, take those products out of the manifest and pull them again with --id"
            )
        case .picturesUnserved:
            (.invalidInput, "set `market.pictures_url` in the manifest; for a new one, --pictures-url writes it")
        }
    }
}

extension EditError {
    fileprivate var explanation: Explanation {
        switch self {
        case .table: (.usage, "name the manifests in YAML")
        case .standardInput: (.usage, nil)
        case .changedWhileRead: (.failure, nil)
        case .changedMeanwhile: (.failure, "run it again")
        case .invalid: (.invalidInput, nil)
        case .severalDestinations, .unknownDestination:
            (.usage, "name one of the manifest's files with --into FILE, or with --out FILE of `pull`")
        case .unknown: (.failure, "openmarket undo lists the edits")
        case .interrupted(let id): (.failure, "take it back first: openmarket undo \(id)")
        case .changedSince(let file, let kept), .ofMarket(let file, let kept):
            (.failure, "the earlier bytes are kept: diff \(kept) \(file)")
        case .managed:
            (
                .failure,
                "'openmarket undo RUN' takes back the creates of an apply; 'openmarket state forget KEY' leaves a "
                    + "product on the market"
            )
        }
    }
}
