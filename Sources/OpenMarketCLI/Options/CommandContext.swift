import Logging
import OpenMarket
import OpenMarketWorkflow

/// What a command works with beside its arguments.
///
/// Variables that stand for options are arguments already: see ``Invocation``. Others, which hold credentials, are in the
/// environment.
struct CommandContext: Sendable {
    let environment: [String: String]
    let console: Console
    let logger: Logger
    /// Whether the result is to be JSON.
    let isJSON: Bool

    /// Reports what a session does: NDJSON where the result is to be JSON.
    func reporter() -> SessionReporter { SessionReporter(isJSON: isJSON, console: console) }

    /// Writes a result: a document for programs, a text for people.
    func write(_ document: @autoclosure () -> JSONValue, pretty: Bool = true, or text: (Style) throws -> String) throws
    {
        guard !isJSON else { return try console.write(document: document(), pretty: pretty) }
        try console.write(text(console.outputStyle))
    }
}

extension OutputOptions {
    /// What the options ask for; `--verbose` logs everything, and `--quiet` problems only.
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

    /// Runs a command in its context.
    func run(reader: ResultReader = .expected, _ body: (CommandContext) async throws -> Void) async throws {
        let context = context(reader: reader)
        try await withLogger(context.logger) { _ in try await body(context) }
    }

    /// Runs a command in its context; Ctrl-C or SIGTERM stops it at once, so that it clears away what it began.
    func runCancellable(_ body: @escaping @Sendable (CommandContext) async throws -> Void) async throws {
        try await run { context in try await withCancellation { try await body(context) } }
    }
}
