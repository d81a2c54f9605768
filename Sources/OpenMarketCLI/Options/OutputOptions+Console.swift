import Logging
import OpenMarket

extension OutputOptions {
    /// The console that the flags and their variables ask for.
    func console(settings: Settings, outlivesReader: Bool = false) throws -> Console {
        Console(
            isQuiet: try settings.isOn(quiet, .quiet),
            noColor: try settings.isOn(noColor, .noColor),
            outlivesReader: outlivesReader,
            environment: settings.environment
        )
    }

    /// Whether the result is to be JSON.
    func isJSON(_ settings: Settings) throws -> Bool {
        try settings.isOn(json, .json)
    }
}

extension Console {
    /// Where diagnostics go.
    enum Stream {
        case output
        case error
    }

    /// Says what is wrong or doubtful: on stdout where that is the result, else on stderr.
    ///
    /// Errors are said even with `--quiet`.
    ///
    /// - Parameters:
    ///   - diagnostics: what is wrong or doubtful.
    ///   - stream: where to say it.
    ///   - all: whether to say each by itself, however many of a kind there are.
    func report(_ diagnostics: [Diagnostic], to stream: Stream = .error, all: Bool = false) {
        let style = stream == .output ? outputStyle : errorStyle
        for (severity, text) in DiagnosticRenderer(style: style).render(diagnostics, all: all) {
            switch stream {
            case .output: try? write(text + "\n")
            case .error: if severity == .error { complain(text) } else { note(text) }
            }
        }
    }
}

extension OutputOptions {
    /// A logger to stderr: at `standard` usually, everything with `--verbose`, problems only with `--quiet`.
    func logger(_ label: String, settings: Settings, standard: Logger.Level) throws -> Logger {
        var logger = Logger(label: label) { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = standard
        if try settings.isOn(quiet, .quiet) { logger.logLevel = .warning }
        if try settings.isOn(verbose, .verbose) { logger.logLevel = .debug }
        return logger
    }
}
