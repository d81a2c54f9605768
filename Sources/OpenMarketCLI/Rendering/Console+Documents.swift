import OpenMarket
import OpenMarketWorkflow

extension Console {
    /// Writes a JSON document without credentials, followed by a line break.
    func write(document: JSONValue, pretty: Bool = true) throws {
        try write(json: document.bytes(pretty: pretty) + Array("\n".utf8))
    }

    /// Writes the first line of every NDJSON stream.
    func writeVersion() throws { try write(document: .versionEvent(tool: toolVersion), pretty: false) }

    /// Reports errors and warnings: on stdout if they are the command's result, otherwise on stderr.
    ///
    /// Errors are reported even with `--quiet`, and each one separately if `all` is set.
    func report(_ diagnostics: [Diagnostic], asResult: Bool = false, all: Bool = false) {
        let renderer = DiagnosticRenderer(style: asResult ? outputStyle : errorStyle)
        for (severity, text) in renderer.render(diagnostics, all: all) {
            if asResult { try? write(text + "\n") } else if severity == .error { printError(text) } else { note(text) }
        }
    }
}
