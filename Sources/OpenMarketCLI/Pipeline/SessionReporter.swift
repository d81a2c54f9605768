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
        if isJSON { emit(event) }
        switch event {
        case .began(let phase): show(ProgressReporter(phase.label, unit: "products", console: console))
        case .advanced(_, let count, let total): progress.withLock { $0 }?.advance(by: count, total: total)
        case .ended: show(nil)
        case .runBegan(_, let operations, _):
            show(ProgressReporter("Applying", unit: "operations", total: operations, console: console))
        case .runJoined: show(ProgressReporter("Working", unit: "operations", console: console))
        // What was not started is not progress.
        case .execution(.finished(let result)) where result.status != .skipped: progress.withLock { $0 }?.advance()
        case .execution, .settled, .unmatchedPattern, .nothingToDo, .problem, .possibleLimit: break
        }
        switch SessionEventText(style: console.errorStyle).line(event) {
        case .note(let line)?: console.note(line)
        case .complaint(let line)?: console.complain(line)
        case nil: break
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

    /// The lines of NDJSON for an event, if any.
    private func emit(_ event: SessionEvent) {
        switch event {
        case .began(.export): emitVersion()
        case .advanced(.export, let count, _): emitProgress(count)
        case .runBegan(let run, _, let summary):
            emitVersion()
            emit(summary.event(of: run))
        case .runJoined(let run, let operations):
            emitVersion()
            emit(.joinedEvent(run, operations: operations))
        case .execution(let event): emit(JSONValue(event))
        case .nothingToDo(let run): emit(.emptySummary(of: run))
        case .problem(let problem): emit(problem.event)
        case .began, .advanced, .ended, .unmatchedPattern, .settled, .possibleLimit: break
        }
    }

    /// The line that every stream of NDJSON begins with.
    func emitVersion() {
        emit(.versionEvent(tool: toolVersion))
    }

    private func emitProgress(_ count: Int) {
        let (before, now) = rows.withLock { rows in
            defer { rows += count }
            return (rows, rows + count)
        }
        guard before / Self.rowsPerEvent != now / Self.rowsPerEvent else { return }
        emit(.progressEvent(rows: now))
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

    private func emit(_ value: JSONValue) {
        lines.withLock { _ in
            // A full disk behind stdout does not stop a run halfway; the result file and the journal have it all.
            try? console.write(document: value, pretty: false)
        }
    }
}
