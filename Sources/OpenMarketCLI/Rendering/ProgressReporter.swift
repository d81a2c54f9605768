import OpenMarketWorkflow
import Synchronization

/// Shows the progress of long work: a bar with rate and remaining time on a terminal, a line every few seconds
/// elsewhere.
final class ProgressReporter: Sendable {
    private struct State {
        var done = 0
        var total: Int?
        var lastShown: ContinuousClock.Instant?
    }

    private let console: Console
    private let label: String
    private let unit: String
    private let started: ContinuousClock.Instant
    private let state: Mutex<State>

    /// The time between updates of the bar; without a terminal, a line is written less often.
    private static let barInterval = Duration.milliseconds(100)
    private static let lineInterval = Duration.seconds(5)

    init(_ label: String, unit: String, total: Int? = nil, console: Console) {
        self.console = console
        self.label = label
        self.unit = unit
        self.started = .now
        self.state = Mutex(State(total: total))
    }

    /// Records finished work, or the total.
    func advance(by count: Int = 1, total: Int? = nil) {
        guard !console.isQuiet else { return }
        let line: String? = state.withLock { state in
            state.done += count
            if let total { state.total = total }
            let now = ContinuousClock.now
            let interval = console.showsProgressBar ? Self.barInterval : Self.lineInterval
            guard now - (state.lastShown ?? (console.showsProgressBar ? started - interval : started)) >= interval
            else {
                return nil
            }
            state.lastShown = now
            return text(state, at: now)
        }
        guard let line else { return }
        if console.showsProgressBar { console.setStatus(line) } else { console.note(line) }
    }

    func finish() {
        if console.showsProgressBar { console.setStatus("") }
    }

    private func text(_ state: State, at now: ContinuousClock.Instant) -> String {
        let showsBar = console.showsProgressBar
        return ProgressText.line(label, state.done, of: state.total, unit, after: now - started, showsBar: showsBar)
            .abbreviated(to: showsBar ? console.width - 1 : 200)
    }
}
