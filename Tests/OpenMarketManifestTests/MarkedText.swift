@testable import OpenMarket
@testable import OpenMarketManifest
import Testing

/// A text with markers ①…⑳ where faults are expected.
struct MarkedText {
    var text = ""
    private var markers: [SourcePosition: String] = [:]

    init(_ marked: String) {
        var line: UInt32 = 1
        var column: UInt32 = 1
        for scalar in marked.unicodeScalars {
            if ("\u{2460}"..."\u{2473}").contains(scalar) {
                markers[SourcePosition(line: line, column: column)] = String(Character(scalar))
                continue
            }
            text.unicodeScalars.append(scalar)
            column += 1
            if scalar == "\n" {
                line += 1
                column = 1
            }
        }
    }

    func name(of location: OpenMarket.SourceLocation?) -> String {
        guard let location else { return "-" }
        return location.position.flatMap { markers[$0] } ?? location.description
    }

    /// Faults and warnings as text, each at its marker.
    func report(_ diagnostics: [Diagnostic]) -> String {
        diagnostics.map { diagnostic in
            let warning = diagnostic.severity == .warning ? " warning:" : ""
            let path = diagnostic.path.isEmpty ? "" : " [\(diagnostic.path)]"
            let help = diagnostic.help.map { "\n  help: \($0)" } ?? ""
            let notes = diagnostic.notes.map { "\n  note: \(name(of: $0.location)): \($0.message)" }.joined()
            return "\(name(of: diagnostic.location))\(warning)\(path) \(diagnostic.message)\(help)\(notes)"
        }.joined(separator: "\n")
    }
}

/// Reads a manifest and compares the report of all its faults with the one expected.
@discardableResult
func expectFaults(
    _ marked: String,
    _ expected: String = "",
    options: ManifestOptions = ManifestOptions(environment: ["OPENMARKET_SECRET": "s", "OPENMARKET_IDENTIFIER": "i"]),
    folder: String = ".",
    sourceLocation: Testing.SourceLocation = #_sourceLocation
) -> LoadedManifest {
    let text = MarkedText(marked)
    let loaded = ManifestLoader(options: options).decode(Array(text.text.utf8), name: "m.yaml", folder: folder)
    #expect(text.report(loaded.diagnostics) == expected, sourceLocation: sourceLocation)
    return loaded
}
