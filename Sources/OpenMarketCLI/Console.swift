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

/// Where a command's words go: results to stdout, everything else to stderr.
final class Console: Sendable {
    /// Whether nothing is said besides the result but what has to be heard.
    let isQuiet: Bool
    /// Whether stdout is a terminal, which interprets escape sequences and may show a progress bar as well.
    let outputIsTerminal: Bool
    /// Whether stdout takes colours.
    let outputStyle: Style
    /// Whether stderr takes colours.
    let errorStyle: Style
    /// Whether a person can answer: stdin and stderr are a terminal.
    let isInteractive: Bool
    /// Whether stderr is a terminal that can redraw a progress bar.
    let showsProgressBar: Bool

    /// Whether stdout is a terminal that can show a result again in its place.
    let redrawsOutput: Bool

    /// Whether stdout was closed, so that a result has nowhere to go.
    private let outputIsClosed = StandardStreams.closed.contains(1)

    /// What happens where stdout is not read.
    private let reader: ResultReader

    /// The progress bar on the last line of stderr, if any; it steps aside for other lines.
    private let status = Mutex("")

    private let asking = Mutex(false)

    /// The credentials that are looked for, and what hides them.
    private let credentials: Mutex<(secrets: Set<Secret>, mask: CredentialMask)>

    init(
        isQuiet: Bool = false,
        noColor: Bool = false,
        reader: ResultReader = .expected,
        environment: [String: String]
    ) {
        // Those that every command may have; a manifest adds its own.
        let standard = Set(ManifestOptions.credentialVariables.compactMap { environment[$0].map { Secret($0) } })
        credentials = Mutex((standard, CredentialMask(standard)))
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

    /// Keeps credentials out of what is said from now on, and of documents.
    func hide(_ secrets: some Sequence<Secret>) {
        credentials.withLock { known in
            known.secrets.formUnion(secrets)
            known.mask = CredentialMask(known.secrets)
        }
    }

    /// Hides the credentials that are known.
    var mask: CredentialMask { credentials.withLock { $0.mask } }

    /// Columns of the terminal; 80 where there is none.
    var width: Int {
        var size = winsize()
        return ioctl(2, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    /// Writes a part of the result for people, without credentials.
    func write(_ text: String) throws { try write(data: Array(mask.masked(text).utf8)) }

    /// Writes a JSON document, or a part of one, without credentials.
    func write(json bytes: [UInt8]) throws { try write(data: mask.masked(json: bytes)) }

    /// Writes data as it is: the catalog as the market shows it, or a manifest that may be read back.
    func write(data bytes: [UInt8]) throws {
        guard outputIsTerminal else { return try writeThrough(bytes) }
        try status.withLock { bar in
            if !bar.isEmpty { Self.say(Self.emptyLine) }
            try writeThrough(bytes)
            if !bar.isEmpty { Self.say(bar) }
        }
    }

    /// Writes a catalog: programs get every byte as it is, and what a terminal would obey is escaped.
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
            // `openmarket export | head` is not an error, but there is nothing left to do.
            if reader == .streaming { throw CommandFailure(.success) }
        }
    }

    /// Says something besides the result; silent with `--quiet`.
    func note(_ text: String) {
        if !isQuiet { complain(text) }
    }

    /// Says something that has to be heard.
    func complain(_ text: String) {
        let text = mask.masked(text).withoutURLCredentials
        status.withLock { bar in
            Self.say((bar.isEmpty ? "" : Self.emptyLine) + text + "\n" + bar)
        }
    }

    /// Redraws the last line; empty takes it away.
    func setStatus(_ line: String) {
        status.withLock { bar in
            guard line != bar else { return }
            bar = line
            Self.say(Self.emptyLine + line)
        }
    }

    /// Empties the last line of a terminal.
    private static let emptyLine = "\r\u{1B}[K"

    private static func say(_ text: String) {
        // stderr may be closed; then there is no reader.
        _ = try? FileDescriptor.standardError.writeAll(Array(text.utf8))
    }

    /// Asks whether to do something that cannot be undone.
    func confirms(_ question: String) -> Bool { ask("\(question) Only 'yes' does it: ") == "yes" }

    /// Asks a question and reads a line; `nil` at the end of input.
    func ask(_ question: String) -> String? {
        Self.say(question)
        asking.withLock { $0 = true }
        defer { asking.withLock { $0 = false } }
        return readLine()
    }

    /// Whether an answer is waited for: nothing but the end of the process ends that.
    var isAsking: Bool { asking.withLock(\.self) }
}
