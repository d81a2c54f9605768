/// The core's values in JSON for scripts; members without a value are left out.
extension JSONValue {
    /// The version of every JSON document that the tool writes.
    package static let formatVersion = JSONValue.integer(1)

    package init(_ diagnostic: Diagnostic) {
        let head = JSONValue.object(
            of: ("severity", .string(diagnostic.severity.rawValue)),
            ("code", .string(diagnostic.code.name)),
            ("message", .string(diagnostic.message)),
            ("count", diagnostic.count == 1 ? nil : .integer(diagnostic.count))
        )
        let notes = diagnostic.notes.map { note in
            JSONValue.object(
                of: ("message", .string(note.message)),
                ("location", note.location.map { JSONValue($0) })
            )
        }
        let rest = JSONValue.object(
            of: ("path", diagnostic.path.isEmpty ? nil : .string(diagnostic.path)),
            ("help", diagnostic.help.map(JSONValue.string)),
            ("notes", notes.isEmpty ? nil : .array(notes))
        )
        let parts = [head, diagnostic.location.map { JSONValue($0) }, rest]
        self = .object(parts.flatMap { $0?.members ?? [] })
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
