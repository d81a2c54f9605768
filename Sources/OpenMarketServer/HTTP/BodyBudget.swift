import Synchronization

/// Limits the bytes of request bodies that are in memory, and on disk, at once.
final class BodyBudget: Sendable {
    private struct State {
        var freeMemory: Int
        var freeDisk: Int
        /// The requests that wait for memory, in order of arrival.
        var waiting: [(bytes: Int, turn: CheckedContinuation<Void, Never>)] = []
    }

    private let memory: Int
    private let state: Mutex<State>

    init(memory: Int, disk: Int) {
        self.memory = memory
        state = Mutex(State(freeMemory: memory, freeDisk: disk))
    }

    /// Reserves memory for a whole body; waits while other bodies, which have arrived completely, hold it.
    func reserve(_ bytes: Int) async -> Reservation {
        // A body larger than the budget takes all of it.
        let share = min(bytes, memory)
        await withCheckedContinuation { turn in
            let isFree = state.withLock { state in
                guard state.waiting.isEmpty, state.freeMemory >= share else {
                    state.waiting.append((share, turn))
                    return false
                }
                state.freeMemory -= share
                return true
            }
            if isFree { turn.resume() }
        }
        return Reservation(budget: self, bytes: share)
    }

    /// Bytes that return to the budget when the object is deallocated.
    final class Reservation: Sendable {
        private let budget: BodyBudget
        private let bytes: Int

        fileprivate init(budget: BodyBudget, bytes: Int) {
            self.budget = budget
            self.bytes = bytes
        }

        deinit { budget.giveBack(bytes) }
    }

    private func giveBack(_ bytes: Int) {
        let turns = state.withLock { state in
            state.freeMemory += bytes
            var turns: [CheckedContinuation<Void, Never>] = []
            while let next = state.waiting.first, next.bytes <= state.freeMemory {
                state.freeMemory -= next.bytes
                turns.append(state.waiting.removeFirst().turn)
            }
            return turns
        }
        for turn in turns { turn.resume() }
    }

    final class Room: Sendable {
        private let budget: BodyBudget
        private let bytes = Mutex(0)

        init(_ budget: BodyBudget) {
            self.budget = budget
        }

        deinit {
            let bytes = taken
            budget.state.withLock { $0.freeDisk += bytes }
        }

        var taken: Int { bytes.withLock { $0 } }

        /// Takes more bytes; `false` if there are not enough.
        func take(_ more: Int) -> Bool {
            bytes.withLock { $0 += more }
            return budget.state.withLock { state in
                state.freeDisk -= more
                return state.freeDisk >= 0
            }
        }
    }
}
