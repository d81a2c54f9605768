import Synchronization

/// Where an operation is when its machine rests.
enum OperationRest: Sendable {
    case finished(OperationResult)
    /// Never started, because the run was stopping already.
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
        /// In the order of the operations.
        var results: [OperationResult] = []
        var untouched: [Int] = []
        var suspended: [SuspendedOperation] = []
        /// Operations that may not have their final outcome.
        var open: Set<Int> = []
    }

    private let state: Mutex<State>

    init(count: Int) {
        var empty = State()
        empty.results.reserveCapacity(count)
        state = Mutex(empty)
    }

    /// Takes out how operations ended, in their order.
    func takeResults() -> [OperationResult] {
        state.withLock { state in
            var results: [OperationResult] = []
            swap(&results, &state.results)
            return results
        }
    }

    /// Whether each of these operations has its final outcome.
    func areFinal(_ sequences: [Int]) -> Bool {
        state.withLock { state in state.open.isEmpty || state.open.isDisjoint(with: sequences) }
    }

    /// Takes back how an operation ended, because that could not be written down.
    func doubt(_ sequence: Int) {
        state.withLock { state in state.results.removeAll { $0.sequence == sequence } }
    }

    /// Operations that were not begun.
    var untouched: [Int] { state.withLock { $0.untouched } }

    func note(_ rest: OperationRest) {
        state.withLock { state in
            switch rest {
            case .finished(let result):
                // Nearly always near the end: so many are not sorted, which takes half of their room again.
                let place = state.results.lastIndex { $0.sequence <= result.sequence } ?? -1
                state.results.insert(result, at: place + 1)
                switch result.status {
                case .done, .stale, .skipped: state.open.remove(result.sequence)
                case .failed, .unknown: state.open.insert(result.sequence)
                }
            case .untouched(let sequence): state.untouched.append(sequence)
            case .suspended(let operation):
                state.suspended.append(operation)
                state.open.insert(operation.machine.sequence)
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
