import OpenMarket
import OpenMarketFiles
import OpenMarketWorkflow
import Synchronization

/// Reports the events of a session: progress bars and notes for people, NDJSON for programs.
final class SessionReporter: Sendable {
    let isJSON: Bool
    private let console: Console
    private let progress = Mutex<ProgressReporter?>(nil)
    /// One line at a time, because events come from many tasks.
    private let lines = Mutex(EventLines(tool: toolVersion))
    private let namedPage = Mutex<String?>(nil)
    /// The first error of writing a line.
    private let writeError = Mutex<(any Error)?>(nil)

    init(isJSON: Bool, console: Console) {
        self.console = console
        self.isJSON = isJSON
    }

    /// The URL of the market's page for people; `nil` until a reply contained it.
    var shopPage: String? { namedPage.withLock(\.self) }

    func handle(_ event: SessionEvent) {
        if isJSON { emit { $0.lines(event) } }
        switch event {
        case .began(let phase): show(ProgressReporter(phase.label, unit: "products", console: console))
        case .advanced(_, let count, let total): progress.withLock { $0 }?.advance(by: count, total: total)
        case .ended: show(nil)
        case .runBegan(_, let operations, _):
            show(ProgressReporter("Applying", unit: "operations", total: operations, console: console))
        case .runJoined: show(ProgressReporter("Working", unit: "operations", console: console))
        // An operation that was not started is not progress.
        case .execution(.finished(let result)) where result.status != .skipped: progress.withLock { $0 }?.advance()
        case .shopPage(let address): namedPage.withLock { $0 = address }
        case .execution, .settled, .note, .nothingToDo, .problem, .possibleLimit: break
        }
        switch SessionEventText(style: console.errorStyle).line(event) {
        case .note(let line)?: console.note(line)
        case .complaint(let line)?: console.printError(line)
        case nil: break
        }
    }

    /// Reports an edit of the manifest's files; of NDJSON it becomes a line of the run.
    func handle(_ edit: (text: String, event: JSONValue)) {
        lines.withLock { $0.edited = edit.event }
        if !isJSON { console.note(edit.text) }
    }

    private func show(_ next: ProgressReporter?) {
        let last = progress.withLock { bar in
            defer { bar = next }
            return bar
        }
        last?.finish()
    }

    /// Writes the last line of NDJSON, or the closing line for people; throws if any line could not be written.
    func end(_ result: RunResult, of command: String = "Apply") throws {
        show(nil)
        if isJSON {
            try end { _ in [JSONValue(result).withType("summary")] }
        } else {
            try console.write(result.text(of: command, console.outputStyle))
        }
    }

    func end(_ certificate: ExportCertificate) throws {
        if isJSON { try end { _ in [certificate.document.withType("summary")] } }
    }

    private func end(_ make: (inout EventLines) -> [JSONValue]) throws {
        emit(make)
        if let error = writeError.withLock(\.self) { throw error }
    }

    private func emit(_ make: (inout EventLines) -> [JSONValue]) {
        lines.withLock { lines in
            // A full disk must not stop a run halfway when stdout goes to it; the command fails when the run is done.
            for line in make(&lines) {
                do {
                    try console.write(document: line, pretty: false)
                } catch let failure as CommandFailure where failure.status == .success {
                    // The reader has stopped.
                } catch {
                    writeError.withLock { $0 = $0 ?? error }
                }
            }
        }
    }
}
