import Synchronization

/// The faults of a running server: the plan with its counters, and the log of writing requests.
final class FaultControl: Sendable {
    struct Entry: Hashable, Sendable {
        var method: String
        var path: String
        /// The status of the reply; `nil` if the market did not act or has not answered yet.
        var status: Int?
        var rules: [Int]
    }

    private struct State {
        var schedule: FaultSchedule
        var log: [Entry] = []
        /// The number of further reads of each item that are answered with 404.
        var unsettled: [Int64: Int] = [:]
    }

    /// Later entries are dropped: tests do not count further.
    private static let maximumEntries = 100_000

    private let state: Mutex<State>

    init(_ plan: FaultPlan) {
        state = Mutex(State(schedule: FaultSchedule(plan)))
    }

    func replace(_ plan: FaultPlan) {
        state.withLock { $0 = State(schedule: FaultSchedule(plan)) }
    }

    var counters: (plan: FaultPlan, counters: [FaultSchedule.Counter]) {
        state.withLock { ($0.schedule.plan, $0.schedule.counters) }
    }

    var log: [Entry] {
        state.withLock { $0.log }
    }

    /// Counts a request; returns the rules that fire and the index of its log entry, if it is logged.
    func begin(method: String, path: String, logged: String?) -> (firings: [FaultSchedule.Firing], entry: Int?) {
        state.withLock { state in
            let firings = state.schedule.firings(method: method, path: path)
            guard let logged, state.log.count < Self.maximumEntries else { return (firings, nil) }
            state.log.append(Entry(method: method, path: logged, rules: firings.map(\.rule)))
            return (firings, state.log.count - 1)
        }
    }

    func answered(_ entry: Int?, status: Int) {
        state.withLock { state in
            // The plan and the log may have been replaced meanwhile.
            guard let entry, state.log.indices.contains(entry) else { return }
            state.log[entry].status = status
        }
    }

    func unsettle(_ product: Int64, reads: Int) {
        state.withLock { $0.unsettled[product, default: 0] += reads }
    }

    /// Whether an item can be read; counts down the reads set by ``unsettle(_:reads:)``.
    func mayRead(_ product: Int64) -> Bool {
        state.withLock { state in
            guard let left = state.unsettled[product], left > 0 else { return true }
            state.unsettled[product] = left - 1
            return false
        }
    }
}
