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
    /// The modules below the workflow are independent of exit codes. An error without a case here has exit 1 and its own
    /// message.
    init?(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as LostRun: self.init(error.reason)
        case is CancellationError: self.init(.interrupted, "interrupted")
        case is ExitCode, is ValidationError, is CleanExit: return nil
        // Errors about a single option.
        case let error as ExpressionError: self.init(.usage, error.message, help: error.help)
        case let error as ConversionError:
            let place = error.location.map { "\($0): " } ?? ""
            self.init(.invalidInput, place + error.message, help: error.help)
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
        case let error as FileConflict: (error.isOfContent ? .refused : .usage, error.help)
        case let error as MarketProfileError:
            (.usage, error.parameterFaults.compactMap(\.help).first ?? "--market-parameter NAME=VALUE")
        case let error as FileError where error.reason == .taken: (.refused, error.help)
        case let error as FileError: (error.action == .read ? .invalidInput : .failure, error.help)
        case is CatalogGap: (.catalogMoved, nil)
        case let error as ServerError where error.code == .input: (.invalidInput, nil)
        case let error as ServerError where error.code == .configuration:
            (.usage, "--api takes at most one of v1a, v1b and one of v2a, v2b")
        default: (.failure, nil)
        }
    }
}

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
