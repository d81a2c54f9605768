#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A program while it runs.
public struct RunningProcess: Sendable {
    /// Its process identifier.
    public let id: Int32
    let transcript: Transcript

    public enum Signal: Sendable {
        case interrupt
        case terminate
        case hangUp
        case kill
        /// Freezes it until `resume`.
        case stop
        case resume
    }

    /// Sends a signal; nothing happens when the program has ended.
    public func send(_ signal: Signal) {
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
    /// - Throws: ``EndedWithoutLine`` when the program ends without it.
    @discardableResult
    public func line(containing text: String, on stream: Transcript.Stream = .stdout) async throws -> String {
        try await transcript.line(containing: text, on: stream)
    }
}

/// A program ended without the line that a test waited for.
public struct EndedWithoutLine: Error, CustomStringConvertible {
    public let awaited: String
    /// All that it said on both streams.
    public let said: String

    public var description: String { "the program ended without saying '\(awaited)'; it said:\n\(said)" }
}
