import OpenMarket

/// Renders the events of a session, a line for each event that people need to see.
package struct SessionEventText {
    package enum Line: Hashable, Sendable {
        /// A message that quiet output may leave out.
        case note(String)
        /// A message that is always shown.
        case complaint(String)
    }

    private let style: Style

    package init(style: Style = .plain) { self.style = style }

    /// The line of an event; `nil` if only a progress bar shows it, or it is not shown.
    package func line(_ event: SessionEvent) -> Line? {
        switch event {
        case .note(let text): .note(text.terminalSafe)
        case .settled(let item):
            .note(
                "Run \(item.operation.run): \(item.operation.operation.action.rawValue) of "
                    + "'\(item.operation.operation.key.terminalSafe)': \(item.outcome.terminalSafe)"
            )
        case .execution(let event): line(event)
        case .possibleLimit(let rows):
            .complaint(
                "warning: the market's only page has \(rows) products, which looks like a limit: others may be missing"
            )
        case .problem(let problem):
            .note("warning: the market's \(problem.place) cannot be read in whole: \(problem.message)".terminalSafe)
        case .began, .advanced, .ended, .runBegan, .runJoined, .nothingToDo, .shopPage: nil
        }
    }

    private func line(_ event: ExecutionEvent) -> Line? {
        switch event {
        case .started, .settled: nil
        case .finished(let result):
            result.status == .done || result.status == .skipped && !result.isRefused
                ? nil : .complaint(complaint(result))
        case .retrying(_, let key, let step, let attempt, let pause, let reason):
            .note(
                "\(key.terminalSafe): \(step.rawValue) again (\(attempt)) in \(Self.seconds(pause)): \(reason.terminalSafe)"
            )
        case .slowed(let width, let pause):
            .note(
                "The market asks for less: \(counted(width, "request")) at once"
                    + (pause.map { ", after \(Self.seconds($0))" } ?? "")
            )
        case .settling(let count): .note("Looking for \(counted(count, "create")) whose reply was lost")
        }
    }

    private func complaint(_ result: OperationResult) -> String {
        let place = result.source.map { "\($0): " } ?? ""
        let words = "\(result.action.rawValue) of '\(result.key)': \(result.error ?? "no reason given")"
        return style(.boldRed, "\(result.status.rawValue): ") + (place + words).terminalSafe
    }

    /// A short duration: `250 ms`, `1.5 s`.
    private static func seconds(_ duration: Duration) -> String {
        let milliseconds = duration / .milliseconds(1)
        return milliseconds < 1000 ? "\(Int(milliseconds)) ms" : "\(Double(Int(milliseconds / 100)) / 10) s"
    }
}

extension SessionEvent.Phase {
    package var label: String {
        switch self {
        case .catalog: "Reading the catalog"
        case .details: "Reading details"
        case .export: "Exporting"
        }
    }
}
