import OpenMarket
import OpenMarketApply
import OpenMarketReview
import OpenMarketWorkflow
import Synchronization

/// Reports what a session does while it does it: progress bars and notes for people, NDJSON for programs.
final class SessionReporter: Sendable {
    /// Whether stdout is NDJSON.
    let isJSON: Bool
    private let console: Console
    private let progress = Mutex<ProgressReporter?>(nil)
    /// One line at a time: events come from many tasks.
    private let lines = Mutex(())
    /// The rows that an export has written.
    private let rows = Mutex(0)

    /// An export says how far it is as often as so many rows are there.
    private static let rowsPerEvent = 1000

    init(isJSON: Bool, console: Console) {
        self.console = console
        self.isJSON = isJSON
    }

    /// How many products there will be, as far as the market says.
    func expect(_ total: Int) { progress.withLock { $0 }?.advance(by: 0, total: total) }

    func handle(_ event: SessionEvent) {
        switch event {
        case .began(let phase):
            if phase == .export { beginExport() }
            show(ProgressReporter(phase.label, unit: "products", console: console))
        case .advanced(let phase, let count, let total):
            if phase == .export { advanceExport(by: count) }
            progress.withLock { $0 }?.advance(by: count, total: total)
        case .ended:
            show(nil)
        case .unmatchedPattern(let pattern):
            console.note("warning: \(SessionError.unmatchedKey(pattern))".terminalSafe)
        case .settled(let item):
            console.note(
                "Run \(item.operation.run): \(item.operation.operation.action.rawValue) of "
                    + "'\(item.operation.operation.key.terminalSafe)': \(item.outcome.terminalSafe)"
            )
        case .runBegan(let run, let operations, let summary):
            begin(run, summary: summary)
            show(ProgressReporter("Applying", unit: "operations", total: operations, console: console))
        case .runJoined(let run, let operations):
            join(run, operations: operations)
            show(ProgressReporter("Working", unit: "operations", console: console))
        case .execution(let event):
            handle(event)
        case .nothingToDo(let run):
            endWithoutWork(run)
        case .possibleLimit(let rows):
            console.complain(
                "warning: the market's only page has \(rows) products, which looks like a limit: others may be missing"
            )
        case .problem(let problem):
            if isJSON {
                emit(problem.event)
            }
            console.note(
                "warning: the market's \(problem.place) cannot be read in whole: \(problem.message)".terminalSafe
            )
        }
    }

    /// Puts a progress bar in the place of the one that is shown.
    private func show(_ next: ProgressReporter?) {
        let last = progress.withLock { bar in
            defer { bar = next }
            return bar
        }
        last?.finish()
    }

    /// The first lines of NDJSON: the format's version, then the plan's counts.
    private func begin(_ run: RunID, summary: PlanSummary) {
        guard isJSON else { return }
        emitVersion()
        emit(summary.event(of: run))
    }

    /// The first lines of NDJSON of a part of a run.
    private func join(_ run: RunID, operations: Int) {
        guard isJSON else { return }
        emitVersion()
        emit(
            .object(
                of: ("type", .string("joined")),
                ("run", .string(run.rawValue)),
                ("operation_count", .integer(operations))
            )
        )
    }

    /// The line that every stream of NDJSON begins with.
    func emitVersion() {
        emit(.versionEvent(tool: toolVersion))
    }

    private func beginExport() {
        guard isJSON else { return }
        emitVersion()
    }

    private func advanceExport(by count: Int) {
        guard isJSON else { return }
        let (before, now) = rows.withLock { rows in
            defer { rows += count }
            return (rows, rows + count)
        }
        guard before / Self.rowsPerEvent != now / Self.rowsPerEvent else { return }
        emit(.progressEvent(rows: now))
    }

    private func handle(_ event: ExecutionEvent) {
        if isJSON { emit(JSONValue(event)) }
        switch event {
        case .started, .settled: break
        case .finished(let result):
            // What was not started is not progress.
            guard result.status != .skipped else { break }
            progress.withLock { $0 }?.advance()
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
    private func endWithoutWork(_ run: RunID) {
        guard isJSON else { return }
        emit(JSONValue.result(of: run, totals: RunTotals(), endedBy: nil, operations: []).withType("summary"))
    }

    /// The last line of NDJSON, or the closing line for people.
    ///
    /// - Parameters:
    ///   - result: how the operations ended.
    ///   - command: what carried them out.
    /// - Throws: what writing throws.
    func end(_ result: RunResult, of command: String = "Apply") throws {
        show(nil)
        if isJSON {
            emit(JSONValue(result).withType("summary"))
        } else {
            try console.write(RunClosingText(of: command, style: console.outputStyle).render(result))
        }
    }

    /// The last line of NDJSON of an export.
    func end(_ certificate: ExportCertificate) {
        if isJSON { emit(certificate.document.withType("summary")) }
    }

    private func complain(_ result: OperationResult) {
        let place = result.source.map { "\($0): " } ?? ""
        let status = console.errorStyle(.boldRed, "\(result.status.rawValue): ")
        let words = "\(result.action.rawValue) of '\(result.key)': \(result.error ?? "no reason given")"
        console.complain(status + (place + words).terminalSafe)
    }

    private func emit(_ value: JSONValue) {
        lines.withLock { _ in
            // A full disk behind stdout does not stop a run halfway; the result file and the journal have it all.
            try? console.write(document: value, pretty: false)
        }
    }

    private static func seconds(_ duration: Duration) -> String {
        let milliseconds = duration / .milliseconds(1)
        return milliseconds < 1000 ? "\(Int(milliseconds)) ms" : "\(Double(Int(milliseconds / 100)) / 10) s"
    }
}

extension SessionEvent.Phase {
    fileprivate var label: String {
        switch self {
        case .catalog: "Reading the catalog"
        case .details: "Reading details"
        case .export: "Exporting"
        }
    }
}
