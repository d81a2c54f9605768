package import OpenMarket

/// Diagnostics as SARIF 2.1.0, which code hosts show at their lines in a pull request.
package struct SARIFReport {
    private let diagnostics: [Diagnostic]
    /// The manifest for results without a position, which would not be shown otherwise.
    private let manifest: String
    /// The base of relative paths.
    private let folder: String
    private let version: String

    /// `version` is the tool's.
    package init(diagnostics: [Diagnostic], manifest: String, folder: String, version: String) {
        self.diagnostics = diagnostics
        self.manifest = manifest
        self.folder = folder
        self.version = version
    }

    package var document: JSONValue {
        let codes = Diagnostic.Code.allCases.filter { code in diagnostics.contains { $0.code == code } }
        return .object(
            of: (
                "$schema",
                .string("https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json")
            ),
            ("version", .string("2.1.0")),
            (
                "runs",
                .array([
                    .object(
                        of: ("tool", .object(of: ("driver", driver(codes)))),
                        // Columns count Unicode scalars.
                        ("columnKind", .string("unicodeCodePoints")),
                        ("results", .array(diagnostics.map { result($0, codes) }))
                    )
                ])
            )
        )
    }

    private func driver(_ codes: [Diagnostic.Code]) -> JSONValue {
        .object(
            of: ("name", .string("openmarket")),
            ("semanticVersion", .string(version)),
            (
                "rules",
                .array(
                    codes.map { code in
                        .object(
                            of: ("id", .string(code.name)),
                            ("shortDescription", message(code.summary))
                        )
                    }
                )
            )
        )
    }

    private func result(_ diagnostic: Diagnostic, _ codes: [Diagnostic.Code]) -> JSONValue {
        let text = diagnostic.message + (diagnostic.help.map { "\n\($0)" } ?? "")
        let logical =
            diagnostic.path.isEmpty
            ? nil : JSONValue.array([.object(of: ("fullyQualifiedName", .string(diagnostic.path)))])
        return .object(
            of: ("ruleId", .string(diagnostic.code.name)),
            ("ruleIndex", codes.firstIndex(of: diagnostic.code).map { .integer($0) }),
            ("level", .string(diagnostic.severity.rawValue)),
            ("message", message(text)),
            (
                "locations",
                .array([
                    .object(
                        of: (
                            "physicalLocation",
                            place(
                                diagnostic.location ?? SourceLocation(file: manifest),
                                length: diagnostic.excerpt?.length
                            )
                        ),
                        ("logicalLocations", logical)
                    )
                ])
            ),
            (
                "relatedLocations",
                diagnostic.notes.isEmpty
                    ? nil
                    : .array(
                        diagnostic.notes.enumerated().map { index, note in
                            .object(
                                of: ("id", .integer(index)),
                                ("message", message(note.message)),
                                ("physicalLocation", note.location.map { place($0, length: nil) })
                            )
                        }
                    )
            ),
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
