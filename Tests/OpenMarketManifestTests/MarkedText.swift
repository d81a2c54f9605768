@testable import OpenMarket
@testable import OpenMarketManifest
import Testing

/// A fault at a marker of the test's text.
struct Fault: Equatable, CustomStringConvertible {
    var severity: Diagnostic.Severity
    /// The marker, or the location where the text has none.
    var place: String
    var message: String
    var path: String
    var help: String?
    /// Each as `marker: message`.
    var notes: [String]

    init(
        _ place: String,
        _ message: String,
        path: String = "",
        help: String? = nil,
        notes: [String] = [],
        severity: Diagnostic.Severity = .error
    ) {
        self.severity = severity
        self.place = place
        self.message = message
        self.path = path
        self.help = help
        self.notes = notes
    }

    static func warning(
        _ place: String,
        _ message: String,
        path: String = "",
        help: String? = nil,
        notes: [String] = []
    ) -> Fault {
        Fault(place, message, path: path, help: help, notes: notes, severity: .warning)
    }

    var description: String {
        "\n\(severity) \(place) \(message) [\(path)]" + (help.map { " help: \($0)" } ?? "")
            + notes.map { " note: \($0)" }.joined()
    }
}

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

    func faults(_ diagnostics: [Diagnostic]) -> [Fault] {
        diagnostics.map { diagnostic in
            Fault(
                name(of: diagnostic.location),
                diagnostic.message,
                path: diagnostic.path,
                help: diagnostic.help,
                notes: diagnostic.notes.map { "\(name(of: $0.location)): \($0.message)" },
                severity: diagnostic.severity
            )
        }
    }
}

/// Reads a manifest and compares all its faults with those expected, unexpected ones included.
@discardableResult
func expectFaults(
    _ marked: String,
    _ expected: [Fault] = [],
    options: ManifestOptions = ManifestOptions(environment: ["OPENMARKET_SECRET": "s", "OPENMARKET_IDENTIFIER": "i"]),
    folder: String = ".",
    sourceLocation: Testing.SourceLocation = #_sourceLocation
) -> LoadedManifest {
    let text = MarkedText(marked)
    let loaded = ManifestLoader(options: options).decode(Array(text.text.utf8), name: "m.yaml", folder: folder)
    let faults = text.faults(loaded.diagnostics)
    #expect(faults == expected, sourceLocation: sourceLocation)
    #expect(loaded.hasErrors == expected.contains { $0.severity == .error }, sourceLocation: sourceLocation)
    return loaded
}
