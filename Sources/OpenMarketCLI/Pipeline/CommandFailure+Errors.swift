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
            "`openmarket ping` says which it is; set `market.api`, --api or OPENMARKET_API"
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
                "wait, with --lock-timeout of apply; or `openmarket state unlock` when that run is dead"
            case .missing:
                "nothing was written; name the manifest with -f or the state with --state, and on a machine that has "
                    + "forgotten it begin with `openmarket state import`"
            case .readOnly: "name another state with --state"
            case .moved: "name that one with --state, or as `state:` of the manifest"
            case .unresolved: "`openmarket apply` settles it"
            case .otherMarket:
                "--accept-other-market takes them for this one's, if the ids are the same"
            default: nil
            }
        return (status, help)
    }
}

extension StateChoiceError: ExplainedError {
    var explanation: Explanation {
        switch self {
        case .severalStates:
            (.failure, "say which one is right with --state, and move the other one away")
        case .severalMarkets:
            (
                .invalidInput,
                "say which one is meant with --url and --api, or with -f the manifest"
            )
        }
    }
}

extension SessionError: ExplainedError {
    var explanation: Explanation {
        switch self {
        case .unmatchedKey:
            (.usage, "--target and --exclude name keys; * and ? in them are wild")
        case .incompleteExport: (.failure, nil)
        case .unsoundPlan: (.refused, nil)
        case .unexpectedPlan:
            (.stalePlan, "have this plan reviewed, and give its number with --expect-plan")
        case .unresolved: (.partialFailure, "run apply again when the market answers; until then its key is left alone")
        case .stateMissing: (.stalePlan, "bring that state here, or name it with --state")
        case .pictureNotServed: (.refused, "serve the manifest's folder at `market.pictures_url` as it is here")
        case .readOnlyMarket: (.refused, "`openmarket export` and `openmarket ping` read it")
        case .noDetails(_, .export):
            (.refused, "describe it; or export what the list shows, without --details")
        case .noDetails(_, .pictures), .noPictures: (.refused, "describe it; or export without --images")
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
        case .noRun: (.failure, "`openmarket apply` begins one, and --wait waits for that")
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
                    + "--accept-market sha256:\(digest)"
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
                "name a market with --url or OPENMARKET_URL; or begin with a manifest: "
                    + ManifestOptions.Names.waysToManifest
            )
        case .urlMissing:
            (.invalidInput, "set `market.url` in the manifest, --url or OPENMARKET_URL")
        case .profileMissing:
            (
                .invalidInput,
                "set `market.api` in the manifest, --api or OPENMARKET_API; "
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
        case .unencrypted: (.refused, "write https://, or accept that with --insecure-http")
        }
    }
}

extension MarketCheck.Unknown: ExplainedError {
    var explanation: Explanation { (.invalidInput, help) }
}

extension MarketProfileError: ExplainedError {
    var explanation: Explanation {
        (.usage, parameterFaults.compactMap(\.help).first ?? "--market-parameter NAME=VALUE")
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
        case .configuration: (.usage, "--api takes at most one of v1a, v1b and one of v2a, v2b")
        case .newerDatabase, .address, .storage: (.failure, nil)
        }
    }
}

extension ShopSeed.ValueFault: ExplainedError {
    var explanation: Explanation { (.usage, nil) }
    var sentence: String? {
        switch self {
        case .withoutSeed: "--seed-value is for --seed, which is not given"
        case .notDrawn: "--seed-value is for products that are drawn by chance"
        }
    }
}
