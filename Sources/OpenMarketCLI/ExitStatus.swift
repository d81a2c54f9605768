/// The exit codes, which are a promise to scripts.
enum ExitStatus: Int32, Error {
    /// Done, or nothing to do.
    case success = 0
    /// An error without a number of its own.
    case failure = 1
    /// Changes are pending; `plan --detailed-exitcode` only.
    case changesPending = 2
    /// The command did its part, and something is left: operations that failed, drift that could not be written, what a
    /// verification found, a product of a trial, pictures that could not be fetched.
    case partialFailure = 3
    /// What is read to begin with is not valid: the manifest, a picture, a description of a market, another input file.
    case invalidInput = 4
    /// Something forbids it: a policy or brake, a market that is not written to, a description that was not accepted.
    case refused = 5
    /// The plan is not the one that was approved, or the state that it was made with is not what it was.
    case stalePlan = 6
    /// Another run holds the lock, or has taken this one's place.
    case locked = 7
    /// Credentials rejected.
    case credentials = 8
    /// The market cannot be reached.
    case unreachable = 9
    /// The catalog changed while it was read, or nothing proves that all of it was.
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

    init(_ status: ExitStatus, _ message: String? = nil, help: String? = nil) {
        self.status = status
        self.message = message
        self.help = help
    }
}
