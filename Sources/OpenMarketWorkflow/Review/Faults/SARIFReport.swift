package import OpenMarket

/// Diagnostics as SARIF 2.1.0, which code hosts show at their lines in a pull request.
package struct SARIFReport {
    /// The base of relative paths.
    private let folder: String
    /// The manifest for results without a position, which would not be shown otherwise.
    private let manifest: String

    /// `version` is the tool's.
    package static func document(
        _ diagnostics: [Diagnostic],
        manifest: String,
        folder: String,
        version: String
    ) -> JSONValue {
        let report = SARIFReport(folder: folder, manifest: manifest)
        let codes = Diagnostic.Code.allCases.filter { code in diagnostics.contains { $0.code == code } }
        let rules = codes.map { code in
            JSONValue.object(of: ("id", .string(code.name)), ("shortDescription", report.message(code.summary)))
        }
        let driver = JSONValue.object(
            of: ("name", .string("openmarket")),
            ("semanticVersion", .string(version)),
            ("rules", .array(rules))
        )
        let run = JSONValue.object(
            of: ("tool", .object(of: ("driver", driver))),
            // Columns count Unicode scalars.
            ("columnKind", .string("unicodeCodePoints")),
            ("results", .array(diagnostics.map { report.result($0, codes) }))
        )
        let schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
        return .object(of: ("$schema", .string(schema)), ("version", .string("2.1.0")), ("runs", .array([run])))
    }

    private func result(_ diagnostic: Diagnostic, _ codes: [Diagnostic.Code]) -> JSONValue {
        let text = diagnostic.message + (diagnostic.help.map { "\n\($0)" } ?? "")
        let logical =
            diagnostic.path.isEmpty
            ? nil : JSONValue.array([.object(of: ("fullyQualifiedName", .string(diagnostic.path)))])
        let location = place(diagnostic.location ?? SourceLocation(file: manifest), length: diagnostic.excerpt?.length)
        let related = diagnostic.notes.enumerated().map { index, note in
            JSONValue.object(
                of: ("id", .integer(index)),
                ("message", message(note.message)),
                ("physicalLocation", note.location.map { place($0, length: nil) })
            )
        }
        return .object(
            of: ("ruleId", .string(diagnostic.code.name)),
            ("ruleIndex", codes.firstIndex(of: diagnostic.code).map { .integer($0) }),
            ("level", .string(diagnostic.severity.rawValue)),
            ("message", message(text)),
            ("locations", .array([.object(of: ("physicalLocation", location), ("logicalLocations", logical))])),
            ("relatedLocations", related.isEmpty ? nil : .array(related)),
            ("occurrenceCount", diagnostic.count == 1 ? nil : .integer(diagnostic.count))
        )
    }

    private func message(_ text: String) -> JSONValue { .object(of: ("text", .string(text))) }

    private func place(_ location: SourceLocation, length: Int?) -> JSONValue {
        let line = location.position?.line ?? 1
        let column = location.position?.column
        return .object(
            of: ("artifactLocation", artifact(location.file)),
            (
                "region",
                .object(
                    of: ("startLine", .integer(line)),
                    ("startColumn", column.map { .integer($0) }),
                    ("endColumn", column.flatMap { start in length.map { .integer(Int(start) + $0) } })
                )
            )
        )
    }

    /// A file below the folder by its relative path, which the code host finds in the repository; others by a URL.
    private func artifact(_ file: String) -> JSONValue {
        let base = folder.hasSuffix("/") ? folder : folder + "/"
        var path = file
        if path.hasPrefix(base) { path.removeFirst(base.count) }
        while path.hasPrefix("./") { path.removeFirst(2) }
        let uri = path.percentEncoded { $0.isUnreserved || $0 == UInt8(ascii: "/") }
        guard !path.hasPrefix("/") else { return .object(of: ("uri", .string("file://" + uri))) }
        return .object(of: ("uri", .string(uri)), ("uriBaseId", .string("%SRCROOT%")))
    }
}
