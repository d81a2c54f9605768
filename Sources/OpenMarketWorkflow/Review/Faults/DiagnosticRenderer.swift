package import OpenMarket

/// Renders diagnostics in the form that editors parse: `file:line:column: error: …`, the line, and a caret.
package struct DiagnosticRenderer {
    private let style: Style

    package init(style: Style) { self.style = style }

    /// Above this number, diagnostics of the same kind are reported together.
    private static let fewDiagnostics = 20
    /// Up to this number, diagnostics of one kind are always reported one by one.
    private static let fewOfAKind = 3

    /// Renders diagnostics as texts to print in order.
    ///
    /// If there are many, it renders one of each kind, with the number and first positions of the others; `all` renders
    /// each separately.
    package func render(_ diagnostics: [Diagnostic], all: Bool) -> [(severity: Diagnostic.Severity, text: String)] {
        let kinds = Dictionary(grouping: diagnostics, by: Kind.init)
        let areMany = diagnostics.count > Self.fewDiagnostics && kinds.values.contains { $0.count > Self.fewOfAKind }
        guard !all, areMany else { return diagnostics.map { ($0.severity, render($0)) } }
        var reported: Set<Kind> = []
        let texts = diagnostics.compactMap { diagnostic -> (severity: Diagnostic.Severity, text: String)? in
            let kind = Kind(diagnostic)
            guard let ofKind = kinds[kind], ofKind.count > Self.fewOfAKind else {
                return (diagnostic.severity, render(diagnostic))
            }
            guard reported.insert(kind).inserted else { return nil }
            return (diagnostic.severity, render(diagnostic) + "\n" + rest(ofKind))
        }
        return texts + [(.warning, style(.dim, "Of many faults of a kind the first is shown; --all lists every one."))]
    }

    /// The common part of diagnostics that are the same fault at different positions.
    private struct Kind: Hashable {
        var severity: Diagnostic.Severity
        var code: Diagnostic.Code
        /// The path without the numbers of products and items.
        var path: String

        init(_ diagnostic: Diagnostic) {
            severity = diagnostic.severity
            code = diagnostic.code
            path = diagnostic.path.filter { !$0.isNumber }
        }
    }

    /// The line for all but the first diagnostic of a kind, with their number and the next positions.
    private func rest(_ ofKind: [Diagnostic]) -> String {
        let others = ofKind.dropFirst()
        let count = others.reduce(0) { $0 + $1.count }
        let places = others.prefix(3).compactMap(\.location).map(\.description.terminalSafe)
        let list = places.isEmpty ? "" : ": " + places.joined(separator: ", ") + (count > places.count ? ", …" : "")
        return style(.cyan, "  and ") + "\(count) more like it" + list
    }

    func render(_ diagnostic: Diagnostic) -> String {
        var lines: [String] = []
        let place = diagnostic.location.map { style(.bold, "\($0.description.terminalSafe): ") } ?? ""
        let severity =
            switch diagnostic.severity {
            case .error: style(.boldRed, "error: ")
            case .warning: style(.boldYellow, "warning: ")
            }
        lines.append(place + severity + style(.bold, diagnostic.message.terminalSafe))
        if let excerpt = diagnostic.excerpt {
            lines += frame(excerpt, position: diagnostic.location?.position)
        }
        if !diagnostic.path.isEmpty { lines.append(style(.dim, "  in ") + diagnostic.path.terminalSafe) }
        if let help = diagnostic.help { lines.append(style(.cyan, "  help: ") + help.terminalSafe) }
        for note in diagnostic.notes {
            let place = note.location.map { "\($0.description.terminalSafe): " } ?? ""
            lines.append(style(.cyan, "  note: ") + place + note.message.terminalSafe)
        }
        return lines.joined(separator: "\n")
    }

    private func frame(_ excerpt: SourceExcerpt, position: SourcePosition?) -> [String] {
        let number = position.map { String($0.line) } ?? ""
        let gutter = String(repeating: " ", count: max(number.count, 4))
        let shown = String(repeating: " ", count: gutter.count - number.count) + number
        // Tabs would misplace the caret, so each is shown as one blank.
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
