package import OpenMarket

/// The run under way, or else the last one.
package enum RunStatus: Hashable, Sendable {
    case none
    /// It continues; the pace is `nil` if it is unknown.
    case underWay(RunUnderWay, pace: RunPace?)
    /// It has ended, or its sessions are gone.
    case ended(RunSummary)
}

package struct RunPace: Hashable, Sendable {
    var perSecond: Double
    /// The remaining time at that pace; `nil` if no operation ended.
    var left: Duration?
}

/// Reads a market's runs repeatedly, and compares each result with earlier ones.
package struct RunWatch: Sendable {
    /// The time over which the pace is averaged, so that it neither jumps nor lags.
    private static let window = Duration.seconds(30)

    private let state: any StateReader
    private var followed: RunID?
    private var looks: [(moment: Timestamp, ended: Int)] = []

    package init(_ state: any StateReader) {
        self.state = state
    }

    /// Reads the state again; returns the run under way, and its end once it is over, even if another one began since.
    package mutating func look() async throws -> RunStatus {
        while true {
            if let run = try await state.runUnderWay(), followed ?? run.record.id == run.record.id {
                followed = run.record.id
                return .underWay(run, pace: pace(of: run))
            }
            if let followed { return try await state.run(followed).map(RunStatus.ended) ?? .none }
            guard let last = try await state.runs(limit: 1).first else { return .none }
            // An open run was killed, or began between the two queries.
            guard last.finishedAt == nil, try await state.runUnderWay()?.record.id == last.record.id else {
                return .ended(last)
            }
        }
    }

    /// Reads the state repeatedly until no run is under way.
    ///
    /// `show` receives each status; the last one is not of a run under way.
    package mutating func follow(
        every interval: Duration,
        on clock: any Clock<Duration> = ContinuousClock(),
        _ show: (RunStatus) throws -> Void
    ) async throws {
        while true {
            let status = try await look()
            try show(status)
            guard case .underWay = status else { return }
            try await clock.sleep(for: interval)
        }
    }

    /// The pace of the last readings; until there are two, the pace since the run began.
    private mutating func pace(of run: RunUnderWay) -> RunPace? {
        let ended = run.ended
        if looks.isEmpty { looks.append((run.startedAt, 0)) }
        looks.append((run.now, ended))
        while looks.count > 2, run.now - looks[1].moment >= Self.window { looks.removeFirst() }
        guard let first = looks.first, first.moment < run.now else { return nil }
        // A false outcome is corrected later, so the count may fall.
        let perSecond = Double(max(0, ended - first.ended)) / ((run.now - first.moment) / .seconds(1))
        guard perSecond > 0 else { return RunPace(perSecond: 0) }
        return RunPace(perSecond: perSecond, left: .seconds(Double(max(0, run.operations - ended)) / perSecond))
    }
}

extension RunUnderWay {
    /// The number of ended operations: neither waiting nor with an unknown outcome.
    var ended: Int { totals.done + totals.failed + totals.stale + totals.skipped }
}

extension RunStatus {
    package func document(of scope: MarketScope) -> JSONValue {
        .object([JSONValue.Member("format_version", .formatVersion)] + members(scope))
    }

    package func event(of scope: MarketScope) -> JSONValue { JSONValue.object(members(scope)).withType("status") }

    private func members(_ scope: MarketScope) -> [JSONValue.Member] {
        let head = JSONValue.object(of: ("market", JSONValue(scope)), ("under_way", .bool(isUnderWay)))
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
    /// A number to one decimal digit; `nil` if it is too large.
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
