import ArgumentParser
import OpenMarket
import OpenMarketApply
import OpenMarketFiles
import OpenMarketManifest
import OpenMarketReview
import OpenMarketServer
import OpenMarketWorkflow
import SystemPackage

extension CommandFailure {
    /// What an error of any part means for the exit code; `nil` for ArgumentParser's own.
    init?(_ error: any Error) {
        switch error {
        case let failure as CommandFailure:
            self = failure
        case let error as MarketError:
            let help =
                error.code == .profile
                ? "`openmarket ping` says which it is; set `market.api`, \(Setting.api.flag) or \(Setting.api.variable)"
                : nil
            self.init(Self.status(of: error.code), error.message, help: help)
        case let error as StateError:
            let help: String? =
                switch error.code {
                case .locked:
                    "wait, with \(Setting.lockTimeout.flag) of apply; or `openmarket state unlock` when that run is dead"
                case .missing:
                    "nothing was written; name the manifest with -f or the state with \(Setting.state.flag), and on a machine that has "
                        + "forgotten it begin with `openmarket state import`"
                case .readOnly: "name another state with \(Setting.state.flag)"
                case .moved: "name that one with \(Setting.state.flag), or as `state:` of the manifest"
                case .unresolved: "`openmarket apply` settles it"
                default: nil
                }
            self.init(Self.status(of: error.code), error.message, help: help)
        case let error as LostRun:
            self.init(error.reason)
        case let error as SessionError:
            self.init(error)
        case let error as ExportError:
            self.init(error)
        case let error as TablePictures.Fault:
            self.init(error)
        case let error as ConversionError:
            let place = error.location.map { "\($0): " } ?? ""
            self.init(.invalidInput, place + error.message, help: error.help)
        case let error as FileConflict:
            self.init(.usage, error.description, help: error.help)
        case let error as FileError:
            self.init(error.action == .read ? .invalidInput : .failure, error.description, help: error.help)
        case let error as MarketTargetError:
            self.init(error)
        case let error as MarketTrustError:
            self.init(error)
        case let error as PullError:
            self.init(error)
        case let error as DriftError:
            self.init(error)
        case let error as SecretLookupError:
            self.init(error)
        case let error as SavedPlanError:
            self.init(error)
        case let error as StateChoiceError:
            self.init(error)
        case let error as ServerError:
            switch error.code {
            case .input: self.init(.invalidInput, error.message)
            case .configuration:
                self.init(
                    .usage,
                    error.message,
                    help: "\(Setting.api.flag) takes at most one of v1a, v1b and one of v2a, v2b"
                )
            case .newerDatabase, .address, .storage: self.init(.failure, error.message)
            }
        case is CancellationError:
            self.init(.interrupted, "interrupted")
        case is ExitCode, is ValidationError, is CleanExit:
            return nil
        default:
            // ArgumentParser's parse errors are not public; everything else that gets here has words of its own.
            guard String(reflecting: type(of: error)).hasPrefix("ArgumentParser.") else {
                self.init(.failure, String(describing: error))
                return
            }
            return nil
        }
    }

    private init(_ error: SessionError) {
        switch error {
        case .unmatchedKey(let pattern):
            self.init(.usage, Self.unmatched(pattern))
        case .incompleteExport(let passes):
            self.init(.failure, "the catalog changed faster than it could be read (\(passes) times)")
        case .unsoundPlan:
            self.init(.refused, "the plan has errors or is refused; nothing was sent")
        case .unexpectedPlan(let content, let expected):
            self.init(
                .stalePlan,
                "the plan is sha256:\(content), and sha256:\(expected) was expected; nothing was sent",
                help: "have this plan reviewed, and give its number with \(Setting.expectPlan.flag)"
            )
        case .unresolved(let settled):
            let first = settled.first.map { item in
                "\(item.operation.operation.action.rawValue) of '\(item.operation.operation.key)'"
            }
            let others = settled.count > 1 ? " and \(counted(settled.count - 1, "other"))" : ""
            self.init(
                .partialFailure,
                "\(first ?? "an operation")\(others) of an earlier run is still unresolved: \(settled.first?.outcome ?? "")",
                help: "run apply again when the market answers; until then its key is left alone"
            )
        case .stateMissing(let products, let location):
            self.init(
                .stalePlan,
                "the plan was made with a state that knew \(counted(products, "product")), "
                    + "and \(location) knows none; nothing was sent",
                help: "bring that state here, or name it with \(Setting.state.flag)"
            )
        case .pictureNotServed(let address, let path, let reason):
            self.init(
                .refused,
                "\(path) is not at \(address): \(reason); nothing was sent",
                help: "serve the manifest's folder at `market.pictures_url` as it is here"
            )
        case .readOnlyMarket(let name, let reasons):
            self.init(
                .refused,
                "nothing can be written to \(name): \(reasons.joined(separator: "; ")); nothing was sent",
                help: "`openmarket export` and `openmarket ping` read it"
            )
        case .noDetails(let name, let use):
            let (why, help): (String, String) =
                switch use {
                case .export: ("", "export what the list shows, without \(Setting.details.flag)")
                case .pictures: (", and its list shows no pictures", "export without \(Setting.images.flag)")
                case .missingProducts(let count):
                    (
                        ", and of its list not every row could be read: it is not known whether the "
                            + "\(counted(count, "product")) of the earlier export that it does not show \(count == 1 ? "is" : "are") gone",
                        "correct the description, so that every row can be read"
                    )
                }
            self.init(
                .refused,
                "\(name.terminalSafe) describes no request for one product ('operations.detail')\(why)",
                help: "describe it; or \(help)"
            )
        case .noPictures(let name):
            self.init(
                .refused,
                "\(name.terminalSafe) does not say where products show their pictures ('pictures.read')",
                help: "describe it; or export without \(Setting.images.flag)"
            )
        case .visibleTrial(let name):
            self.init(
                .refused,
                "\(name.terminalSafe) does not say how a product is hidden from buyers ('operations.create.hidden'); nothing was sent",
                help: "say which values hide it, such as hidden: {/status: draft}"
            )
        case .unacceptedMarket(let name, let digest):
            self.init(
                .refused,
                "the description of \(name), sha256:\(digest), was not accepted; nothing was sent",
                help: "`openmarket apply` shows what it sends, and asks"
            )
        }
    }

    private init(_ error: MarketTrustError) {
        switch error {
        case .otherDescription(let market, let digest, let accepted):
            self.init(
                .refused,
                "the description of \(market) is sha256:\(digest), and sha256:\(accepted) was accepted; nothing was sent",
                help: "look at what it sends (openmarket market check), and accept it with "
                    + "\(Setting.acceptMarket.flag) sha256:\(digest)"
            )
        case .declined(let market):
            self.init(.failure, "the description of \(market) was not accepted; nothing was sent")
        }
    }

    private init(_ error: MarketTargetError) {
        switch error {
        case .urlMissing:
            self.init(
                .invalidInput,
                "no market is named",
                help: "set `market.url` in the manifest, \(Setting.url.flag) or \(Setting.url.variable)"
            )
        case .profileMissing:
            self.init(
                .invalidInput,
                "the market's API is not named",
                help: "set `market.api` in the manifest, \(Setting.api.flag) or \(Setting.api.variable); "
                    + "`openmarket ping` finds out which"
            )
        case .identifierMissing:
            self.init(
                .invalidInput,
                "the vendor's identifier is not set, and products are managed as a vendor",
                help: "set OPENMARKET_IDENTIFIER, or `market.identifier` in the manifest"
            )
        case .secretUnset(let variable):
            self.init(.invalidInput, "the environment variable \(variable) is not set")
        case .credentialsMissing(let names, let isForReading):
            self.init(
                .invalidInput,
                "no credentials to \(isForReading ? "read" : "write") with: \(names.joined(separator: " and ")) not set",
                help: names == ["identifier"]
                    ? "set OPENMARKET_IDENTIFIER, or `market.identifier` in the manifest"
                    : "set `market.secret: !env OPENMARKET_SECRET` in the manifest, and the variable"
            )
        case .unencrypted(let url):
            self.init(
                .refused,
                "\(url.terminalSafe) is not encrypted: everybody on the way could read credentials and products",
                help: "write https://, or accept that with \(Setting.insecureHTTP.flag)"
            )
        }
    }

    private init(_ error: PullError) {
        switch error {
        case .ownerUnknown(let vendors):
            let most = vendors.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(5)
            let shown = most.map { "\($0.key) with \(counted($0.value, "product"))" }.joined(separator: ", ")
            self.init(
                .invalidInput,
                "it is not known which products are ours" + (vendors.isEmpty ? "" : "; the vendors are \(shown)"),
                help: vendors.count > 1
                    ? "say who we are with \(Setting.vendorID.flag), or name products with \(Setting.id.flag)"
                    : "\(Setting.adopt.flag) vouches that all of them are; or name products with \(Setting.id.flag)"
            )
        case .missing(let ids):
            self.init(.invalidInput, "the market has no product \(ids.map { "\($0)" }.joined(separator: ", "))")
        case .foreign(let ids):
            self.init(
                .invalidInput,
                "product \(ids.map { "\($0)" }.joined(separator: ", ")) is another vendor's",
                help: "name your own, or correct \(Setting.vendorID.flag)"
            )
        case .vendor(let contradiction):
            self.init(
                .refused,
                "\(contradiction); nothing was written",
                help: "correct \(Setting.vendorID.flag) or `market.vendor_id`, or omit it: the market says who we are"
            )
        case .empty:
            self.init(.refused, "the market shows no products of ours; nothing was written")
        case .allElsewhere(let count):
            self.init(.refused, "the \(counted(count, "product")) of ours are in the other files; nothing was written")
        case .inTheWay(let path):
            self.init(
                .failure,
                "\(path) exists, and is not what a pull would write now; it was not changed",
                help: "name another file with \(Setting.out.flag), or write over it with \(Setting.replace.flag)"
            )
        case .invalid(let diagnostics, let path):
            self.init(.unusable(path, reason: "it is not valid: \(DiagnosticRenderer.count(diagnostics))"))
        case .unusable(let path, let reason):
            self.init(
                .failure,
                "nothing of \(path) can be kept because \(reason); it was not changed",
                help: "name another file with \(Setting.out.flag), or drop all it says with \(Setting.discard.flag)"
            )
        case .wouldLose(_, let path):
            self.init(
                .failure,
                "\(path) has what a pull cannot keep; it was not changed",
                help: "drop it with \(Setting.discard.flag); or write what was changed on the market alone: "
                    + "openmarket pull \(Setting.drift.flag)"
            )
        case .wouldBeInvalid:
            self.init(.failure, "what was to be written is not valid; manifest and state were not changed")
        case .notAdopted(let diagnostics):
            self.init(.failure, "the state was not changed: \(DiagnosticRenderer.count(diagnostics))")
        case .picturesOutside(let folder):
            self.init(
                .usage,
                "\(Setting.images.flag) \(folder) is not below the manifest's folder",
                help: "a manifest names only pictures below its own folder"
            )
        case .pictureTaken(let path):
            self.init(.failure, "\(path) is another picture", help: "move it away")
        }
    }

    private init(_ error: DriftError) {
        switch error {
        case .stateKnowsNone(let products, let location):
            self.init(
                .invalidInput,
                "\(location) knows none of the manifest's \(counted(products, "product")), so which side changed cannot be known; "
                    + "nothing was written",
                help:
                    "name the state with \(Setting.state.flag); or let `openmarket apply` take the products over first"
            )
        case .table(let path):
            self.init(
                .usage,
                "\(Setting.drift.flag) writes into YAML, and \(path) is a table",
                help: "for a table: openmarket export"
            )
        case .changedWhileRead:
            self.init(.failure, "a manifest changed while it was read; nothing was written")
        case .changedMeanwhile(let file):
            self.init(.failure, "\(file) changed meanwhile, and was not written", help: "run it again")
        }
    }

    private init(_ error: SavedPlanError) {
        let help =
            switch error.code {
            case .notAPlan: "`openmarket plan -o FILE` saves one"
            case .manifest(let file): "what it would change: openmarket plan \(file)"
            case .unreadable: "make it again: openmarket plan -o FILE"
            case .previewOnly: "save one with `openmarket plan -o FILE`"
            }
        self.init(.invalidInput, error.message, help: help)
    }

    private init(_ error: StateChoiceError) {
        switch error {
        case .severalStates(let paths):
            self.init(
                .failure,
                "several states know this market: \(paths.joined(separator: ", "))",
                help: "say which one is right with \(Setting.state.flag), and move the other one away"
            )
        case .severalMarkets(let scopes):
            let list = scopes.map { "\($0.url) (\($0.market))" }.joined(separator: ", ")
            self.init(
                .invalidInput,
                "the state knows \(counted(scopes.count, "market")): \(list)",
                help: "say which one is meant with \(Setting.url.flag) and \(Setting.api.flag), or with -f the manifest"
            )
        }
    }

    private init(_ error: SecretLookupError) {
        switch error {
        case .unset(let variable):
            self.init(.invalidInput, "the environment variable \(variable) is not set")
        case .notText(let path):
            self.init(.invalidInput, "\(path) is not UTF-8 text")
        case .gone(let path, let place):
            self.init(.invalidInput, "\(path) no longer holds \(place)")
        case .otherIdentifier:
            self.init(.invalidInput, "the plan was made with another identifier than the one that is set")
        }
    }

    /// What is wrong with a pattern that fits no product.
    static func unmatched(_ pattern: String) -> String {
        "no product has a key like '\(pattern)', which \(Setting.target.flag) or \(Setting.exclude.flag) names"
    }

    private static func status(of code: MarketError.Code) -> ExitStatus {
        switch code {
        case .unreachable: .unreachable
        case .credentials: .credentials
        case .unreadable, .refused, .foreignHost: .failure
        case .undescribed: .refused
        case .input, .profile: .invalidInput
        }
    }

    private static func status(of code: StateError.Code) -> ExitStatus {
        switch code {
        case .locked, .superseded: .locked
        case .input, .otherMarket: .invalidInput
        case .missing, .damaged, .otherVersion, .readOnly, .moved, .diskFull, .io, .conflict, .taken, .unresolved:
            .failure
        }
    }
}
