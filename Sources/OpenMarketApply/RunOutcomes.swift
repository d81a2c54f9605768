import OpenMarket
import Synchronization

/// Where an operation is when its machine rests.
enum OperationRest: Sendable {
    /// Over.
    case finished(OperationResult)
    /// Never started, for the run was stopping already.
    case untouched(sequence: Int)
    /// Put aside until its create is settled.
    case suspended(SuspendedOperation)
}

/// An operation that waits for the market to be asked about its create.
struct SuspendedOperation: Sendable {
    var machine: OperationMachine
    var create: OperationMachine.LostCreate
    var since: Timestamp
}

/// What became of the operations of a run so far.
final class RunOutcomes: Sendable {
    private struct State {
        var results: [OperationResult?]
        var untouched: [Int] = []
        var suspended: [SuspendedOperation] = []
    }

    private let state: Mutex<State>

    init(count: Int) {
        state = Mutex(State(results: Array(repeating: nil, count: count)))
    }

    /// How operations ended, in their order.
    var results: [OperationResult] { state.withLock { $0.results.compactMap(\.self) } }

    /// Operations that were not begun.
    var untouched: [Int] { state.withLock { $0.untouched } }

    func note(_ rest: OperationRest) {
        state.withLock { state in
            switch rest {
            case .finished(let result): state.results[result.sequence] = result
            case .untouched(let sequence): state.untouched.append(sequence)
            case .suspended(let operation): state.suspended.append(operation)
            }
        }
    }

    /// Takes the operations out that wait.
    func takeSuspended() -> [SuspendedOperation] {
        state.withLock { state in
            defer { state.suspended = [] }
            return state.suspended
        }
    }
}
