import Logging
import OpenMarket
import OpenMarketWorkflow

/// A command's environment besides its arguments.
///
/// Variables for options are already arguments: see ``Invocation``. Others, which contain credentials, are in the
/// environment.
struct CommandContext: Sendable {
    let environment: [String: String]
    let console: Console
    let logger: Logger
    let isJSON: Bool

    /// Reports a session's progress; as NDJSON if the result is JSON.
    func reporter() -> SessionReporter { SessionReporter(isJSON: isJSON, console: console) }

    /// Writes a result: a document for programs, or a text for people.
    func write(_ document: @autoclosure () -> JSONValue, pretty: Bool = true, or text: (Style) throws -> String) throws
    {
        guard !isJSON else { return try console.write(document: document(), pretty: pretty) }
        try console.write(text(console.outputStyle))
    }

    /// Requires a terminal that can show what is asked; `help` names the ways without one.
    func requireTerminal(help: String) throws(CommandFailure) {
        guard isJSON || !console.isInteractive else { return }
        let what =
            isJSON
            ? "--json leaves no place to ask for confirmation"
            : "the command asks for confirmation, which needs a terminal"
        throw CommandFailure(.usage, what, help: help)
    }

    /// Writes a document for programs, or a note for people, who can do without it.
    func report(_ document: @autoclosure () -> JSONValue, _ note: @autoclosure () -> String) throws {
        if isJSON { try console.write(document: document()) } else { console.note(note()) }
    }
}

extension OutputOptions {
    /// The context according to the options; `--verbose` logs everything, and `--quiet` only problems.
    func context(
        logging label: String = "openmarket",
        at level: Logger.Level = .warning,
        reader: ResultReader = .expected
    ) -> CommandContext {
        let environment = Invocation.current.environment
        var logger = Logger(label: label) { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = verbose ? .debug : quiet ? .warning : level
        return CommandContext(
            environment: environment,
            console: Console(
                isQuiet: quiet,
                noColor: noColor,
                reader: reader,
                environment: environment
            ),
            logger: logger,
            isJSON: json
        )
    }

    func run(reader: ResultReader = .expected, _ body: (CommandContext) async throws -> Void) async throws {
        let context = context(reader: reader)
        try await withLogger(context.logger) { _ in try await body(context) }
    }

    /// Runs a command in its context; Ctrl-C or SIGTERM cancels it at once, so that it cleans up.
    func runCancellable(_ body: @escaping @Sendable (CommandContext) async throws -> Void) async throws {
        try await run { context in try await withCancellation { try await body(context) } }
    }
}
