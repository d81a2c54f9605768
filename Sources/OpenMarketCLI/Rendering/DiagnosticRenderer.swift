import OpenMarket
import OpenMarketReview

/// Renders diagnostics in the form that editors parse: `file:line:column: error: …`, the line, and a caret.
struct DiagnosticRenderer {
    let style: Style

    func render(_ diagnostic: Diagnostic) -> String {
        var lines: [String] = []
        let place = diagnostic.location.map { style(.bold, "\($0.description.terminalSafe): ") } ?? ""
        let severity =
            switch diagnostic.severity {
            case .error: style(.boldRed, "error: ")
            case .warning: style(.boldYellow, "warning: ")
            }
        lines.append(place + severity + style(.bold, diagnostic.message.terminalSafe))
        if let excerpt = diagnostic.excerpt { lines += frame(excerpt, position: diagnostic.location?.position) }
        if !diagnostic.path.isEmpty { lines.append(style(.dim, "  in ") + diagnostic.path.terminalSafe) }
        if let help = diagnostic.help { lines.append(style(.cyan, "  help: ") + help.terminalSafe) }
        for note in diagnostic.notes {
            let place = note.location.map { "\($0.description.terminalSafe): " } ?? ""
            lines.append(style(.cyan, "  note: ") + place + note.message.terminalSafe)
        }
        return lines.joined(separator: "\n")
    }

    /// The closing line: `3 errors, 1 warning`.
    static func count(_ diagnostics: [Diagnostic]) -> String {
        let errors = diagnostics.reduce(0) { $0 + ($1.severity == .error ? $1.count : 0) }
        let warnings = diagnostics.reduce(0) { $0 + ($1.severity == .warning ? $1.count : 0) }
        var parts: [String] = []
        if errors > 0 { parts.append(counted(errors, "error")) }
        if warnings > 0 { parts.append(counted(warnings, "warning")) }
        return parts.joined(separator: ", ")
    }

    private func frame(_ excerpt: SourceExcerpt, position: SourcePosition?) -> [String] {
        let number = position.map { String($0.line) } ?? ""
        let gutter = String(repeating: " ", count: max(number.count, 4))
        let shown = String(repeating: " ", count: gutter.count - number.count) + number
        // Tabs would put the caret anywhere: they are shown as one blank.
        let text = String(excerpt.text.map { $0 == "\t" ? " " : $0 }).terminalSafe
        let indent = excerpt.text.unicodeScalars.prefix(excerpt.caret).reduce(0) { $0 + $1.columns }
        let room = max(excerpt.text.unicodeScalars.count - excerpt.caret, 1)
        let length = max(min(excerpt.length, room), 1)
        let underlined = excerpt.text.unicodeScalars.dropFirst(excerpt.caret).prefix(length).reduce(0) {
            $0 + $1.columns
        }
        let caret = "^" + String(repeating: "~", count: max(underlined - 1, 0))
        return [
            style(.dim, "\(shown) | ") + text,
            style(.dim, "\(gutter) | ") + String(repeating: " ", count: indent) + style(.boldRed, caret),
        ]
    }
}
