import OpenMarket
import OpenMarketReview

extension Console {
    /// Where diagnostics go.
    enum Stream {
        case output
        case error
    }

    /// Writes a JSON document, without credentials, and ends the line.
    func write(document: JSONValue, pretty: Bool = true) throws {
        try write(json: document.bytes(pretty: pretty) + Array("\n".utf8))
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
        for (severity, text) in DiagnosticRenderer(style: style, option: Setting.all.flag).render(diagnostics, all: all)
        {
            switch stream {
            case .output: try? write(text + "\n")
            case .error: if severity == .error { complain(text) } else { note(text) }
            }
        }
    }
}
