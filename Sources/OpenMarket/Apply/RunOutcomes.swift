import Synchronization

/// The status of an operation when its machine rests.
enum MachineResult: Sendable {
    case finished(OperationResult)
    /// Never started, because the run was already stopping.
    case untouched(sequence: Int)
    /// Suspended until its create is settled.
    case suspended(SuspendedOperation)
}

/// An operation that waits until its create is settled.
struct SuspendedOperation: Sendable {
    var machine: OperationMachine
    var create: OperationMachine.LostCreate
    var since: Timestamp
}

final class RunOutcomes: Sendable {
    private struct State {
        /// In the order of the operations.
        var results: [OperationResult] = []
        var untouched: [Int] = []
        var suspended: [SuspendedOperation] = []
        /// Operations whose outcome may not be final.
        var open: Set<Int> = []
    }

    private let state: Mutex<State>

    init(count: Int) {
        var empty = State()
        empty.results.reserveCapacity(count)
        state = Mutex(empty)
    }

    /// Removes and returns the results in the order of the operations.
    func takeResults() -> [OperationResult] {
        state.withLock { state in
            defer { state.results = [] }
            return state.results
        }
    }

    func areFinal(_ sequences: [Int]) -> Bool {
        state.withLock { state in state.open.isEmpty || state.open.isDisjoint(with: sequences) }
    }

    /// Removes a result that could not be recorded.
    func doubt(_ sequence: Int) {
        state.withLock { state in state.results.removeAll { $0.sequence == sequence } }
    }

    var untouched: [Int] { state.withLock { $0.untouched } }

    func note(_ rest: MachineResult) {
        state.withLock { state in
            switch rest {
            case .finished(let result):
                // The position is nearly always near the end. Sorting this many would need half as much memory again.
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

    func takeSuspended() -> [SuspendedOperation] {
        state.withLock { state in
            defer { state.suspended = [] }
            return state.suspended
        }
    }
}
