#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A program while it runs.
struct RunningProcess: Sendable {
    /// Its process identifier.
    let id: Int32
    let transcript: Transcript

    enum Signal: Sendable {
        case interrupt
        case terminate
        case hangUp
        case kill
        /// Freezes it until `resume`.
        case stop
        case resume
    }

    /// Sends a signal; nothing happens when the program has ended.
    func send(_ signal: Signal) {
        let number =
            switch signal {
            case .interrupt: SIGINT
            case .terminate: SIGTERM
            case .hangUp: SIGHUP
            case .kill: SIGKILL
            case .stop: SIGSTOP
            case .resume: SIGCONT
            }
        _ = kill(id, number)
    }

    /// Waits for the first line that contains the text, said already or still to come.
    ///
    /// Throws ``EndedWithoutLine`` if the program ends without it.
    @discardableResult
    func line(containing text: String, on stream: Transcript.Stream = .stdout) async throws -> String {
        try await transcript.line(containing: text, on: stream)
    }
}

/// A program ended without the line that a test waited for.
struct EndedWithoutLine: Error, CustomStringConvertible {
    let awaited: String
    /// All that it said on both streams.
    let said: String

    var description: String { "the program ended without saying '\(awaited)'; it said:\n\(said)" }
}
