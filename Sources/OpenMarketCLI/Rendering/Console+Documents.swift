import OpenMarket
import OpenMarketReview
import OpenMarketWorkflow

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

    /// Writes the line that every stream of NDJSON begins with.
    func writeVersion() throws { try write(document: .versionEvent(tool: toolVersion), pretty: false) }

    /// Says what is wrong or doubtful: on stdout where that is the result, else on stderr.
    ///
    /// Errors are said even with `--quiet`, and each by itself where all are asked for.
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
