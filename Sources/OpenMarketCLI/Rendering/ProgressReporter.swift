import OpenMarketReview
import Synchronization

/// Shows how far long work is: a bar with rate and remaining time on a terminal, a line every few seconds elsewhere.
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

    /// How often the bar is redrawn, and how often a line is written where there is no terminal.
    private static let barInterval = Duration.milliseconds(100)
    private static let lineInterval = Duration.seconds(5)

    init(_ label: String, unit: String, total: Int? = nil, console: Console) {
        self.console = console
        self.label = label
        self.unit = unit
        self.started = .now
        self.state = Mutex(State(total: total))
    }

    /// Work was done, or the total became known.
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

    /// Takes the bar away.
    func finish() {
        if console.showsProgressBar { console.setStatus("") }
    }

    private func text(_ state: State, at now: ContinuousClock.Instant) -> String {
        let seconds = Double((now - started).components.seconds) + Double((now - started).components.attoseconds) / 1e18
        let rate = seconds > 0 ? Double(state.done) / seconds : 0
        var parts = [label]
        if let total = state.total, total > 0 {
            if console.showsProgressBar { parts.append(Self.bar(min(Double(state.done) / Double(total), 1))) }
            parts.append("\(state.done)/\(total) \(unit)")
        } else {
            parts.append("\(state.done) \(unit)")
        }
        if rate > 0 {
            let left = state.total.flatMap { $0 > state.done ? Double($0 - state.done) / rate : nil }
            parts += Self.pace(rate, secondsLeft: left)
        }
        return parts.joined(separator: "  ").abbreviated(to: console.showsProgressBar ? console.width - 1 : 200)
    }

    /// How fast it goes and how long it still takes: `41/s`, `0:21 left`.
    static func pace(_ perSecond: Double, secondsLeft: Double?) -> [String] {
        let rate = perSecond >= 10 ? "\(Int(perSecond))/s" : "\(Double(Int(perSecond * 10)) / 10)/s"
        return [rate] + (secondsLeft.map { ["\(clock($0)) left"] } ?? [])
    }

    private static func bar(_ share: Double) -> String {
        let width = 24
        let filled = Int(share * Double(width))
        return "[" + String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled) + "]"
    }

    private static func clock(_ seconds: Double) -> String {
        let whole = Int(min(seconds, 359_999).rounded(.up))
        let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60)
        let two = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
        return hours > 0 ? "\(hours):\(two(minutes)):\(two(rest))" : "\(minutes):\(two(rest))"
    }
}
