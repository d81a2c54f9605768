import ArgumentParser
import OpenMarket
import OpenMarketDescription
import OpenMarketManifest
import OpenMarketServer
import OpenMarketWorkflow

/// The exit code for an error, and advice for the user.
typealias Explanation = (status: ExitStatus, help: String?)

/// A library's error with its meaning on the command line.
///
/// Libraries know neither flags nor exit codes, so advice to the user is added here.
protocol ExplainedError: Error {
    var explanation: Explanation { get }

    /// The message: the error's own unless the command line has a better one; `nil` if it was already printed.
    var sentence: String? { get }
}

extension ExplainedError {
    var sentence: String? { "\(self)" }
}

extension CommandFailure {
    /// Explains an error from any module; `nil` for ArgumentParser's own errors.
    init?(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as any ExplainedError:
            let (status, help) = error.explanation
            self.init(status, error.sentence, help: help)
        case let error as LostRun: self.init(error.reason)
        case is CancellationError: self.init(.interrupted, "interrupted")
        case is ExitCode, is ValidationError, is CleanExit: return nil
        default:
            // ArgumentParser's parse errors are not public; every other error that reaches this point has its own
            // message.
            guard !String(reflecting: type(of: error)).hasPrefix("ArgumentParser.") else { return nil }
            self.init(.failure, String(describing: error))
        }
    }
}

extension MarketError: ExplainedError {
    var explanation: Explanation {
        let status: ExitStatus =
            switch code {
            case .unreachable: .unreachable
            case .credentials: .credentials
            case .unreadable, .refused, .foreignHost: .failure
            case .undescribed: .refused
            case .input, .profile: .invalidInput
            }
        let help =
            "`openmarket ping` says which it is; set `market.api`, \(Setting.api.flag) or \(Setting.api.variable)"
        return (status, code == .profile ? help : nil)
    }
}

extension StateError: ExplainedError {
    var explanation: Explanation {
        let status: ExitStatus =
            switch code {
            case .locked, .superseded: .locked
            case .input, .otherMarket: .invalidInput
            case .missing, .damaged, .otherVersion, .readOnly, .moved, .diskFull, .io, .conflict, .taken, .unresolved:
                .failure
            }
        let help: String? =
            switch code {
            case .locked:
                "wait, with \(Setting.lockTimeout.flag) of apply; or `openmarket state unlock` when that run is dead"
            case .missing:
                "nothing was written; name the manifest with -f or the state with \(Setting.state.flag), and on a machine that has "
                    + "forgotten it begin with `openmarket state import`"
            case .readOnly: "name another state with \(Setting.state.flag)"
            case .moved: "name that one with \(Setting.state.flag), or as `state:` of the manifest"
            case .unresolved: "`openmarket apply` settles it"
            case .otherMarket:
                "\(Setting.acceptOtherMarket.flag) takes them for this one's, if the ids are the same"
            default: nil
            }
        return (status, help)
    }
}

extension StateChoiceError: ExplainedError {
    var explanation: Explanation {
        switch self {
        case .severalStates:
            (.failure, "say which one is right with \(Setting.state.flag), and move the other one away")
        case .severalMarkets:
            (
                .invalidInput,
                "say which one is meant with \(Setting.url.flag) and \(Setting.api.flag), or with -f the manifest"
            )
        }
    }
}

extension SessionError: ExplainedError {
    var explanation: Explanation {
        switch self {
        case .unmatchedKey:
            (.usage, "\(Setting.target.flag) and \(Setting.exclude.flag) name keys; * and ? in them are wild")
        case .incompleteExport: (.failure, nil)
        case .unsoundPlan: (.refused, nil)
        case .unexpectedPlan:
            (.stalePlan, "have this plan reviewed, and give its number with \(Setting.expectPlan.flag)")
        case .unresolved: (.partialFailure, "run apply again when the market answers; until then its key is left alone")
        case .stateMissing: (.stalePlan, "bring that state here, or name it with \(Setting.state.flag)")
        case .pictureNotServed: (.refused, "serve the manifest's folder at `market.pictures_url` as it is here")
        case .readOnlyMarket: (.refused, "`openmarket export` and `openmarket ping` read it")
        case .noDetails(_, .export):
            (.refused, "describe it; or export what the list shows, without \(Setting.details.flag)")
        case .noDetails(_, .pictures), .noPictures: (.refused, "describe it; or export without \(Setting.images.flag)")
        case .noDetails(_, .missingProducts):
            (.refused, "describe it; or correct the description, so that every row can be read")
        case .impossibleTrial: (.refused, "correct the description: `openmarket market check` says the same")
        case .openPut: (.invalidInput, MarketCheck.openPutHelp)
        case .visibleTrial: (.refused, "say which values hide it, such as hidden: {/status: draft}")
        case .unacceptedMarket: (.refused, "`openmarket apply` shows what it sends, and asks")
        }
    }
}

extension RunFailure: ExplainedError {
    var explanation: Explanation {
        switch self {
        case .interrupted, .stopped(_, isPart: true): (.interrupted, nil)
        case .stopped: (.locked, "what was done is in the state; run apply again")
        case .credentials([]):
            (
                .credentials,
                "no credentials are sent: the market's own words above say why, or add 'auth' to its description"
            )
        case .credentials(let keys):
            (
                .credentials,
                "check \(keys.map { "`market.\($0)`" }.listed("and")), or the variables that are named there; if they are "
                    + "right, the market's own words above say why"
            )
        case .identity:
            (
                .refused,
                "the market says who we are: correct or remove `market.vendor_id` or the `id`, where one is given; then plan "
                    + "again"
            )
        case .unreachable:
            (.unreachable, "what was done is in the state; run apply again when the market is back")
        case .incomplete, .changesLeft: (.partialFailure, nil)
        case .stale: (.stalePlan, "plan again")
        }
    }

    var sentence: String? { self == .incomplete ? nil : description }
}

extension JoiningError: ExplainedError {
    var explanation: Explanation {
        switch self {
        case .noRun: (.failure, "`openmarket apply` begins one, and \(Setting.wait.flag) waits for that")
        case .notShared: (.failure, "`openmarket status` shows how far it is")
        case .otherManifest, .pictureMissing:
            (.invalidInput, "bring manifest and pictures to the revision that the run was begun with")
        case .otherDescription: (.refused, "use the description that the run was begun with")
        }
    }
}

extension MarketTrustError: ExplainedError {
    var explanation: Explanation {
        switch self {
        case .otherDescription(_, let digest, _):
            (
                .refused,
                "look at what it sends (openmarket market check), and accept it with "
                    + "\(Setting.acceptMarket.flag) sha256:\(digest)"
            )
        case .declined: (.failure, nil)
        }
    }
}

extension MarketTargetError: ExplainedError {
    var explanation: Explanation {
        switch self {
        case .nothingNamed:
            (
                .invalidInput,
                "name a market with \(Setting.url.flag) or \(Setting.url.variable); or begin with a manifest: "
                    + ManifestOptions.Names.waysToManifest
            )
        case .urlMissing:
            (.invalidInput, "set `market.url` in the manifest, \(Setting.url.flag) or \(Setting.url.variable)")
        case .profileMissing:
            (
                .invalidInput,
                "set `market.api` in the manifest, \(Setting.api.flag) or \(Setting.api.variable); "
                    + "`openmarket ping` finds out which"
            )
        case .identifierMissing, .credentialsMissing(["identifier"], _):
            (.invalidInput, "set OPENMARKET_IDENTIFIER, or `market.identifier` in the manifest")
        case .secretUnset: (.invalidInput, nil)
        case .credentialsMissing(let names, _):
            (
                .invalidInput,
                "set \(names.map { "`market.\($0): !env OPENMARKET_\($0.uppercased())`" }.listed("and")) in the manifest, "
                    + "and the variable\(names.count == 1 ? "" : "s")"
            )
        case .unencrypted: (.refused, "write https://, or accept that with \(Setting.insecureHTTP.flag)")
        }
    }
}

extension MarketCheck.Unknown: ExplainedError {
    var explanation: Explanation { (.invalidInput, help) }
}

extension MarketProfileError: ExplainedError {
    var explanation: Explanation {
        (.usage, parameterFaults.compactMap(\.help).first ?? "\(Setting.marketParameter.flag) NAME=VALUE")
    }
}

extension MarketTrial.Fault: ExplainedError {
    var explanation: Explanation {
        switch self {
        case .remains: (.partialFailure, "the next apply tries again")
        case .otherwise: (.invalidInput, nil)
        }
    }
}

extension RunHistory.Unknown: ExplainedError {
    var explanation: Explanation { (.failure, "openmarket history") }
}

extension UnusableKey: ExplainedError {
    var explanation: Explanation { (.usage, nil) }
}

extension SecretLookupError: ExplainedError {
    var explanation: Explanation { (.invalidInput, nil) }
}

extension SavedPlanError: ExplainedError {
    var sentence: String? { message }

    var explanation: Explanation {
        let help =
            switch code {
            case .notAPlan: "`openmarket plan -o FILE` saves one"
            case .manifest(let file): "what it would change: openmarket plan \(file)"
            case .unreadable: "make it again: openmarket plan -o FILE"
            case .previewOnly: "save one with `openmarket plan -o FILE`"
            }
        return (.invalidInput, help)
    }
}

extension ServerError: ExplainedError {
    var explanation: Explanation {
        switch code {
        case .input: (.invalidInput, nil)
        case .configuration: (.usage, "\(Setting.api.flag) takes at most one of v1a, v1b and one of v2a, v2b")
        case .newerDatabase, .address, .storage: (.failure, nil)
        }
    }
}

extension ShopSeed.ValueFault: ExplainedError {
    var explanation: Explanation { (.usage, nil) }
    var sentence: String? {
        switch self {
        case .withoutSeed: "\(Setting.seedValue.flag) is for \(Setting.seed.flag), which is not given"
        case .notDrawn: "\(Setting.seedValue.flag) is for products that are drawn by chance"
        }
    }
}
