import OpenMarket
import Synchronization

/// What the operations of a run share: the state as it grows, the newest id, and whether the market answers.
final class RunLedger: Sendable {
    private struct State {
        var snapshot: StateSnapshot
        var highWater: ProductID?
        var breaker: CircuitBreaker
    }

    private let state: Mutex<State>

    init(snapshot: StateSnapshot, highWater: ProductID?, breaker: CircuitBreaker) {
        state = Mutex(State(snapshot: snapshot, highWater: highWater, breaker: breaker))
    }

    /// The state as the journal has it.
    var snapshot: StateSnapshot { state.withLock { $0.snapshot } }

    /// The newest id known.
    var highWater: ProductID? { state.withLock { $0.highWater } }

    /// What the state knows under a key.
    func entry(_ key: String) -> StateEntry? {
        state.withLock { $0.snapshot.entries[key] }
    }

    /// Takes over what was just recorded.
    func apply(_ mutations: [StateMutation]) {
        guard !mutations.isEmpty else { return }
        state.withLock { state in
            for mutation in mutations {
                state.snapshot.apply(mutation)
                if case .put(let entry) = mutation { state.highWater = max(state.highWater ?? entry.id, entry.id) }
            }
        }
    }

    /// Takes note of an outcome; says whether the market is plainly down.
    func observe(_ outcome: WriteOutcome) -> Bool {
        state.withLock { state in
            state.breaker.observe(outcome)
            return state.breaker.isOpen
        }
    }
}
