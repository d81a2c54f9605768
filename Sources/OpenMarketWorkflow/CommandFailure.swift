package import OpenMarket

/// The exit codes, which are stable for scripts.
package enum ExitStatus: Int32, CaseIterable, Sendable {
    case success = 0
    case failure = 1
    case changesPending = 2
    case partialFailure = 3
    case invalidInput = 4
    case refused = 5
    case stalePlan = 6
    case locked = 7
    case credentials = 8
    case unreachable = 9
    case catalogMoved = 10
    case usage = 64
    case interrupted = 130

    package var meaning: String {
        switch self {
        case .success: "done, or no changes needed"
        case .failure: "an error without a code of its own"
        case .changesPending: "changes are pending"
        case .partialFailure: "done in part"
        case .invalidInput: "an input is not valid, or no market is named"
        case .refused: "a check refuses, or a file is not overwritten"
        case .stalePlan: "the saved plan is not the approved one, or is out of date"
        case .locked: "another run holds the lock, or has taken it over"
        case .credentials: "the market rejects the credentials"
        case .unreachable: "the market cannot be reached"
        case .catalogMoved: "the catalog changed during the reading, or cannot be proved complete"
        case .usage: "the command line is wrong; the message shows the right form"
        case .interrupted: "interrupted; the next run continues"
        }
    }
}

/// What ends a command, with its exit code.
package struct CommandFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package let status: ExitStatus
    /// One sentence in lower case; `nil` if everything is already printed.
    package let message: String?
    package let help: String?
    /// Faults of files, to be shown before the message.
    package let faults: [Diagnostic]

    package init(
        _ status: ExitStatus,
        _ message: String? = nil,
        help: String? = nil,
        faults: [Diagnostic] = []
    ) {
        self.status = status
        self.message = message
        self.help = help
        self.faults = faults
    }

    package var description: String { message ?? status.meaning }
}
