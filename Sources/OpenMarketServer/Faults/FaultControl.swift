import Synchronization

/// The faults of a running server: the plan with its counters, and the log of what was asked for in writing.
final class FaultControl: Sendable {
    /// A writing request.
    struct Entry: Hashable, Sendable {
        var method: String
        var path: String
        /// What the market answered; `nil` where it did nothing or has not answered yet.
        var status: Int?
        /// The rules that met it.
        var rules: [Int]
    }

    private struct State {
        var schedule: FaultSchedule
        var log: [Entry] = []
        /// How many readings of an item are still answered with 404.
        var unsettled: [Int64: Int] = [:]
    }

    /// More is not kept: tests do not count further.
    private static let maximumEntries = 100_000

    private let state: Mutex<State>

    init(_ plan: FaultPlan) {
        state = Mutex(State(schedule: FaultSchedule(plan)))
    }

    /// Starts over with another plan and an empty log.
    func replace(_ plan: FaultPlan) {
        state.withLock { $0 = State(schedule: FaultSchedule(plan)) }
    }

    var counters: (plan: FaultPlan, counters: [FaultSchedule.Counter]) {
        state.withLock { ($0.schedule.plan, $0.schedule.counters) }
    }

    var log: [Entry] {
        state.withLock { $0.log }
    }

    /// Counts a request; says what meets it and where it is in the log, if it does.
    func begin(method: String, path: String, logged: String?) -> (firings: [FaultSchedule.Firing], entry: Int?) {
        state.withLock { state in
            let firings = state.schedule.firings(method: method, path: path)
            guard let logged, state.log.count < Self.maximumEntries else { return (firings, nil) }
            state.log.append(Entry(method: method, path: logged, rules: firings.map(\.rule)))
            return (firings, state.log.count - 1)
        }
    }

    /// Notes what the market answered.
    func answered(_ entry: Int?, status: Int) {
        state.withLock { state in
            // The plan, and the log with it, may have been replaced meanwhile.
            guard let entry, state.log.indices.contains(entry) else { return }
            state.log[entry].status = status
        }
    }

    /// Lets the next readings of an item fail.
    func unsettle(_ product: Int64, reads: Int) {
        state.withLock { $0.unsettled[product, default: 0] += reads }
    }

    /// Whether an item can be read; counts down what ``unsettle(_:reads:)`` asked for.
    func mayRead(_ product: Int64) -> Bool {
        state.withLock { state in
            guard let left = state.unsettled[product], left > 0 else { return true }
            state.unsettled[product] = left - 1
            return false
        }
    }
}
