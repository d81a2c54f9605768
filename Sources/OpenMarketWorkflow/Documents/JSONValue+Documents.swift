package import OpenMarket

/// How the core's values are written in the JSON that scripts read. Fields without a value are left out.
extension JSONValue {
    /// The version of every JSON document that the tool writes.
    package static let formatVersion = JSONValue.integer(1)

    /// An object of the members that have a value.
    package static func object(of members: (String, JSONValue?)...) -> JSONValue {
        .object(members.compactMap { name, value in value.map { Member(name, $0) } })
    }

    package static func integer(_ value: some BinaryInteger) -> JSONValue {
        .number(ExactDecimal(Int64(clamping: value)))
    }

    package init(_ location: SourceLocation) {
        self = .object(
            of: ("file", .string(location.file)),
            ("line", location.position.map { .integer($0.line) }),
            ("column", location.position.map { .integer($0.column) })
        )
    }

    package init(_ diagnostic: Diagnostic) {
        self = .object(
            of: ("severity", .string(diagnostic.severity.rawValue)),
            ("message", .string(diagnostic.message)),
            ("count", diagnostic.count == 1 ? nil : .integer(diagnostic.count)),
            ("file", diagnostic.location.map { .string($0.file) }),
            ("line", diagnostic.location?.position.map { .integer($0.line) }),
            ("column", diagnostic.location?.position.map { .integer($0.column) }),
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

    /// A field's value in JSON's own words: text, number, list; `null` for the end of a sale.
    package init(_ value: FieldValue) {
        self =
            switch value {
            case .text(let text): .string(text)
            case .number(let number): .number(number)
            case .integer(let number): .integer(number)
            case .sale(.fullPrice): .null
            case .sale(.price(let price)): .number(price)
            case .images(let images): .array(images.map { JSONValue($0) })
            case .image(let image): JSONValue(image)
            }
    }

    private init(_ picture: PictureIdentity) {
        self =
            switch picture {
            case .digest(let digest): .string("sha256:" + digest.hexadecimal)
            case .unknown(let reference): .string(reference)
            }
    }

    package init(_ summary: PlanSummary) {
        self = .object(
            of: ("add", .integer(summary.add)),
            ("change", .integer(summary.change)),
            ("replace", .integer(summary.replace)),
            ("delete", .integer(summary.delete)),
            ("adopt", .integer(summary.adopt)),
            ("forget", .integer(summary.forget)),
            ("unchanged", .integer(summary.unchanged))
        )
    }

    package init(_ totals: RunTotals) {
        self = .object(
            of: ("done", .integer(totals.done)),
            ("failed", .integer(totals.failed)),
            ("stale", .integer(totals.stale)),
            ("skipped", .integer(totals.skipped)),
            ("unknown", .integer(totals.unknown))
        )
    }

    package init(_ change: FieldChange) {
        self = .object(
            of: ("field", .string(change.field.rawValue)),
            ("kind", .string(change.kind.rawValue)),
            ("base", change.base.map { JSONValue($0) }),
            ("live", change.live.map { JSONValue($0) }),
            ("manifest", change.manifest.map { JSONValue($0) })
        )
    }

    package init(_ operation: PlannedOperation) {
        self = .object(
            of: ("action", .string(operation.action.rawValue)),
            ("key", .string(operation.key)),
            ("id", operation.id.map { .integer($0.rawValue) }),
            ("name", operation.name.map(JSONValue.string)),
            ("reason", .string(operation.reason)),
            ("source", operation.source.map { JSONValue($0) }),
            ("changes", .array(operation.changes.map { JSONValue($0) }))
        )
    }

    package init(_ refusal: PlanRefusal, override words: (PlanOverride) -> String) {
        self = .object(
            of: ("message", .string(refusal.message)),
            ("override", refusal.override.map { .string(words($0)) }),
            ("source", refusal.source.map { JSONValue($0) })
        )
    }
}
