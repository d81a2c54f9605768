import Synchronization

/// Gives the operations of a run to the tasks of a session, each once, in order; gets more where none is left.
///
/// One task at a time claims a part, while the others wait for it.
final class WorkQueue: Sendable {
    /// An operation to carry out.
    struct Item: Sendable {
        var sequence: Int
        var part: WorkPart
    }

    /// How a task gets on.
    private enum Step {
        case item(Item)
        case claim
        case wait
        case over
    }

    private struct State {
        var part: WorkPart?
        var position = 0
        /// Parts whose operations do not all have an outcome yet.
        var underWay = 0
        var isClaiming = false
        /// Whether there is nothing to claim before a part is through.
        var isBlocked = false
        var isOver = false
        var waiters: [CheckedContinuation<Void, Never>] = []

        mutating func next() -> Item? {
            guard let part, position < part.sequences.count else { return nil }
            position += 1
            return Item(sequence: part.sequences[position - 1], part: part)
        }
    }

    private let state = Mutex(State())
    /// Gets the next part, with what of it is left to do.
    private let claim: @Sendable () async throws -> RunOperations.Claim
    /// Waits until it is worth while to claim again.
    private let pause: @Sendable () async throws -> Void

    init(
        claim: @escaping @Sendable () async throws -> RunOperations.Claim,
        pause: @escaping @Sendable () async throws -> Void
    ) {
        self.claim = claim
        self.pause = pause
    }

    /// The next operation, where there is one that need not be waited for.
    func nextAtOnce() -> Item? { state.withLock { $0.next() } }

    /// The next operation; `nil` when nothing is left for this session.
    ///
    /// - Throws: What claiming throws, for the task that claims; for the others nothing is left then.
    func next() async throws -> Item? {
        while true {
            switch step() {
            case .item(let item): return item
            case .over: return nil
            case .wait: await changed()
            case .claim:
                do {
                    try await claimPart()
                } catch {
                    change { state in
                        state.isClaiming = false
                        state.isOver = true
                    }
                    throw error
                }
            }
        }
    }

    /// Takes note that a part is through.
    func close() {
        change { state in
            state.underWay -= 1
            state.isBlocked = false
        }
    }

    /// Gives out nothing more, because a task failed.
    func stop() {
        change { state in
            state.part = nil
            state.isOver = true
        }
    }

    private func step() -> Step {
        state.withLock { state in
            if let item = state.next() { return .item(item) }
            if state.isOver { return .over }
            if state.isClaiming || state.isBlocked { return .wait }
            state.isClaiming = true
            return .claim
        }
    }

    private func claimPart() async throws {
        switch try await claim() {
        case .part(let part):
            change { state in
                state.isClaiming = false
                guard !part.sequences.isEmpty else { return }
                (state.part, state.position) = (part, 0)
                state.underWay += 1
            }
        case .none:
            change { state in
                state.isClaiming = false
                state.isOver = true
            }
        case .wait:
            let isOwn = state.withLock { state in
                state.isBlocked = state.underWay > 0
                return state.isBlocked
            }
            // What others do has to be asked for.
            if !isOwn { try await pause() }
            change { $0.isClaiming = false }
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let waiters = state.withLock { state in
            body(&state)
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits until something changes.
    private func changed() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                let hasItem = state.part.map { state.position < $0.sequences.count } ?? false
                guard !hasItem, !state.isOver, state.isClaiming || state.isBlocked else { return true }
                state.waiters.append(continuation)
                return false
            }
            if isOver { continuation.resume() }
        }
    }
}
