/// The exit codes, which are a promise to scripts.
enum ExitStatus: Int32, Error {
    /// Done, or nothing to do.
    case success = 0
    /// An error without a number of its own.
    case failure = 1
    /// Changes are pending; `plan --detailed-exitcode` only.
    case changesPending = 2
    /// Some operations failed, the rest were done; or some drift could not be written.
    case partialFailure = 3
    /// The manifest, a picture or an input file is not valid.
    case invalidInput = 4
    /// A policy or brake refused.
    case refused = 5
    /// The saved plan is stale.
    case stalePlan = 6
    /// Another run holds the lock.
    case locked = 7
    /// Credentials rejected.
    case credentials = 8
    /// The market cannot be reached.
    case unreachable = 9
    /// The export is complete, but the catalog changed while it was read.
    case catalogMoved = 10
    /// Wrong usage.
    case usage = 64
    /// Interrupted, with everything journalled.
    case interrupted = 130
}

/// Ends a command with a message and an exit code.
struct CommandFailure: Error {
    var status: ExitStatus
    /// One sentence, lower case; `nil` when everything has been said.
    var message: String?
    /// What to do about it.
    var help: String?
    /// Whether an export was written that nothing proves to be complete.
    var isUnproved = false

    init(_ status: ExitStatus, _ message: String? = nil, help: String? = nil) {
        self.status = status
        self.message = message
        self.help = help
    }
}
