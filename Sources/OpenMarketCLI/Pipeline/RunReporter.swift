import OpenMarket
import OpenMarketApply
import Synchronization

/// Tells what a run does while it does it: a progress bar for people, NDJSON for programs.
final class RunReporter: Sendable {
    private let console: Console
    private let isJSON: Bool
    private let progress: ProgressReporter
    /// One line at a time: events come from many tasks.
    private let lines = Mutex(())

    init(total: Int, isJSON: Bool, console: Console) {
        self.console = console
        self.isJSON = isJSON
        progress = ProgressReporter("Applying", unit: "operations", total: total, console: console)
    }

    /// The first lines of NDJSON: the format's version, then the plan's counts.
    func begin(_ run: RunID, summary: PlanSummary) {
        guard isJSON else { return }
        emit(
            .object(
                of: ("type", .string("version")),
                ("format_version", .formatVersion),
                ("tool", .string("openmarket \(toolVersion)"))
            )
        )
        emit(.object(of: ("type", .string("planned")), ("run", .string(run.rawValue)), ("summary", JSONValue(summary))))
    }

    func handle(_ event: ExecutionEvent) {
        if isJSON { emit(JSONValue(event)) }
        switch event {
        case .started, .settled: break
        case .finished(let result):
            // What was not started is no progress.
            guard result.status != .skipped else { break }
            progress.advance()
            if result.status != .done { complain(result) }
        case .retrying(_, let key, let step, let attempt, let pause, let reason):
            console.note(
                "\(key.terminalSafe): \(step.rawValue) again (\(attempt)) in \(Self.seconds(pause)): \(reason.terminalSafe)"
            )
        case .slowed(let width, let pause):
            let wait = pause.map { ", after \(Self.seconds($0))" } ?? ""
            console.note("The market asks for less: \(counted(width, "request")) at once\(wait)")
        case .settling(let count):
            console.note("Looking for \(counted(count, "create")) whose reply was lost")
        }
    }

    /// The last line of NDJSON where there was nothing to do.
    func endWithoutWork(_ run: RunID) {
        guard isJSON else { return }
        emit(JSONValue.result(of: run, totals: RunTotals(), endedBy: nil, operations: []).withType("summary"))
    }

    /// The last line of NDJSON, or the closing line for people.
    func end(_ result: RunResult) throws {
        progress.finish()
        if isJSON {
            emit(JSONValue(result).withType("summary"))
        } else {
            try console.write(Self.closing(result, style: console.outputStyle))
        }
    }

    private func complain(_ result: OperationResult) {
        let place = result.source.map { "\($0): " } ?? ""
        let status = console.errorStyle(.boldRed, "\(result.status.rawValue): ")
        let words = "\(result.action.rawValue) of '\(result.key)': \(result.error ?? "no reason given")"
        console.complain(status + (place + words).terminalSafe)
    }

    private func emit(_ value: JSONValue) {
        lines.withLock { _ in
            // A full disk behind stdout is no reason to stop halfway; the result file and the journal have it all.
            try? console.write(value.bytes() + Array("\n".utf8))
        }
    }

    static func closing(_ result: RunResult, style: Style) -> String {
        let done = Dictionary(grouping: result.operations.filter { $0.status == .done }, by: \.action).mapValues(
            \.count
        )
        var parts = [
            "\(done[.create] ?? 0) added", "\(done[.update] ?? 0) changed", "\(done[.replace] ?? 0) replaced",
            "\(done[.delete] ?? 0) destroyed",
        ]
        if let adopted = done[.adopt] { parts.append("\(adopted) adopted") }
        if let forgotten = done[.forget] { parts.append("\(forgotten) forgotten") }
        let troubles = result.totals.troubles(style)
        parts += troubles
        let head = troubles.isEmpty ? style(.boldGreen, "Apply complete: ") : style(.boldYellow, "Apply ended: ")
        return head + parts.joined(separator: ", ") + ".\n"
    }

    private static func seconds(_ duration: Duration) -> String {
        let milliseconds = duration / .milliseconds(1)
        return milliseconds < 1000 ? "\(Int(milliseconds)) ms" : "\(Double(Int(milliseconds / 100)) / 10) s"
    }
}

extension JSONValue {
    /// An event of a run, one line of NDJSON.
    ///
    /// Readers ignore types they do not know.
    init(_ event: ExecutionEvent) {
        self =
            switch event {
            case .started(let sequence, let operation):
                .object(
                    of: ("type", .string("started")),
                    ("sequence", .integer(sequence)),
                    ("key", .string(operation.key)),
                    ("action", .string(operation.action.rawValue)),
                    ("id", operation.id.map { .integer($0.rawValue) })
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
                    ("id", verdict.product.map { .integer($0.rawValue) })
                )
            }
    }

    init(_ result: OperationResult) {
        self = .object(
            of: ("sequence", .integer(result.sequence)),
            ("key", .string(result.key)),
            ("action", .string(result.action.rawValue)),
            ("status", .string(result.status.rawValue)),
            ("id", result.id.map { .integer($0.rawValue) }),
            ("error", result.error.map(JSONValue.string)),
            ("source", result.source.map { JSONValue($0) })
        )
    }

    /// The result file of a run.
    init(_ result: RunResult) {
        self = .result(
            of: result.run,
            totals: result.totals,
            endedBy: result.endedBy,
            operations: result.operations
        )
    }

    fileprivate static func result(
        of run: RunID,
        totals: RunTotals,
        endedBy: StopReason?,
        operations: [OperationResult]
    ) -> JSONValue {
        .object(
            of: ("format_version", .formatVersion),
            ("run", .string(run.rawValue)),
            ("totals", JSONValue(totals)),
            ("ended_by", endedBy.map { .string($0.name) }),
            ("operations", .array(operations.map { JSONValue($0) }))
        )
    }

    /// The object with its type as the first member.
    fileprivate func withType(_ type: String) -> JSONValue {
        .object([Member("type", .string(type))] + (members ?? []))
    }
}

extension SettlementVerdict {
    fileprivate var name: String {
        switch self {
        case .happened: "happened"
        case .neverHappened: "never_happened"
        case .undecided: "undecided"
        }
    }

    fileprivate var product: ProductID? {
        if case .happened(let product, _) = self { product.id } else { nil }
    }
}

extension StopReason {
    fileprivate var name: String {
        switch self {
        case .interrupted: "interrupted"
        case .marketUnreachable: "market_unreachable"
        case .credentials: "credentials"
        }
    }
}
