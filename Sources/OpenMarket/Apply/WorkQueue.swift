/// Distributes a run's operations to the tasks of a session, each once and in order; claims more when none is left.
///
/// One task at a time claims a part, while the others wait for it.
final class WorkQueue: Sendable {
    typealias Item = (sequence: Int, part: WorkPart)

    private enum Step {
        case item(Item)
        case claim
        case over
    }

    private struct State {
        var part: WorkPart?
        var position = 0
        /// The number of parts with operations that lack an outcome.
        var underWay = 0
        var isClaiming = false
        /// Whether claims must wait until a part is complete.
        var isBlocked = false
        var isOver = false

        mutating func next() -> Item? {
            guard let part, position < part.sequences.count else { return nil }
            position += 1
            return (part.sequences[position - 1], part)
        }

        /// What a task does now; `nil` if it waits.
        mutating func step() -> Step? {
            if let item = next() { return .item(item) }
            if isOver { return .over }
            if isClaiming || isBlocked { return nil }
            isClaiming = true
            return .claim
        }
    }

    private let state = Monitor(State())
    private let run: ExecutionRun
    private let outcomes: RunOutcomes

    init(of run: ExecutionRun, _ outcomes: RunOutcomes) {
        self.run = run
        self.outcomes = outcomes
    }

    func nextAtOnce() -> Item? { state.withLock { $0.next() } }

    /// The next operation; `nil` if this session is finished.
    ///
    /// An error of claiming is thrown to the task that claims; the others get `nil`.
    func next() async throws -> Item? {
        while true {
            switch await state.wait(for: { $0.step() }) {
            case .item(let item): return item
            case .over: return nil
            case .claim:
                do {
                    try await claimPart()
                } catch {
                    stop()
                    throw error
                }
            }
        }
    }

    func close() {
        state.change { state in
            state.underWay -= 1
            state.isBlocked = false
        }
    }

    /// Stops handing out work, because none is left or a task failed.
    func stop() {
        state.change { state in
            state.part = nil
            state.isOver = true
        }
    }

    private func claimPart() async throws {
        switch try await run.claim(outcomes) {
        case .part(let part):
            state.change { state in
                state.isClaiming = false
                guard !part.sequences.isEmpty else { return }
                (state.part, state.position) = (part, 0)
                state.underWay += 1
            }
        case .none: stop()
        case .wait:
            let isOwn = state.withLock { state in
                state.isBlocked = state.underWay > 0
                return state.isBlocked
            }
            // The progress of other sessions must be polled.
            if !isOwn { try await run.idle() }
            state.change { $0.isClaiming = false }
        }
    }
}
