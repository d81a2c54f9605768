/// The core's values in JSON for scripts; members without a value are left out.
extension JSONValue {
    /// The version of every JSON document that the tool writes.
    package static let formatVersion = JSONValue.integer(1)

    package init(_ diagnostic: Diagnostic) {
        self = .object(
            of: ("severity", .string(diagnostic.severity.rawValue)),
            ("code", .string(diagnostic.code.rawValue)),
            ("message", .string(diagnostic.message)),
            ("count", diagnostic.count == 1 ? nil : .integer(diagnostic.count)),
            ("file", diagnostic.location.map { .string($0.file) }),
            ("line", diagnostic.location?.position.map { .integer($0.line) }),
            (
                "column",
                diagnostic.location?.table == .row
                    ? nil : diagnostic.location?.position.map { .integer($0.column) }
            ),
            ("column_name", diagnostic.location?.table?.columnName.map(JSONValue.string)),
            ("path", diagnostic.path.isEmpty ? nil : .string(diagnostic.path)),
            ("help", diagnostic.help.map(JSONValue.string)),
            (
                "notes",
                diagnostic.notes.isEmpty
                    ? nil
                    : .array(
                        diagnostic.notes.map {
                            .object(
                                of: ("message", .string($0.message)),
                                ("location", $0.location.map { JSONValue($0) })
                            )
                        }
                    )
            )
        )
    }

    /// A market in documents, followed by further members.
    package init(_ scope: MarketScope, and more: [Member] = []) {
        let parameters = scope.parameters.isEmpty ? nil : scope.parameters.document
        let head = JSONValue.object(
            of: ("url", .string(scope.url)),
            ("profile", .string(scope.name)),
            ("parameters", parameters)
        )
        self = .object((head.members ?? []) + more)
    }
}
