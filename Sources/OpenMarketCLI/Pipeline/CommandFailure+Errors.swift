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
        case let error as JoiningError:
            self.init(error)
        case let error as ExportError:
            self.init(error)
        case StarterShop.Fault.manifestExists:
            self.init(.failure, "\(error)", help: "name another file with \(Setting.out.flag)")
        case StarterShop.Fault.pictureExists:
            self.init(.failure, "\(error)", help: "name a manifest in another folder with \(Setting.out.flag)")
        case let gap as CatalogGap:
            self.init(.catalogMoved, "\(gap)")
            isUnproved = gap.isUnproved
        case let error as TableConversion.Fault:
            self.init(
                .failure,
                "\(error)",
                help: "name another file with \(Setting.out.flag), or write over it with \(Setting.replace.flag)"
            )
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
        case let error as KeyList.NotText:
            self.init(
                .invalidInput,
                "\(Setting.targetFile.flag): \(error.name) is not UTF-8 text",
                help: "save the file as UTF-8"
            )
        case let error as SecretLookupError:
            self.init(.invalidInput, "\(error)")
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
        let (status, help): (ExitStatus, String?) =
            switch error {
            case .unmatchedKey:
                (.usage, "\(Setting.target.flag) and \(Setting.exclude.flag) name keys; * and ? in them are wild")
            case .incompleteExport: (.failure, nil)
            case .unsoundPlan: (.refused, nil)
            case .unexpectedPlan:
                (.stalePlan, "have this plan reviewed, and give its number with \(Setting.expectPlan.flag)")
            case .unresolved:
                (.partialFailure, "run apply again when the market answers; until then its key is left alone")
            case .stateMissing:
                (.stalePlan, "bring that state here, or name it with \(Setting.state.flag)")
            case .pictureNotServed:
                (.refused, "serve the manifest's folder at `market.pictures_url` as it is here")
            case .readOnlyMarket: (.refused, "`openmarket export` and `openmarket ping` read it")
            case .noDetails(_, .export):
                (.refused, "describe it; or export what the list shows, without \(Setting.details.flag)")
            case .noDetails(_, .pictures), .noPictures:
                (.refused, "describe it; or export without \(Setting.images.flag)")
            case .noDetails(_, .missingProducts):
                (.refused, "describe it; or correct the description, so that every row can be read")
            case .visibleTrial: (.refused, "say which values hide it, such as hidden: {/status: draft}")
            case .unacceptedMarket: (.refused, "`openmarket apply` shows what it sends, and asks")
            }
        self.init(status, "\(error)", help: help)
    }

    private init(_ error: JoiningError) {
        switch error {
        case .noRun:
            self.init(
                .failure,
                error.description,
                help: "`openmarket apply` begins one, and \(Setting.wait.flag) waits for that"
            )
        case .notShared: self.init(.failure, error.description, help: "`openmarket status` shows how far it is")
        case .otherManifest, .pictureMissing:
            self.init(
                .invalidInput,
                error.description,
                help: "bring manifest and pictures to the revision that the run was begun with"
            )
        case .otherDescription:
            self.init(.refused, error.description, help: "use the description that the run was begun with")
        }
    }

    private init(_ error: MarketTrustError) {
        switch error {
        case .otherDescription(_, let digest, _):
            let accepting = "\(Setting.acceptMarket.flag) sha256:\(digest)"
            self.init(
                .refused,
                "\(error)",
                help: "look at what it sends (openmarket market check), and accept it with \(accepting)"
            )
        case .declined: self.init(.failure, "\(error)")
        }
    }

    private init(_ error: MarketTargetError) {
        let identifier = "set OPENMARKET_IDENTIFIER, or `market.identifier` in the manifest"
        let (status, help): (ExitStatus, String?) =
            switch error {
            case .urlMissing:
                (.invalidInput, "set `market.url` in the manifest, \(Setting.url.flag) or \(Setting.url.variable)")
            case .profileMissing:
                (
                    .invalidInput,
                    "set `market.api` in the manifest, \(Setting.api.flag) or \(Setting.api.variable); "
                        + "`openmarket ping` finds out which"
                )
            case .identifierMissing, .credentialsMissing(["identifier"], _): (.invalidInput, identifier)
            case .secretUnset: (.invalidInput, nil)
            case .credentialsMissing:
                (.invalidInput, "set `market.secret: !env OPENMARKET_SECRET` in the manifest, and the variable")
            case .unencrypted: (.refused, "write https://, or accept that with \(Setting.insecureHTTP.flag)")
            }
        self.init(status, "\(error)", help: help)
    }

    private init(_ error: PullError) {
        let other = "name another file with \(Setting.out.flag), or"
        switch error {
        case .ownerUnknown(let vendors):
            self.init(
                .invalidInput,
                "\(error)",
                help: vendors.count > 1
                    ? "say who we are with \(Setting.vendorID.flag), or name products with \(Setting.id.flag)"
                    : "\(Setting.adopt.flag) vouches that all of them are; or name products with \(Setting.id.flag)"
            )
        case .missing: self.init(.invalidInput, "\(error)")
        case .foreign:
            self.init(.invalidInput, "\(error)", help: "name your own, or correct \(Setting.vendorID.flag)")
        case .vendor:
            self.init(
                .refused,
                "\(error)",
                help: "correct \(Setting.vendorID.flag) or `market.vendor_id`, or omit it: the market says who we are"
            )
        case .empty, .allElsewhere: self.init(.refused, "\(error)")
        case .inTheWay:
            self.init(.failure, "\(error)", help: "\(other) write over it with \(Setting.replace.flag)")
        case .invalid(let diagnostics, let path):
            self.init(.unusable(path, reason: "it is not valid: \(DiagnosticRenderer.count(diagnostics))"))
        case .unusable: self.init(.failure, "\(error)", help: "\(other) drop all it says with \(Setting.discard.flag)")
        case .wouldLose:
            self.init(
                .failure,
                "\(error)",
                help: "drop it with \(Setting.discard.flag); or write what was changed on the market alone: "
                    + "openmarket pull \(Setting.drift.flag)"
            )
        case .wouldBeInvalid: self.init(.failure, "\(error)")
        case .notAdopted(let diagnostics):
            self.init(.failure, "the state was not changed: \(DiagnosticRenderer.count(diagnostics))")
        case .picturesOutside:
            self.init(.usage, "\(error)", help: "\(Setting.images.flag) names a folder below the manifest's own")
        case .table: self.init(.usage, "\(error)", help: "for a table: openmarket export")
        case .source: self.init(.usage, "\(Setting.out.flag) \(error)")
        case .pictureTaken: self.init(.failure, "\(error)", help: "move it away")
        }
    }

    private init(_ error: DriftError) {
        let (status, help): (ExitStatus, String?) =
            switch error {
            case .stateKnowsNone:
                (
                    .invalidInput,
                    "name the state with \(Setting.state.flag); or let `openmarket apply` take the products over first"
                )
            case .table: (.usage, "for a table: openmarket export")
            case .changedWhileRead: (.failure, nil)
            case .changedMeanwhile: (.failure, "run it again")
            }
        self.init(status, "\(error)", help: help)
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
        case .severalStates:
            self.init(
                .failure,
                "\(error)",
                help: "say which one is right with \(Setting.state.flag), and move the other one away"
            )
        case .severalMarkets:
            self.init(
                .invalidInput,
                "\(error)",
                help: "say which one is meant with \(Setting.url.flag) and \(Setting.api.flag), or with -f the manifest"
            )
        }
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
