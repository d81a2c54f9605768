package import OpenMarket

extension RunStatus {
    package func document(of scope: MarketScope) -> JSONValue {
        .object([JSONValue.Member("format_version", .formatVersion)] + members(scope))
    }

    package func event(of scope: MarketScope) -> JSONValue { JSONValue.object(members(scope)).withType("status") }

    private func members(_ scope: MarketScope) -> [JSONValue.Member] {
        let market = JSONValue.object(
            of: ("url", .string(scope.url)),
            ("profile", .string(scope.name)),
            ("parameters", scope.parameters.isEmpty ? nil : scope.parameters.document)
        )
        let head = JSONValue.object(of: ("market", market), ("under_way", .bool(isUnderWay)))
        return (head.members ?? []) + (run?.members ?? [])
    }

    private var isUnderWay: Bool { if case .underWay = self { true } else { false } }

    private var run: JSONValue? {
        switch self {
        case .none: nil
        case .underWay(let run, let pace):
            .object(
                of: ("run", .string(run.record.id.rawValue)),
                ("manifest", run.record.manifest.map { .object(of: ("sha256", $0.document)) }),
                ("started_at", .string(run.startedAt.iso8601)),
                ("seen_at", .string(run.now.iso8601)),
                ("stop_reason", run.stop.map(JSONValue.string)),
                ("operation_count", .integer(run.operations)),
                ("totals", JSONValue(run.totals)),
                ("per_second", pace.flatMap { JSONValue(tenths: $0.perSecond) }),
                ("left_ms", pace?.left.map { .integer(Int64($0 / .milliseconds(1))) }),
                ("sessions", .array(run.participants.map { JSONValue($0) }))
            )
        case .ended(let run):
            .object(
                of: ("run", .string(run.record.id.rawValue)),
                ("manifest", run.record.manifest.map { .object(of: ("sha256", $0.document)) }),
                ("started_at", .string(run.startedAt.iso8601)),
                ("finished_at", run.finishedAt.map { .string($0.iso8601) }),
                ("interrupted", .bool(run.interrupted)),
                ("operation_count", .integer(run.operations)),
                ("totals", run.finishedAt == nil ? nil : JSONValue(run.totals)),
                ("unresolved", .integer(run.unresolved))
            )
        }
    }
}

extension JSONValue {
    /// A number to one decimal place; `nil` if it is too large.
    fileprivate init?(tenths number: Double) {
        guard let tenths = Int64(exactly: (number * 10).rounded()),
            let decimal = ExactDecimal(significand: tenths, scale: 1)
        else { return nil }
        self = .number(decimal)
    }

    fileprivate init(_ session: RunUnderWay.Participant) {
        self = .object(
            of: ("session", .integer(session.session)),
            ("host", .string(session.host)),
            ("process", .integer(session.process)),
            ("command", .string(session.command)),
            ("started_at", .string(session.since.iso8601)),
            ("ended_at", session.endedAt.map { .string($0.iso8601) })
        )
    }
}
