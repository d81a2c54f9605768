/// The exit codes, which are stable for scripts.
enum ExitStatus: Int32, Error {
    /// Done, or nothing to do.
    case success = 0
    /// An error without a more specific code.
    case failure = 1
    /// Changes are pending; `plan --detailed-exitcode` only.
    case changesPending = 2
    /// Something is left: failed operations, unwritten drift, findings of a verification, a product of a trial, or
    /// pictures that could not be fetched.
    case partialFailure = 3
    /// An input is invalid: the manifest, a picture, a description of a market, or another input file.
    case invalidInput = 4
    /// Refused: by policy checks, a read-only market, or a market description that was not accepted.
    case refused = 5
    /// The plan is not the approved one, or its state has changed since.
    case stalePlan = 6
    /// Another run holds the lock, or has taken it over.
    case locked = 7
    case credentials = 8
    case unreachable = 9
    /// The catalog changed while it was read, or nothing proves that the read was complete.
    case catalogMoved = 10
    case usage = 64
    /// Interrupted; everything is in the journal.
    case interrupted = 130
}

struct CommandFailure: Error {
    var status: ExitStatus
    /// One sentence in lower case; `nil` if everything is already printed.
    var message: String?
    var help: String?

    init(_ status: ExitStatus, _ message: String? = nil, help: String? = nil) {
        self.status = status
        self.message = message
        self.help = help
    }
}
