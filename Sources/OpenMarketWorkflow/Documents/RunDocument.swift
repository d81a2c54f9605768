package import OpenMarket

extension JSONValue {
    /// Converts an event of a run to one line of NDJSON.
    ///
    /// Readers ignore unknown types.
    init(_ event: ExecutionEvent) {
        self =
            switch event {
            case .started(let sequence, let operation):
                .object(
                    of: ("type", .string("started")),
                    ("sequence", .integer(sequence)),
                    ("key", .string(operation.key)),
                    ("action", .string(operation.action.rawValue)),
                    ("id", operation.id.map(JSONValue.init(_:)))
                )
            case .finished(let result):
                JSONValue(result).withType("finished")
            case .retrying(let sequence, let key, let step, let attempt, let pause, let reason):
                .object(
                    of: ("type", .string("retrying")),
                    ("sequence", .integer(sequence)),
                    ("key", .string(key)),
                    ("step", .string(step.rawValue)),
                    ("attempt", .integer(attempt)),
                    ("after_ms", .integer(Int64(pause / .milliseconds(1)))),
                    ("reason", .string(reason))
                )
            case .slowed(let width, let pause):
                .object(
                    of: ("type", .string("slowed")),
                    ("parallelism", .integer(width)),
                    ("pause_ms", pause.map { .integer(Int64($0 / .milliseconds(1))) })
                )
            case .settling(let count):
                .object(of: ("type", .string("settling")), ("count", .integer(count)))
            case .settled(let sequence, let key, let verdict):
                .object(
                    of: ("type", .string("settled")),
                    ("sequence", .integer(sequence)),
                    ("key", .string(key)),
                    ("verdict", .string(verdict.name)),
                    ("id", verdict.product.map(JSONValue.init(_:)))
                )
            }
    }

    init(_ result: OperationResult) {
        self = .object(
            of: ("sequence", .integer(result.sequence)),
            ("key", .string(result.key)),
            ("renamed_from", result.renamedFrom.map(JSONValue.string)),
            ("action", .string(result.action.rawValue)),
            ("status", .string(result.status.rawValue)),
            ("id", result.id.map(JSONValue.init(_:))),
            (result.status == .done ? "note" : "error", result.error.map(JSONValue.string)),
            ("source", result.source.map { JSONValue($0) })
        )
    }

    package init(_ result: RunResult) {
        self = .object(
            of: ("format_version", .formatVersion),
            ("run", .string(result.run.rawValue)),
            ("totals", JSONValue(result.totals)),
            ("ended_by", result.endedBy.map { .string($0.name) }),
            ("decisions", result.decisions.map { JSONValue($0) }),
            ("operations", .array(result.operations.map { JSONValue($0) }))
        )
    }

    /// Writes the result file of a run in pieces, so that memory holds only a part.
    static func write(_ result: RunResult, to write: ([UInt8]) throws -> Void) throws {
        var empty = result
        empty.operations = []
        let frame = JSONValue(empty)
        var writer = JSONWriter(pretty: true)
        try writer.object { writer in
            for member in frame.members ?? [] {
                guard member.name == "operations" else {
                    writer.member(member.name, member.value)
                    continue
                }
                writer.name(member.name)
                try writer.array { writer in
                    for operation in result.operations {
                        writer.value(JSONValue(operation))
                        if writer.bytes.count >= 64 << 10 { try write(writer.take()) }
                    }
                }
            }
        }
        try write(writer.take() + Array("\n".utf8))
    }

    /// The object with its type as the first member.
    package func withType(_ type: String) -> JSONValue {
        .object([Member("type", .string(type))] + (members ?? []))
    }
}

extension SettlementVerdict {
    fileprivate var name: String {
        switch self {
        case .happened: "happened"
        case .neverHappened: "never_happened"
        case .unresolved: "unresolved"
        }
    }

    fileprivate var product: MarketID? {
        if case .happened(let product, _) = self { product.id } else { nil }
    }
}

extension StopReason {
    fileprivate var name: String {
        switch self {
        case .interrupted: "interrupted"
        case .marketUnreachable: "market_unreachable"
        case .credentials: "credentials"
        case .identity: "vendor_contradicted"
        case .loss: "fields_lost"
        case .ordered: "ordered"
        }
    }
}
