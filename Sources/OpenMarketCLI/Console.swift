import FoundationEssentials
import OpenMarket
import OpenMarketFiles
import OpenMarketManifest
import OpenMarketWorkflow
import Synchronization
import SystemPackage

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The output of a command: results to stdout, everything else to stderr.
final class Console: Sendable {
    /// Whether only results and important messages are printed.
    let isQuiet: Bool
    /// Whether stdout is a terminal, which interprets escape sequences and may also show a progress bar.
    let outputIsTerminal: Bool
    let outputStyle: Style
    let errorStyle: Style
    /// Whether a person can answer: stdin and stderr are terminals.
    let isInteractive: Bool
    /// Whether stderr is a terminal that can redraw a progress bar.
    let showsProgressBar: Bool

    /// Whether stdout is a terminal that can redraw a result.
    let redrawsOutput: Bool

    /// Whether stdout was closed at start, so that results cannot be written.
    private let outputIsClosed = StandardStreams.closed.contains(1)

    private let reader: ResultReader

    /// The progress bar on the last line of stderr, if any; other lines are printed above it.
    private let status = Mutex("")

    private let asking = Mutex(false)

    /// The secrets that no text may contain.
    private let secrets: KnownSecrets

    init(
        isQuiet: Bool = false,
        noColor: Bool = false,
        reader: ResultReader = .expected,
        environment: [String: String]
    ) {
        let secrets = KnownSecrets.current ?? KnownSecrets()
        // The variables of every command; a manifest adds its own.
        for name in ManifestOptions.credentialVariables { environment[name].map { secrets.hide(Secret($0)) } }
        self.secrets = secrets
        self.isQuiet = isQuiet
        self.reader = reader
        let canRedraw = environment["TERM"] != "dumb"
        let plain = noColor || !(environment["NO_COLOR"] ?? "").isEmpty || !canRedraw
        let errorIsTerminal = isatty(2) == 1
        outputIsTerminal = isatty(1) == 1
        outputStyle = Style(isEnabled: !plain && outputIsTerminal)
        errorStyle = Style(isEnabled: !plain && errorIsTerminal)
        isInteractive = isatty(0) == 1 && errorIsTerminal
        showsProgressBar = errorIsTerminal && canRedraw
        redrawsOutput = outputIsTerminal && canRedraw
    }

    /// The columns of the terminal; 80 without one.
    var width: Int {
        var size = winsize()
        return ioctl(2, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    /// The columns of stdout; unlimited if it is not a terminal.
    var outputWidth: Int { outputIsTerminal ? width : .max }

    /// Writes a part of the result for people, with credentials masked.
    func write(_ text: String) throws { try write(data: Array(secrets.mask.masked(text).utf8)) }

    /// Writes a JSON document, or a part of one, with credentials masked.
    func write(json bytes: [UInt8]) throws { try write(data: secrets.mask.masked(json: bytes)) }

    /// Writes data unchanged: the market's catalog, or a manifest that may be read back.
    func write(data bytes: [UInt8]) throws {
        guard outputIsTerminal else { return try writeThrough(bytes) }
        try status.withLock { bar in
            if !bar.isEmpty { Self.writeError(Self.emptyLine) }
            try writeThrough(bytes)
            if !bar.isEmpty { Self.writeError(bar) }
        }
    }

    /// Writes a catalog: unchanged for programs, with control characters escaped on a terminal.
    func write(catalog bytes: [UInt8]) throws {
        let isRaw = !outputIsTerminal
        try write(data: isRaw ? bytes : Array(String(decoding: bytes, as: UTF8.self).terminalSafeLines.utf8))
    }

    private func writeThrough(_ bytes: [UInt8]) throws {
        guard !outputIsClosed else {
            if reader == .optional { return }
            throw CommandFailure(.failure, "stdout is closed, and the result was to go there")
        }
        do {
            try FileDescriptor.standardOutput.writeAll(bytes)
        } catch Errno.brokenPipe {
            // `openmarket export | head` is not an error, but ends the command.
            if reader == .streaming { throw CommandFailure(.success) }
        }
    }

    /// Prints a message on stderr; silent with `--quiet`.
    func note(_ text: String) {
        if !isQuiet { printError(text) }
    }

    /// Prints an important message on stderr, even with `--quiet`.
    func printError(_ text: String) {
        let text = secrets.mask.masked(text).withoutURLCredentials
        status.withLock { bar in
            Self.writeError((bar.isEmpty ? "" : Self.emptyLine) + text + "\n" + bar)
        }
    }

    /// Redraws the last line; an empty text removes it.
    func setStatus(_ line: String) {
        let line = secrets.mask.masked(line)
        status.withLock { bar in
            guard line != bar else { return }
            bar = line
            Self.writeError(Self.emptyLine + line)
        }
    }

    private static let emptyLine = "\r\u{1B}[K"

    private static func writeError(_ text: String) {
        // An error is ignored: stderr may be closed.
        _ = try? FileDescriptor.standardError.writeAll(Array(text.utf8))
    }

    func confirms(_ question: String) -> Bool { ask("\(question) Type 'yes' to confirm: ") == "yes" }

    /// Asks a question and reads a line; `nil` at the end of input.
    func ask(_ question: String) -> String? {
        Self.writeError(secrets.mask.masked(question))
        asking.withLock { $0 = true }
        defer { asking.withLock { $0 = false } }
        return readLine()
    }

    /// Whether the console waits for an answer; only the end of the process interrupts that.
    var isAsking: Bool { asking.withLock(\.self) }
}
